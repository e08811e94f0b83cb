/// Work that takes longer than an event loop may be kept from its other connections.
enum AsideWork {
  /// Runs `work` on the threads of Swift's tasks, and returns its result.
  static func value<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    // Detached: a task of its own does not run on the event loop of the one that waits.
    try await Task.detached { try await work() }.value
  }
}
