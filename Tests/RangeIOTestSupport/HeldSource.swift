import RangeIOTesting

@testable import RangeIO

/// A synthetic source whose reads wait until the test lets them go, but end at once when they are cancelled: notes what
/// it is asked, and what it is asked too late.
final class HeldSource: RangeSource {
  struct Version: SourceDescription.Validator {
    let number: UInt64

    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      (newer as? Version)?.number == number ? .same : .other
    }
  }

  private struct State {
    var isHeld: Bool
    var waiting: [(range: ByteRange, answer: Promise<Void>)] = []
    var asked: [ByteRange] = []
    var cancelled = 0
    var asksAfterClose = 0
    var isClosed = false
  }

  let description: SourceDescription
  private let isPrompt: Bool
  private let version: UInt64
  private let state: Locked<State>

  /// - Parameters:
  ///   - version: what the bytes follow from beside their offset; nil: version 0, which the source cannot tell.
  ///   - isHeld: whether reads wait from the beginning.
  init(
    byteCount: Int = 100_000, id: String = "held", version: UInt64? = 0, isSettled: Bool = true, isHeld: Bool = true,
    isPrompt: Bool = false
  ) {
    description = SourceDescription(
      id: id, validator: version.map(Version.init), byteCount: byteCount,
      traits: .with { ($0.isSettled, $0.answersCancellation) = (isSettled, isPrompt) })
    self.version = version ?? 0
    self.isPrompt = isPrompt
    state = Locked(State(isHeld: isHeld))
  }

  /// The ranges of all reads, in the order they came.
  var asked: [ByteRange] { state.withLock { $0.asked } }
  /// The ranges of those that wait.
  var waiting: [ByteRange] { state.withLock { $0.waiting.map(\.range) } }
  /// Reads that were cancelled while they waited.
  var cancellations: Int { state.withLock { $0.cancelled } }
  /// Reads that began after the source was closed: there must be none.
  var asksAfterClose: Int { state.withLock { $0.asksAfterClose } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Lets reads wait from now on, or lets all of them go, now and from now on.
  func hold(_ isHeld: Bool) {
    state.withLock { $0.isHeld = isHeld }
    while !isHeld, letGo() {}
  }

  /// Lets the read go that has waited longest, or fails it.
  ///
  /// - Returns: false if none waits.
  @discardableResult func letGo(throwing error: (any Error)? = nil) -> Bool {
    guard let first = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return false }
    first.answer.resolve(error.map { .failure($0) } ?? .success(()))
    return true
  }

  func describe() async throws -> SourceDescription { description }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let answer = state.withLock { state -> Promise<Void>? in
      state.asked.append(range)
      state.asksAfterClose += state.isClosed ? 1 : 0
      guard state.isHeld else { return nil }
      let answer = Promise<Void>()
      state.waiting.append((range, answer))
      return answer
    }
    do {
      try await answer?.value()
    } catch is CancellationError {
      state.withLock { state in
        state.cancelled += 1
        state.waiting.removeAll { $0.answer === answer }
      }
      throw CancellationError()
    }
    return SyntheticSource.bytes(range, version: version)
  }

  func close() async {
    state.withLock { $0.isClosed = true }
    guard isPrompt else { return }
    while letGo(throwing: ReadError.closed) {}
  }
}
