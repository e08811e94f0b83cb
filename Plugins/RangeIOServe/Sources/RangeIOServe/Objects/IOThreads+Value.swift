internal import RangeIO

extension IOThreads {
  /// What `work` returns, done on a thread that may wait for a disk or a server. It is not cancelled.
  func value<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit(IOJob { continuation.resume(with: Result { try work() }) })
    }
  }
}
