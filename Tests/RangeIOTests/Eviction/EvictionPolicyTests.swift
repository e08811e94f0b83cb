import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the contract asks of every policy.
@Suite struct EvictionPolicyTests {
  @Test(arguments: Eviction.all.map(\.name))
  func `a built-in policy keeps to the contract`(name: String) throws {
    let factory = try #require(Eviction.all.first { $0.name == name })
    for seed in TestScale.firstSeed..<TestScale.firstSeed + max(1, TestScale.seeds / 10) {
      try EvictionPolicyConformance.check(factory, seed: UInt64(seed))
    }
  }

  @Test(arguments: Eviction.all.map(\.name))
  func `a copy of a policy is a policy of its own`(name: String) throws {
    let factory = try #require(Eviction.all.first { $0.name == name })
    var policy = factory.make(100)
    for slot in 0..<100 { policy.insert(slot, key: UInt64(slot), weight: 1) }
    for slot in stride(from: 0, to: 100, by: 3) { policy.hit(slot) }
    var copy = policy
    let victims = (0..<100).map { _ in copy.evict() }
    #expect(copy.evict() == nil)
    #expect((0..<100).map { _ in policy.evict() } == victims)
    #expect(Set(victims) == Set(0..<100))
  }

  @Test(arguments: Eviction.all.map(\.name))
  func `chunks that are removed and inserted again and again leave nothing behind`(name: String) throws {
    let factory = try #require(Eviction.all.first { $0.name == name })
    var policy = factory.make(10)
    for round in 0..<1000 {
      for slot in 0..<4 { policy.insert(slot, key: UInt64(slot), weight: 2) }
      for slot in 0..<4 where slot != round % 4 { policy.remove(slot) }
      #expect(policy.evict() == round % 4)
      #expect(policy.evict() == nil)
    }
  }

  @Test func `the built-in policies go by names of their own, and the default is one of them`() {
    #expect(Eviction.all.map(\.name) == ["lru", "sieve", "s3fifo", "adaptive"])
    #expect(Eviction.default.name == "adaptive")
    #expect(Eviction.default.make(70).capacity == 70)
    #expect(Eviction.lru.make(1) is LRU)
    #expect(Eviction.sieve.make(1) is SIEVE)
    #expect(Eviction.s3fifo.make(1) is S3FIFO)
  }
}
