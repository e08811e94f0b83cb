import RangeIO
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ModelCacheTests {
  private let accesses = BlockAccesses(MixedTrace.make(seed: 2026), BlockGrid(blockSize: 4096)!)

  @Test(arguments: ["lru", "sieve", "s3fifo"], [1, 16, 256])
  func `a model hits as often as a cache with that policy`(name: String, capacity: Int) throws {
    let policy = try #require(EvictionPolicyFactory.all.first { $0.name == name })
    var model = ModelCache(capacity: capacity, policy: policy.make(capacity))
    for access in accesses.accesses { model.access(accesses.blocks[Int(access)], weight: 1) }
    #expect(model.hits == accesses.hits(policy, capacity: capacity))
    #expect(model.hits + model.misses == accesses.accesses.count)
  }

  @Test(arguments: testSeeds)
  func `a model of LRU has the keys that were read last, whatever their weights`(seed: UInt64) {
    var random = TestRandom(seed)
    var model = ModelCache(capacity: 100, policy: LRU(capacity: 100))
    var last: [(key: UInt64, weight: Int)] = []
    for step in 0..<3000 {
      if step % 500 == 499 { model.capacity = 50 + random.below(100) }
      // The first keys collide wherever only high bits or only low bits count.
      let key = UInt64(random.below(40)) << (random.below(2) * 58)
      let weight = 1 + Int(key % 13)
      let hits = model.hits
      model.access(key, weight: weight)
      while last.reduce(0, { $0 + $1.weight }) > model.capacity { last.removeFirst() }
      let isHere = last.contains { $0.key == key }
      #expect(model.hits == hits + (isHere ? 1 : 0), "seed \(seed), step \(step)")
      last.removeAll { $0.key == key }
      if !isHere { while last.reduce(weight, { $0 + $1.weight }) > model.capacity { last.removeFirst() } }
      last.append((key, weight))
    }
  }

  @Test func `what is larger than the model is not kept`() {
    var model = ModelCache(capacity: 10, policy: S3FIFO(capacity: 10))
    for _ in 0..<3 { model.access(1, weight: 11) }
    model.access(2, weight: 10)
    model.access(2, weight: 10)
    #expect(model.hits == 1 && model.misses == 4)
    var nothing = ModelCache(capacity: 0, policy: LRU(capacity: 0))
    for _ in 0..<3 { nothing.access(1, weight: 1) }
    #expect(nothing.hits == 0)
  }
}
