import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

extension MemoryModel: SeededCheck {
  static let name = "a memory store that is always full"
  private static let operationsOfARun = 250
  static var seeds: Range<Int> { first(max(1, TestScale.stress / operationsOfARun)) }

  static func run(seed: UInt64) throws -> MemoryModelTally {
    try Simulation.run(seed: seed) { _ in
      var model = MemoryModel(seed: seed)
      if let mismatch = await model.run(operations: operationsOfARun) { throw mismatch }
      return model.tally
    }
  }

  static func expected(of runs: Int, _ tally: MemoryModelTally) -> [Occurrence] {
    guard runs >= 80 else { return [] }
    return [
      Occurrence("hits", tally.hits, over: 500),
      Occurrence("partial hits", tally.partialHits, over: 500),
      Occurrence("inserted", tally.inserted, over: 2000),
      Occurrence("merged", tally.merged, over: 300),
      Occurrence("dropped", tally.dropped, over: 0),
      Occurrence("refused", tally.refused, over: 200),
      Occurrence("stale", tally.stale, over: 100),
      Occurrence("evicted", tally.evicted, over: 1000),
      Occurrence("expired", tally.expired, over: 50),
      Occurrence("shrunk", tally.shrunk, over: 200),
      Occurrence("over-pinned", tally.overPinned, over: 0),
      Occurrence("pinned blocks", tally.pinnedBlocks, over: 1000),
      Occurrence("steps of removals", tally.removalSteps, over: 20),
    ]
  }
}
