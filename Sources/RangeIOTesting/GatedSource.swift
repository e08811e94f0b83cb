public import RangeIO

/// A source whose reads hang until the test releases them, even if their callers are cancelled. It behaves like a disk
/// that does not answer.
///
/// It ignores cancellation on purpose.
public final class GatedSource<Base: RangeSource>: RangeSource {
  private struct Waiting {
    let range: ByteRange
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var isOpen = false
    var waiting: [Waiting] = []
    var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var arrived = 0
    var isClosed = false
    var describeHangs = false
  }

  private let base: Base
  private let state = Locked(State())

  /// Creates a source that reads from `base`, with a closed gate.
  public init(_ base: Base) { self.base = base }

  /// The ranges of the hanging reads, in the order they came.
  public var waitingRanges: [ByteRange] { state.withLock { $0.waiting.map(\.range) } }

  /// `true` once the source has been closed.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Sets whether ``describe()`` hangs as reads do.
  public func gateDescribe(_ gated: Bool) { state.withLock { $0.describeHangs = gated } }

  /// Releases all hanging reads, and lets later reads pass.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.continuation.resume() }
  }

  /// Makes later reads hang again.
  public func shut() { state.withLock { $0.isOpen = false } }

  /// Releases the read that has hung longest, or makes it fail with `error`.
  ///
  /// - Returns: `false` if no read hangs.
  @discardableResult public func releaseNext(throwing error: (any Error)? = nil) -> Bool {
    guard let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return false }
    if let error { next.continuation.resume(throwing: error) } else { next.continuation.resume() }
    return true
  }

  /// Waits until `count` reads have arrived at the gate since the source was created.
  public func arrivals(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrived >= count { return true }
        state.arrivals.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  private func pass(_ range: ByteRange) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let (isOpen, reached) = state.withLock { state in
        state.arrived += 1
        let reached = state.arrivals.filter { $0.count <= state.arrived }.map(\.continuation)
        state.arrivals.removeAll { $0.count <= state.arrived }
        if !state.isOpen { state.waiting.append(Waiting(range: range, continuation: continuation)) }
        return (state.isOpen, reached)
      }
      if isOpen { continuation.resume() }
      for one in reached { one.resume() }
    }
  }

  /// The description of the base. Waits at the gate if ``gateDescribe(_:)`` was set.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    if state.withLock({ $0.describeHangs }) { try await pass(0..<0) }
    // Its reads hang even if those of the base do not.
    return try await base.describe().changing { $0.answersCancellation = false }
  }

  /// The bytes that the base reads, after the gate.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await pass(range)
    return try await base.read(range, of: source)
  }

  /// Closes the base.
  public nonisolated(nonsending) func close() async {
    state.withLock { $0.isClosed = true }
    await base.close()
  }
}
