import RangeIOTesting

@testable import RangeIO

/// A synthetic source whose reads do what a plan says, by their number, and which notes when they came.
final class ScriptedSource: RangeSource {
  enum Step: Sendable {
    /// The right bytes, after some time.
    case answer(after: Duration)
    /// An error, after some time.
    case fail(any Error, after: Duration = .zero)
    /// Bytes of which one is wrong.
    case damage
    /// Nothing, until it is cancelled.
    case hang

    static var answer: Step { .answer(after: .zero) }
  }

  struct Asked: Equatable {
    var ranges: [ByteRange]
    var at: Duration
  }

  private struct State {
    var asked: [Asked] = []
    var cancellations = 0
  }

  private let byteCount: Int
  private let id: String
  private let time: ReadClock
  private let plan: @Sendable (Int) -> Step
  private let state = Locked(State())

  init(
    byteCount: Int = 100_000, id: String = "scripted", time: ReadClock, plan: @escaping @Sendable (Int) -> Step
  ) {
    self.byteCount = byteCount
    self.id = id
    self.time = time
    self.plan = plan
  }

  /// All reads, in the order they came.
  var asked: [Asked] { state.withLock { $0.asked } }
  /// When they came.
  var times: [Duration] { asked.map(\.at) }
  /// Reads that were cancelled while they waited.
  var cancellations: Int { state.withLock { $0.cancellations } }

  func describe() async throws -> SourceDescription {
    SourceDescription(id: id, validator: HeldSource.Version(number: 0), byteCount: byteCount)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await follow([range])[0]
  }

  func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] { try await follow(ranges) }

  private func follow(_ ranges: [ByteRange]) async throws -> [Bytes] {
    let now = ReadClock.Instant(nanoseconds: 0).duration(to: time.now)
    let number = state.withLock { state in
      state.asked.append(Asked(ranges: ranges, at: now))
      return state.asked.count - 1
    }
    do {
      switch plan(number) {
      case .answer(let after): if after > .zero { try await time.sleep(for: after) }
      case .fail(let error, let after):
        if after > .zero { try await time.sleep(for: after) }
        throw error
      case .damage:
        var bytes = ranges.map { Array(SyntheticSource.bytes($0)) }
        bytes[0][bytes[0].count / 2] ^= 0xFF
        return bytes.map { Bytes($0) }
      case .hang: try await Promise<Void>().value()
      }
    } catch is CancellationError {
      state.withLock { $0.cancellations += 1 }
      throw CancellationError()
    }
    return ranges.map { SyntheticSource.bytes($0) }
  }
}

extension ReadError {
  /// An error that may pass.
  static let passing = ReadError(.inputOutput, "this one passes", isTransient: true)
  /// An error that does not pass.
  static let lasting = ReadError(.inputOutput, "this one stays")
}

extension Counters {
  /// The counts as a dictionary, those of zero left out.
  var figures: [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.filter { $0.value != 0 }.map { ($0.name, $0.value) })
  }
}

/// A stage that notes when a request is to have ended, and why it is made.
struct NotingRequests: ReadStage {
  struct Seen: Equatable {
    var deadline: ReadClock.Instant?
    var purpose: ReadUrgency.Purpose
  }
  let notes = Noted<Seen>()

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    notes.add(Seen(deadline: request.deadline, purpose: request.purpose))
    return try await next(request)
  }
}
