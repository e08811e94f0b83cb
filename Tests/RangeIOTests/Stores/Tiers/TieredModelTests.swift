import Testing

@testable import RangeIO

/// Random operations on two tiers that are always full, against a table of what may be found, of which version.
@Suite struct TieredModelTests {
  @Test func `random operations on two tiers find nothing wrong, removed or too old, and lose no account`() {
    let operations = 2000
    var totals = TieredModelTally()
    let first = TestScale.firstSeed
    let count = max(40, TestScale.stress / operations)
    for seed in first..<first + count {
      let model = TieredModel(seed: UInt64(seed))
      if let mismatch = model.run(operations: operations) {
        Issue.record("seed \(seed): \(mismatch)")
        return
      }
      totals.add(model.tally)
      totals.add(model.store.statistics())
    }
    print("\(count) seeds of \(operations) operations from seed \(first): \(totals)")
    // Every tier serves its part, or nothing would be proved about it.
    #expect(totals.fromMemory > totals.reads / 10)
    #expect(totals.fromBelow > totals.reads / 10)
    #expect(totals.fromSource > totals.reads / 10)
    #expect(totals.fromQueue > totals.reads / 100)
    #expect(totals.rises > totals.reads / 100)
    #expect(totals.late > count)
    #expect(totals.joined > count)
    #expect(totals.damaged > 0)
    #expect(totals.stale > count)
    #expect(totals.failed > count)
    #expect(totals.interfered > count)
    #expect(totals.removals > count)
    #expect(totals.retired > count)
    #expect(totals.resized > count)
    #expect(totals.relieved > 0)
    #expect(totals.pinnedBlocks > count)
    #expect(totals.moved > count * 10)
    #expect(totals.movesDropped > count)
    #expect(totals.movesCancelled > count)
    #expect(totals.incompressible > count)
    #expect(totals.evictedBelow > count)
    #expect(totals.reinserted > 0)
    #expect(totals.expired > 0)
  }
}
