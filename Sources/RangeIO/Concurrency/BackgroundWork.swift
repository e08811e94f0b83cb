import CRangeIOSystem

/// Starts work that outlives the call that asked for it: a look-ahead, a prefetch, a flight that many reads wait for.
///
/// The core starts tasks only here, so that a test can run all of them on its own executor. Where the platform can,
/// work starts at once on the caller's thread and continues elsewhere when it first suspends: work that does not need
/// to wait completes before the call that starts it returns. Task-local values are inherited.
package struct BackgroundWork: Sendable {
  let executor: (any TaskExecutor)?

  /// The executor of background work that is created without one. A simulation sets it for its tasks, so that nothing
  /// they start runs elsewhere.
  @TaskLocal package static var standard: (any TaskExecutor)?

  /// Creates background work on `executor`, or on Swift's own threads if `nil`.
  package init(executor: (any TaskExecutor)? = nil) { self.executor = executor ?? Self.standard }

  /// Starts `work`, at `priority` or that of the caller.
  ///
  /// - Returns: the task, for cancelling it. You need not keep it.
  /// - Complexity: one task.
  @discardableResult package func start(
    _ priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      rio_begins_here()
      defer { rio_has_begun_here() }
      return Task.immediate(priority: priority, executorPreference: executor) { await work() }
    }
    return startElsewhere(priority, work)
  }

  /// Starts `work` on another thread even if it could start here: for work that keeps a processor busy while the caller
  /// continues.
  @discardableResult package func startElsewhere(
    _ priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: executor, priority: priority) { await work() }
  }

  /// Does `work`, which takes longer than an actor may be kept, on a thread that belongs to none.
  ///
  /// `@concurrent` alone does not see to that. Work that begins at once counts as being on Swift's own threads, so nothing
  /// hops in it, though it is still on the thread of the actor that has started it.
  ///
  /// - Parameter isShort: whether it may stay there, where work begins at once.
  @concurrent static func offActor<Value: Sendable>(
    isShort: Bool = false, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard !isShort, rio_is_beginning_here() else { return try await work() }
    return try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await work() }
      // There is one.
      return try await group.next()!
    }
  }

  /// The most bytes of a read that are copied, hashed or decoded on the caller's own thread and actor.
  static let maxBytesHere = 256 * 1024

  /// Does `work` on `byteCount` bytes here if they are few, otherwise as ``offActor(isShort:_:)``.
  nonisolated(nonsending) static func offActor<Value: Sendable>(
    of byteCount: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard byteCount > maxBytesHere else { return try work() }
    return try await offActor { try work() }
  }
}
