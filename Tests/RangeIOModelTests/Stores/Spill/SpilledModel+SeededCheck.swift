@testable import RangeIO
@testable import RangeIOTestSupport

extension SpilledModel: SeededCheck {
  static let name = "three tiers that are always full"
  /// Few histories, that each is long: what is on the disk has to come round.
  private static let histories = 10
  private static let operationsOfARun = TestScale.isStress ? TestScale.stress / histories : 1000
  static var seeds: Range<Int> { first(histories) }

  static func run(seed: UInt64) throws -> SpilledModelTally {
    let model = SpilledModel(seed: seed)
    if let mismatch = model.run(operations: operationsOfARun) { throw mismatch }
    return model.tally
  }

  static func expected(of runs: Int, _ tally: SpilledModelTally) -> [Occurrence] {
    guard runs >= histories else { return [] }
    // Every tier serves its part, or nothing would be proved about it: a tenth, of short runs less by chance.
    let least = tally.reads / (TestScale.isStress ? 10 : 20)
    return [
      Occurrence("reads from memory", tally.fromMemory, over: least),
      Occurrence("reads from compressed memory", tally.fromCompressed, over: least),
      Occurrence("reads from the disk", tally.fromSpill, over: least),
      Occurrence("reads from the source", tally.fromSource, over: least),
      Occurrence("staged", tally.staged, over: 0),
      Occurrence("reads through a stage", tally.throughCaching, over: runs),
      Occurrence("late loads", tally.lateLoads, over: runs),
      Occurrence("interfered", tally.interfered, over: runs),
      Occurrence("removals", tally.removals, over: runs),
      Occurrence("flushes", tally.flushes, over: runs),
      Occurrence("restarts", tally.restarts, over: 0),
      Occurrence("kills", tally.kills, over: 0),
      Occurrence("losses of power", tally.powerLosses, over: 0),
      Occurrence("blocks found again", tally.blocksReopened, over: 0),
      Occurrence("inserted again", tally.reinserted, over: 0),
      Occurrence("evicted", tally.evicted, over: runs),
      Occurrence("tombstones", tally.tombstones, over: runs),
      Occurrence("stale", tally.stale, over: runs),
      Occurrence("failed calls", tally.failedCalls, over: 0),
    ]
  }
}
