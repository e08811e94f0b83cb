import Testing

@testable import RangeIO

/// Random operations on three tiers that are always full, with restarts, against a table of what may be found.
@Suite struct SpilledModelTests {
  @Test func `random operations on three tiers find nothing wrong, removed or too old, in any life`() {
    let seeds = 10
    let operations = TestScale.isStress ? TestScale.stress / seeds : 1000
    var totals = SpilledModelTally()
    let first = TestScale.firstSeed
    for seed in first..<first + seeds {
      let model = SpilledModel(seed: UInt64(seed))
      if let mismatch = model.run(operations: operations) {
        Issue.record("seed \(seed): \(mismatch)")
        return
      }
      totals.add(model.tally)
    }
    print("\(seeds) seeds of \(operations) operations on three tiers from seed \(first): \(totals)")
    // Every tier serves its part, or nothing would be proved about it: a tenth, of short runs less by chance.
    let least = totals.reads / (TestScale.isStress ? 10 : 20)
    #expect(totals.fromMemory > least)
    #expect(totals.fromCompressed > least)
    #expect(totals.fromSpill > least)
    #expect(totals.fromSource > least)
    #expect(totals.staged > 0)
    #expect(totals.throughCaching > seeds)
    #expect(totals.lateLoads > seeds)
    #expect(totals.interfered > seeds)
    #expect(totals.removals > seeds)
    #expect(totals.flushes > seeds)
    #expect(totals.restarts > 0)
    #expect(totals.kills > 0)
    #expect(totals.powerLosses > 0)
    #expect(totals.blocksReopened > 0)
    #expect(totals.reinserted > 0)
    #expect(totals.evicted > seeds)
    #expect(totals.tombstones > seeds)
    #expect(totals.stale > seeds)
    #expect(totals.failedCalls > 0)
  }
}
