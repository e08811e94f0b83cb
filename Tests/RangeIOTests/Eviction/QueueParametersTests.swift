import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the parameters of ``S3FIFO`` beside those of the paper do.
@Suite struct QueueParametersTests {
  /// A shard of 100 chunks, 0 to 99, that has begun to evict.
  private func full(_ parameters: QueueParameters) throws -> PolicyShard {
    var shard = PolicyShard(S3FIFO(capacity: 100, parameters))
    for key in 0..<100 as Range<UInt64> { try shard.access(key) }
    for key in 2000..<2100 as Range<UInt64> { try shard.access(key) }
    return shard
  }

  @Test func `reads soon after the first do not count in the window, and later ones do`() throws {
    for (pause, isKept) in [(0, false), (3, false), (12, true)] {
      var shard = try full(QueueParameters(smallShare: 200, promotion: .readsAfterWindow(1)))
      try shard.access(500)
      for key in 0..<UInt64(pause) { try shard.access(3000 + key) }
      for _ in 0..<3 { try shard.access(500) }
      for key in 4000..<4100 as Range<UInt64> { try shard.access(key) }
      #expect(shard.contains(500) == isKept, "after \(pause) others")
    }
  }

  @Test func `by frequency a chunk stays if it was read more often than the one that main would evict`() throws {
    var shard = PolicyShard(S3FIFO(capacity: 100, QueueParameters(smallShare: 100, promotion: .frequency(lead: 0))))
    // Main has those that came three times.
    for _ in 0..<3 {
      for key in 0..<200 as Range<UInt64> { try shard.access(key) }
    }
    let old = (0..<200 as Range<UInt64>).filter { shard.contains($0) }
    // Read once, new ones lose against them.
    for key in 1000..<1200 as Range<UInt64> { try shard.access(key) }
    let kept = old.filter { shard.contains($0) }.count
    #expect(kept >= 80, "\(kept) of \(old.count)")
    // Those that come again and again win.
    for round in 0..<8 as Range<UInt64> {
      for key in 5000..<5020 as Range<UInt64> { try shard.access(key) }
      for key in 0..<20 as Range<UInt64> { try shard.access(10_000 + round * 100 + key) }
    }
    let winners = (5000..<5020 as Range<UInt64>).filter { shard.contains($0) }.count
    #expect(winners >= 15, "\(winners) of 20")
  }

  @Test func `the clock evicts what was not read since the last round, however often before`() throws {
    var policy = S3FIFO(capacity: 10, QueueParameters(smallShare: 0, promotion: .always))
    for slot in 0..<10 { policy.insert(slot, key: UInt64(slot), weight: 1) }
    for _ in 0..<3 { policy.hit(0) }
    policy.hit(1)
    #expect(policy.evict() == 2)
    policy.insert(2, key: 20, weight: 1)
    let rest = (0..<10).map { _ in policy.evict() }
    #expect(rest == [3, 4, 5, 6, 7, 8, 9, 0, 1, 2])
  }

  @Test(arguments: PolicyTuner.Settings().candidates)
  func `no eviction looks at more than 64 chunks`(parameters: QueueParameters) throws {
    var policy = S3FIFO(capacity: 5000, parameters)
    for slot in 0..<5000 { policy.insert(slot, key: UInt64(slot), weight: 1) }
    for round in 0..<500 {
      for slot in 0..<5000 + round where slot % 3 == 0 { policy.hit(slot) }
      for _ in 0..<3 { for slot in 0..<5000 where round == 0 { policy.hit(slot) } }
      let evicted = policy.evict()
      let victim = try #require(evicted)
      #expect(policy.looks <= S3FIFO.maxLooks)
      policy.insert(victim, key: UInt64(5000 + round), weight: 1)
    }
  }

  @Test(arguments: PolicyTuner.Settings().candidates)
  func `each candidate keeps to the contract`(parameters: QueueParameters) throws {
    let factory = Eviction(name: parameters.name) { S3FIFO(capacity: $0, parameters) }
    for seed in testSeeds { try EvictionPolicyConformance.check(factory, seed: seed, events: 2000) }
  }

  @Test func `candidates have names of their own`() {
    let names = PolicyTuner.Settings().candidates.map(\.name)
    #expect(
      names == [
        "10%, 1 read after window", "2%, 2 reads", "30%, 2 reads", "90%, 1 read after window", "3%, frequency",
        "3%, frequency + 1", "clock",
      ])
    #expect(QueueParameters(smallShare: 25, promotion: .reads(1)).name == "2.5%, 1 read")
  }
}
