import Testing

@testable import RangeIO

/// Random operations on a store that is always full, against a model that knows of every byte whether it is there.
@Suite struct MemoryStoreModelTests {
  @Test func `random operations agree with a table of bytes, and every account with a recount`() async {
    let operations = 250
    var totals = MemoryModelTally()
    let first = TestScale.firstSeed
    for seed in first..<first + max(1, TestScale.stress / operations) {
      var model = MemoryModel(seed: UInt64(seed))
      if let mismatch = await model.run(operations: operations) {
        Issue.record("seed \(seed): \(mismatch)")
        return
      }
      totals.add(model.tally)
    }
    guard TestScale.stress >= 20_000 else { return }
    print("\(TestScale.stress) operations from seed \(first): \(totals)")
    #expect(totals.hits > 500)
    #expect(totals.partialHits > 500)
    #expect(totals.inserted > 2000)
    #expect(totals.merged > 300)
    #expect(totals.dropped > 0)
    #expect(totals.refused > 200)
    #expect(totals.stale > 100)
    #expect(totals.evicted > 1000)
    #expect(totals.expired > 50)
    #expect(totals.shrunk > 200)
    #expect(totals.overPinned > 0)
    #expect(totals.pinnedBlocks > 1000)
    #expect(totals.removalSteps > 50)
  }
}
