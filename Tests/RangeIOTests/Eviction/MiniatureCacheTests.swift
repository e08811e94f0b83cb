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
