import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct MiniatureCacheTests {
  @Test(arguments: testSeeds)
  func `a miniature hits what a shard with the same policy would`(seed: UInt64) throws {
    var random = TestRandom(seed)
    var capacity = 1 + random.below(60)
    var miniature = MiniatureCache(S3FIFO(capacity: capacity), capacity: capacity)
    var shard = PolicyShard(S3FIFO(capacity: capacity))
    for step in 0..<2000 {
      // All bits of some keys are high, so that their places wrap around the end of the table.
      let key = UInt32.max - UInt32(min(random.below(200), random.below(200))) &* 0x00FF_FFFF
      let before = shard.hits
      try shard.access(UInt64(key))
      try #require(miniature.read(key) == (shard.hits > before), "seed \(seed), step \(step)")
      try #require(miniature.count == shard.count, "seed \(seed), step \(step)")
      guard random.below(200) == 0 else { continue }
      capacity = 1 + random.below(60)
      miniature.resize(to: capacity)
      try shard.resize(capacity)
    }
  }

  @Test(arguments: Eviction.all.map(\.name), [1, 16, 256])
  func `a miniature of all keys hits as often as a cache with that policy`(name: String, capacity: Int) throws {
    let accesses = BlockAccesses(MixedTrace.make(seed: 2026), BlockGrid(blockSize: 4096)!)
    let policy = try #require(Eviction.all.first { $0.name == name })
    var miniature = MiniatureCache(SelfTuned(policy, capacity: capacity), capacity: capacity)
    for access in accesses.accesses { _ = miniature.read(UInt32(accesses.blocks[Int(access)])) }
    #expect(miniature.hits == accesses.hits(policy, capacity: capacity))
    #expect(miniature.hits + miniature.misses == accesses.accesses.count)
  }

  @Test(arguments: testSeeds)
  func `a miniature of LRU has the keys that were read last, whatever their weights`(seed: UInt64) {
    var random = TestRandom(seed)
    var miniature = MiniatureCache(LRU(capacity: 100), capacity: 100)
    var last: [(key: UInt32, weight: Int)] = []
    for step in 0..<3000 {
      if step % 500 == 499 { miniature.resize(to: 50 + random.below(100)) }
      // The first keys collide wherever only high bits or only low bits count.
      let key = UInt32(random.below(40)) << UInt32(random.below(2) * 26)
      let weight = 1 + Int(key % 13)
      while last.reduce(0, { $0 + $1.weight }) > miniature.capacity { last.removeFirst() }
      let isHere = last.contains { $0.key == key }
      let isHit = miniature.read(key, weight: weight)
      #expect(isHit == isHere, "seed \(seed), step \(step)")
      last.removeAll { $0.key == key }
      if !isHere { while last.reduce(weight, { $0 + $1.weight }) > miniature.capacity { last.removeFirst() } }
      last.append((key, weight))
    }
  }

  @Test func `what is larger than the miniature is not kept`() {
    var miniature = MiniatureCache(S3FIFO(capacity: 10), capacity: 10)
    let reads = [(1, 11), (1, 11), (1, 11), (2, 10), (2, 10)].map { miniature.read($0, weight: $1) }
    #expect(reads == [false, false, false, false, true])
    #expect(miniature.hits == 1 && miniature.misses == 4)
    var nothing = MiniatureCache(LRU(capacity: 0), capacity: 0)
    #expect((0..<3).map { _ in nothing.read(1) } == [false, false, false])
  }

  @Test(arguments: 0..<3 as Range<UInt32>)
  func `a sample of the keys in a miniature hits nearly as often as all keys in the cache`(seed: UInt32) {
    var random = TestRandom(2026)
    let reads = (0..<200_000).map { _ in
      // Skewed: a key of a thousand as often as one of ten thousand, and so on.
      UInt64(random.below([1000, 10_000, 100_000][random.below(3)]))
    }
    var whole = MiniatureCache(S3FIFO(capacity: 8000), capacity: 8000)
    var sampled = MiniatureCache(S3FIFO(capacity: 1000), capacity: 1000)
    var (hits, sampledHits, sampledReads) = (0, 0, 0)
    for read in reads {
      let key = Ghost.fingerprint(of: read)
      if whole.read(key) { hits += 1 }
      guard ReadSample.level(of: key, seed: seed) >= 3 else { continue }
      sampledReads += 1
      if sampled.read(key) { sampledHits += 1 }
    }
    #expect(abs(Double(sampledReads) / 200_000 - 1 / 8) < 0.02)
    let (ratio, estimate) = (Double(hits) / 200_000, Double(sampledHits) / Double(sampledReads))
    #expect(abs(ratio - estimate) < 0.02, "\(ratio), \(estimate)")
  }
}
