internal import Dispatch

/// Where page faults wait for the disk: on threads of their own, rather than on Swift's, of which there are as
/// many as processors.
///
/// A call to a server that hangs keeps its thread. So each remote file system has threads of its own, for the faults and looks
/// of its files and for looks at their paths. One case remains: 64 first openings of files on a server that hangs delay the
/// opening of other files until it answers.
final class DiskQueues: Sendable {
  /// For the pages of local files.
  static let shared = DiskQueues(count: 16)
  /// For the first opening of a path, which may lead anywhere.
  static let opening = DiskQueues(count: 64)
  /// For paths that led to a local file.
  static let paths = DiskQueues(count: 16)

  /// By device. Systems number devices anew when file systems go, so that there are about as many as were ever mounted at once.
  private static let servers = Guarded<[UInt64: DiskQueues]>([:])

  /// For all that asks the remote file system that is `device`.
  static func server(_ device: UInt64) -> DiskQueues {
    servers.withLock { servers in
      if let queues = servers[device] { return queues }
      let queues = DiskQueues(count: 16)
      servers[device] = queues
      return queues
    }
  }

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
    // Taken out of both, so that the thread holds nothing of it any more when the caller goes on: not a file, either.
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
