internal import Dispatch

/// Where page faults wait for the disk: on threads that nobody else needs, rather than on Swift's, of which there are as
/// many as processors.
final class DiskQueues: Sendable {
  static let shared = DiskQueues(count: 16)

  private struct State {
    /// Queues on which nothing runs.
    var idle: [DispatchQueue]
    /// Work for which there was none, the oldest first.
    var waiting: [@Sendable () -> Void] = []
  }
  private let state: Guarded<State>

  /// At most `count` waits at once. One that hangs holds up nobody else but by being one less.
  init(count: Int) {
    state = Guarded(State(idle: (0..<count).map { DispatchQueue(label: "rangeio.mapped.\($0)") }))
  }

  /// Does `work` on one of the threads, and waits for it.
  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit { continuation.resume(with: Result { try work() }) }
    }
  }

  private func submit(_ work: @escaping @Sendable () -> Void) {
    let queue = state.withLock { state -> DispatchQueue? in
      if let queue = state.idle.popLast() { return queue }
      state.waiting.append(work)
      return nil
    }
    guard let queue else { return }
    queue.async { [self] in
      work()
      while let next = next(orIdle: queue) { next() }
    }
  }

  /// What has waited for longest; if there is nothing, `queue` is free again.
  private func next(orIdle queue: DispatchQueue) -> (@Sendable () -> Void)? {
    state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.idle.append(queue)
      return nil
    }
  }
}
