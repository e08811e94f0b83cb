internal import Dispatch
internal import Synchronization

/// Where page faults wait for the disk: on threads that nobody else needs, rather than on Swift's, of which there are as
/// many as processors.
final class DiskQueues: Sendable {
  static let shared = DiskQueues(count: 16)

  private let queues: [DispatchQueue]
  private let next = Atomic<UInt>(0)

  /// At most `count` waits at once.
  init(count: Int) {
    queues = (0..<count).map { DispatchQueue(label: "rangeio.mapped.\($0)") }
  }

  /// Does `work` on one of the threads, and waits for it.
  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return try await withCheckedThrowingContinuation { continuation in
      queues[Int(turn % UInt(queues.count))].async { continuation.resume(with: Result { try work() }) }
    }
  }
}
