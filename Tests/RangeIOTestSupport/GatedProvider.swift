@testable import RangeIO

/// A provider that answers when the test says so.
public final class GatedProvider<Value: Sendable>: Sendable {
  private struct State {
    var asked = 0
    var waiters: [CheckedContinuation<Value, any Error>] = []
    var counted: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Locked(State())

  /// Nobody has asked yet.
  public init() {}

  /// How often it was asked.
  public var askedCount: Int { state.withLock { $0.asked } }

  /// Waits for ``answer(_:)``.
  public func value() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let ready = state.withLock { state in
        state.asked += 1
        state.waiters.append(continuation)
        let ready = state.counted.filter { $0.count <= state.asked }
        state.counted.removeAll { $0.count <= state.asked }
        return ready
      }
      for one in ready { one.continuation.resume() }
    }
  }

  /// Returns when the provider has been asked that often.
  public func asked(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.asked >= count { return true }
        state.counted.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Answers all who wait.
  public func answer(_ result: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(with: result) }
  }
}
