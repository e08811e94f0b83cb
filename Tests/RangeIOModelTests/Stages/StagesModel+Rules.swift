import Foundation
import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// What ``StagesModel`` holds its reads to.
extension StagesModel {
  func judge(_ result: Result<Void, any Error>, _ reader: RangeReader, isCancelled: Bool) throws {
    try world.withLock { world in
      switch result {
      case .success: world.tally.right += 1
      case .failure(is CancellationError):
        guard isCancelled else { throw Wrong(what: "CancellationError in a task that was not cancelled") }
        world.tally.cancelled += 1
      case .failure(let error as ReadError):
        switch error.code {
        case .closed where world.closing.contains(ObjectIdentifier(reader)): world.tally.closed += 1
        case .timedOut: world.tally.timedOut += 1
        case .inputOutput, .corrupted: world.tally.failed += 1
        default: throw Wrong(what: "\(error)")
        }
      case .failure(let error): throw error
      }
    }
  }

  func check(_ bytes: Bytes, _ range: ByteRange) throws {
    guard bytes.count == range.count else { throw Wrong(what: "\(bytes.count) bytes for \(range)") }
    var offset = range.lowerBound
    StagesContent.decoded.withUnsafeBytes { all in
      bytes.forEachSpan { span in
        span.withUnsafeBytes { piece in
          guard offset >= 0, memcmp(piece.baseAddress!, all.baseAddress! + offset, piece.count) == 0 else {
            offset = .min
            return
          }
          offset += piece.count
        }
      }
    }
    guard offset == range.upperBound else { throw Wrong(what: "wrong bytes of \(range)") }
  }

  /// Every byte is explained once, in order.
  func explain(_ reader: RangeReader) async throws {
    let range = range(most: 20_000)
    var end = range.lowerBound
    for part in try await reader.explain(range).parts {
      guard part.range.lowerBound == end, !part.range.isEmpty else {
        throw Wrong(what: "of \(range), \(part.range) is explained after the bytes up to \(end)")
      }
      end = part.range.upperBound
    }
    guard end == range.upperBound else { throw Wrong(what: "\(range) is explained up to \(end)") }
  }

  /// What holds at any time, and what when nobody reads any more.
  func look(isAtRest: Bool) throws {
    let tokens = budget.tokens
    guard (0...tokens.most).contains(tokens.thousandths) else { throw Wrong(what: "a budget of \(tokens)") }
    guard (0...Double(HedgePlan.maxSaved + 1)).contains(hedging.saved) else {
      throw Wrong(what: "\(hedging.saved) second tries saved up")
    }
    // A burst, and one read, which is at most a run of whole blocks.
    let soon = simulation.time(of: .zero).advanced(by: .milliseconds(10))
    guard let bucket = limiting.bucket, bucket.earliest(bucket.burst) <= soon else {
      throw Wrong(what: "more bytes are owed than were read")
    }
    guard (0...readAheadBudget.limit.bytes).contains(readAheadBudget.bytes) else {
      throw Wrong(what: "\(readAheadBudget.bytes) bytes ahead, of \(readAheadBudget.limit)")
    }
    guard isAtRest else { return }
    guard limiting.occupancy == (0, 0) else { throw Wrong(what: "permits out, waiting: \(limiting.occupancy)") }
    guard merging.permits.waiterCount == 0 else {
      throw Wrong(what: "spans that wait: \(merging.permits.waiterCount)")
    }
    guard readAheadBudget.bytes == 0 else { throw Wrong(what: "\(readAheadBudget.bytes) bytes are still ahead") }
    guard store.flightCount == 0 else { throw Wrong(what: "\(store.flightCount) flights") }
    guard store.isQuiet else { throw Wrong(what: "\(store.counts().reservedBytes) bytes reserved") }
    guard simulation.clock.sleeperCount == 0 else { throw Wrong(what: "\(simulation.clock.sleeperCount) timers") }
  }
}

extension StagesModel: SeededCheck {
  static let name = "all stages"
  private static let operationsOfARun = 1000
  static var seeds: Range<Int> { first(TestScale.isStress ? max(5, TestScale.stress / operationsOfARun) : 5) }

  static func run(seed: UInt64) throws -> StagesTally {
    try Simulation.run(seed: seed) { try await StagesModel($0, operations: operationsOfARun).run() }
  }

  static func expected(of runs: Int, _ tally: StagesTally) -> [Occurrence] {
    var all = [
      Occurrence("right", tally.right, over: tally.operations / 2),
      Occurrence("cancelled", tally.cancelled, over: tally.operations / 50),
      Occurrence("failed", tally.failed, over: tally.operations / 200),
      Occurrence("faults", tally.faults, over: tally.operations / 50),
    ]
    let often = ["retries", "recovered", "second tries", "second tries that won", "waited", "corrupted", "blocks"]
    // What stands at the top sees everything, so that one seed in a few does these.
    let mostly = ["ranges merged", "runs", "bytes used"]
    for figure in often + (runs >= 4 ? mostly : []) {
      all.append(Occurrence(figure, tally.figures[figure, default: 0], over: 0))
    }
    guard runs >= 100 else { return all }
    all.append(Occurrence("timed out", tally.timedOut, over: runs / 10))
    all.append(Occurrence("closed", tally.closed, over: runs / 10))
    all.append(Occurrence("given up", tally.figures["given up", default: 0], over: runs / 10))
    return all
  }
}

extension Simulation {
  /// The present on a clock that was handed in after `offset`.
  func time(of offset: Duration) -> ReadClock.Instant {
    ReadClock.Instant(nanoseconds: (clock.now.offset - offset).nanoseconds)
  }
}
