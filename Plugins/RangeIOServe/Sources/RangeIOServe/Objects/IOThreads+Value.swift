internal import RangeIO
internal import Synchronization

extension IOThreads {
  /// Runs `work` on a thread that may wait for a disk or a server, and returns its result. In a cancelled task the work is told
  /// that it is not wanted any more, and waited for.
  func value<Value: Sendable>(_ work: @escaping @Sendable (WorkInterest) throws -> Value) async throws -> Value {
    let interest = WorkInterest()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit(
          IOJob {
            continuation.resume(
              with: Result {
                try interest.check()
                return try work(interest)
              })
          })
      }
    } onCancel: {
      interest.lose()
    }
  }
}

/// Tells work whether anyone still waits for it.
final class WorkInterest: Sendable {
  private let lost = Atomic<Bool>(false)

  var isLost: Bool { lost.load(ordering: .relaxed) }

  func lose() { lost.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError` when no one waits any more.
  func check() throws { if isLost { throw CancellationError() } }
}
