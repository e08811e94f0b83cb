import RangeIOTesting

@testable import RangeIO

/// A source that has its bytes at hand when the test says so. Other reads wait until the test lets them go.
final class AtHandSource: RangeSource {
  private struct State {
    var hasAll = true
    var missingBytes = 0
    var ready: [ByteRange] = []
    var meanwhile: (@Sendable (ByteRange) -> Void)?
  }
  private let waiting: HeldSource
  private let state = Locked(State())

  init(byteCount: Int = 100_000, isPrompt: Bool = true) {
    waiting = HeldSource(byteCount: byteCount, isPrompt: isPrompt)
  }

  /// Whether the bytes are at hand.
  var hasAll: Bool {
    get { state.withLock { $0.hasAll } }
    set { state.withLock { $0.hasAll = newValue } }
  }

  /// By how many bytes answers are too short.
  var missingBytes: Int {
    get { state.withLock { $0.missingBytes } }
    set { state.withLock { $0.missingBytes = newValue } }
  }

  /// Does `work` once, while the next answer is made.
  func meanwhile(_ work: @escaping @Sendable (ByteRange) -> Void) { state.withLock { $0.meanwhile = work } }

  /// The ranges answered at once.
  var answered: [ByteRange] { state.withLock { $0.ready } }
  /// The ranges of other reads.
  var asked: [ByteRange] { waiting.asked }

  func hold(_ isHeld: Bool) { waiting.hold(isHeld) }

  func describe() async throws -> SourceDescription { waiting.description }

  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    let (answers, missing, work) = state.withLock { state in
      defer { state.meanwhile = nil }
      return (state.hasAll, state.missingBytes, state.meanwhile)
    }
    work?(range)
    guard answers else { return .later }
    state.withLock { $0.ready.append(range) }
    return .here(SyntheticSource.bytes(range.lowerBound..<range.upperBound - missing))
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await waiting.read(range, of: source)
  }

  func close() async { await waiting.close() }
}

/// A synthetic source that has its bytes at hand whenever the test says so.
final class SometimesAtHand: RangeSource {
  private let source: SyntheticSource
  private let isAtHand: @Sendable () -> Bool

  init(_ source: SyntheticSource, _ isAtHand: @escaping @Sendable () -> Bool) {
    self.source = source
    self.isAtHand = isAtHand
  }

  func describe() async throws -> SourceDescription { try await source.describe() }

  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    isAtHand() ? .here(SyntheticSource.bytes(range)) : .later
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await self.source.read(range, of: source)
  }
}
