@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

extension TieredModel: SeededCheck {
  static let name = "two tiers that are always full"
  private static let operationsOfARun = 2000
  static var seeds: Range<Int> { first(max(40, TestScale.stress / operationsOfARun)) }

  static func run(seed: UInt64) throws -> TieredModelTally {
    let model = TieredModel(seed: seed)
    if let mismatch = model.run(operations: operationsOfARun) { throw mismatch }
    var tally = model.tally
    tally.add(model.store.counts())
    return tally
  }

  /// Every tier serves its part, or nothing would be proved about it.
  static func expected(of runs: Int, _ tally: TieredModelTally) -> [Occurrence] {
    guard runs >= 40 else { return [] }
    return [
      Occurrence("reads from memory", tally.fromMemory, over: tally.reads / 10),
      Occurrence("reads from below", tally.fromBelow, over: tally.reads / 10),
      Occurrence("reads from the source", tally.fromSource, over: tally.reads / 10),
      Occurrence("reads from the queue", tally.fromQueue, over: tally.reads / 100),
      Occurrence("shouldPromote", tally.shouldPromote, over: tally.reads / 100),
      Occurrence("late", tally.late, over: runs),
      Occurrence("joined", tally.joined, over: runs),
      Occurrence("damaged", tally.damaged, over: 0),
      Occurrence("stale", tally.stale, over: runs),
      Occurrence("failed", tally.failed, over: runs),
      Occurrence("interfered", tally.interfered, over: runs),
      Occurrence("removals", tally.removals, over: runs),
      Occurrence("retired", tally.retired, over: runs),
      Occurrence("resized", tally.resized, over: runs),
      Occurrence("relieved", tally.relieved, over: 0),
      Occurrence("pinned blocks", tally.pinnedBlocks, over: runs),
      Occurrence("moved", tally.moved, over: runs * 10),
      Occurrence("moves dropped", tally.movesDropped, over: runs),
      Occurrence("moves cancelled", tally.movesCancelled, over: runs),
      Occurrence("incompressible", tally.incompressible, over: runs),
      Occurrence("evicted below", tally.evictedBelow, over: runs),
      Occurrence("inserted again", tally.reinserted, over: 0),
      Occurrence("expired", tally.expired, over: 0),
    ]
  }
}
