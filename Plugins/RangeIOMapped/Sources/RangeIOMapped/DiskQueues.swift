internal import Dispatch

/// Where page faults wait for the disk: on threads of their own, rather than on Swift's, of which there are as
/// many as processors.
final class DiskQueues: Sendable {
  static let shared = DiskQueues(count: 16)

  private struct State {
    /// Queues on which nothing runs.
    var idle: [DispatchQueue]
    /// Work that no thread has begun, from `first` on, the oldest first.
    var waiting: [(@Sendable () -> Void)?] = []
    var first = 0

    mutating func next() -> (@Sendable () -> Void)? {
      // What is done goes as soon as it is the larger part.
      if first >= 64, first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
      guard first < waiting.count else {
        waiting.removeAll(keepingCapacity: true)
        first = 0
        return nil
      }
      defer { first += 1 }
      return waiting[first].take()
    }
  }
  private let state: Guarded<State>

  /// At most `count` waits at once. One that hangs only makes the count one less.
  init(count: Int) {
    state = Guarded(State(idle: (0..<count).map { DispatchQueue(label: "rangeio.mapped.\($0)") }))
  }

  /// Does `work` on one of the threads, and waits for it.
  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    // Handed over under a lock, which the thread sanitizer sees; a continuation that is resumed before it is awaited it
    // does not.
    let outcome = Guarded<Result<Value, any Error>?>(nil)
    await withCheckedContinuation { continuation in
      submit {
        let result = Result { try work() }
        outcome.withLock { $0 = result }
        continuation.resume()
      }
    }
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("resumed before the work was done") }
    return try result.get()
  }

  /// Does `work` on one of the threads. It is not waited for.
  func submit(_ work: @escaping @Sendable () -> Void) {
    let queue = state.withLock { state -> DispatchQueue? in
      state.waiting.append(work)
      return state.idle.popLast()
    }
    guard let queue else { return }
    queue.async { [self] in while let next = next(orIdle: queue) { next() } }
  }

  /// What has waited for longest; if there is nothing, `queue` is free again.
  private func next(orIdle queue: DispatchQueue) -> (@Sendable () -> Void)? {
    state.withLock { state in
      if let next = state.next() { return next }
      state.idle.append(queue)
      return nil
    }
  }
}
