internal import Dispatch

/// The plugin's own threads, on which page faults wait for the disk. Swift's threads must not wait there: there are
/// only as many as processors.
///
/// A call to a server that hangs blocks its thread. So each remote file system has its own threads, for the page faults
/// and checks of its files and for checks of their paths. One case remains: if 64 files on a server that hangs are
/// being opened for the first time, opening other files must wait until the server answers.
final class DiskQueues: Sendable {
  /// For pages of local files.
  static let shared = DiskQueues(count: 16)
  /// For the first opening of a path, which may lead to any file system.
  static let opening = DiskQueues(count: 64)
  /// For paths that led to a local file.
  static let paths = DiskQueues(count: 16)

  /// By device. The system reuses device numbers after unmounting, so there are about as many entries as file systems
  /// were ever mounted at the same time.
  private static let servers = Guarded<[UInt64: DiskQueues]>([:])

  /// For all calls to the remote file system `device`.
  static func server(_ device: UInt64) -> DiskQueues {
    servers.withLock { servers in
      if let queues = servers[device] { return queues }
      let queues = DiskQueues(count: 16)
      servers[device] = queues
      return queues
    }
  }

  private struct State {
    /// Queues that run nothing.
    var idle: [DispatchQueue]
    /// Work that no thread has begun, starting at index `first`, the oldest first.
    var waiting: [(@Sendable () -> Void)?] = []
    var first = 0

    mutating func next() -> (@Sendable () -> Void)? {
      // Removes the finished entries once they are the larger part.
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

  /// Allows at most `count` waits at once. A call that hangs reduces that by one.
  init(count: Int) {
    state = Guarded(State(idle: (0..<count).map { DispatchQueue(label: "rangeio.mapped.\($0)") }))
  }

  /// Runs `work` on one of the threads, and waits for its result.
  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    // The result is passed under a lock, which the thread sanitizer understands. It does not understand a continuation
    // that is resumed before the caller awaits it.
    let outcome = Guarded<Result<Value, any Error>?>(nil)
    // Both are taken out when used, so that the thread holds no reference, for example to a file, when the caller
    // continues.
    let work = Guarded<(@Sendable () throws -> Value)?>(work)
    @Sendable func perform() {
      let result = Result { try work.withLock { $0.take() }!() }
      outcome.withLock { $0 = result }
    }
    await withCheckedContinuation { continuation in
      submit {
        perform()
        continuation.resume()
      }
    }
    guard let result = outcome.withLock({ $0.take() }) else { preconditionFailure("resumed before the work was done") }
    return try result.get()
  }

  /// Runs `work` on one of the threads without waiting for it.
  func submit(_ work: @escaping @Sendable () -> Void) {
    let queue = state.withLock { state -> DispatchQueue? in
      state.waiting.append(work)
      return state.idle.popLast()
    }
    guard let queue else { return }
    queue.async { [self] in while let next = next(orIdle: queue) { next() } }
  }

  /// The work that has waited longest. If there is none, marks `queue` as idle.
  private func next(orIdle queue: DispatchQueue) -> (@Sendable () -> Void)? {
    state.withLock { state in
      if let next = state.next() { return next }
      state.idle.append(queue)
      return nil
    }
  }
}
