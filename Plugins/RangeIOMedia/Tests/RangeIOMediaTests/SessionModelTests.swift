import Testing

@testable import RangeIOTestSupport

/// Random sessions of players against a model that knows what each request may get.
@Suite struct SessionModelTests {
  @Test func `every byte is right, nothing is answered after cancelling, and no request is forgotten`() {
    let report = SessionModel.report()
    print(report)
    #expect(report.failures == [])
  }

  @Test func `a seed repeats its session`() throws { #expect(try SessionModel.repeats([1, 2, 3])) }
}

extension SessionModel: SeededCheck {
  static let name = "sessions of players"
  static var seeds: Range<Int> { first(TestScale.isStress ? 100_000 : 1000) }

  static func run(seed: UInt64) throws -> SessionTally {
    var model = SessionModel(seed: seed)
    try model.run()
    return model.tally
  }

  static func expected(of runs: Int, _ tally: SessionTally) -> [Occurrence] {
    guard runs >= 1000 else { return [] }
    return [
      Occurrence("requests that got all", tally.finished, over: runs * 5),
      Occurrence("requests cancelled", tally.cancelled, over: runs),
      Occurrence("requests that failed", tally.failed, over: runs / 10),
      Occurrence("reads that ended late", tally.late, over: runs / 4),
      Occurrence("growths", tally.grown, over: runs / 2),
      Occurrence("pieces", tally.pieces, over: runs * 20),
    ]
  }
}

struct SessionTally: SeededTally, Equatable, CustomStringConvertible {
  var sessions = 0
  var requests = 0
  var finished = 0
  var cancelled = 0
  var failed = 0
  var late = 0
  var grown = 0
  var pieces = 0
  var bytes = 0

  mutating func add(_ other: SessionTally) {
    sessions += other.sessions
    requests += other.requests
    finished += other.finished
    cancelled += other.cancelled
    failed += other.failed
    late += other.late
    grown += other.grown
    pieces += other.pieces
    bytes += other.bytes
  }

  var description: String {
    "\(sessions) sessions, \(requests) requests (\(finished) got all, \(cancelled) cancelled, \(failed) failed), "
      + "\(pieces) pieces, \(bytes) bytes, \(late) late reads, \(grown) growths"
  }
}
