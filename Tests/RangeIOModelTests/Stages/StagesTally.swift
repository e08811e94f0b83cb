@testable import RangeIOTestSupport

/// What happened in a run of ``StagesModel``.
struct StagesTally: SeededTally, Equatable, CustomStringConvertible {
  var operations = 0
  var right = 0
  var cancelled = 0
  var failed = 0
  var timedOut = 0
  var closed = 0
  var faults = 0
  var figures: [String: Int] = [:]

  mutating func add(_ other: StagesTally) {
    operations += other.operations
    right += other.right
    cancelled += other.cancelled
    failed += other.failed
    timedOut += other.timedOut
    closed += other.closed
    faults += other.faults
    figures.merge(other.figures, uniquingKeysWith: +)
  }

  var description: String {
    let more = figures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return "\(operations) operations: \(right) right, \(cancelled) cancelled, \(failed) failed, \(timedOut) timed out, "
      + "\(closed) closed; \(faults) faults; \(more)"
  }
}
