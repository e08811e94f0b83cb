public import RangeIO

/// A source whose reads hang until the test lets them go, whatever happens to their callers: a disk that does not
/// answer.
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

  /// `base` behind a gate that is shut.
  public init(_ base: Base) { self.base = base }

  /// The ranges of the reads that hang, in the order they came.
  public var waitingRanges: [ByteRange] { state.withLock { $0.waiting.map(\.range) } }

  /// Whether it has been closed.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Makes ``describe()`` hang like reads, or not.
  public func gateDescribe(_ gated: Bool) { state.withLock { $0.describeHangs = gated } }

  /// Lets all reads go, now and from now on.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.continuation.resume() }
  }

  /// Lets reads hang again from now on.
  public func shut() { state.withLock { $0.isOpen = false } }

  /// Lets the read go that has hung longest, or fails it.
  ///
  /// - Returns: false if none hangs.
  @discardableResult public func releaseNext(throwing error: (any Error)? = nil) -> Bool {
    guard let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return false }
    if let error { next.continuation.resume(throwing: error) } else { next.continuation.resume() }
    return true
  }

  /// Waits until `count` reads have come to the gate since it was made.
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

  /// What the base is, after the gate if that was asked for.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    if state.withLock({ $0.describeHangs }) { try await pass(0..<0) }
    return try await base.describe()
  }

  /// What the base reads, after the gate.
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
