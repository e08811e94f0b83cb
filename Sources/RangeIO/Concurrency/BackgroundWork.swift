/// Starts work that outlives the call that asked for it: a look-ahead, a prefetch, a flight that many reads wait for.
///
/// The only place of the core where a task begins, so that a test can run all of it on an executor of its own. Work
/// starts at once on the caller's thread where the platform can, and goes on elsewhere when it first suspends: what
/// is ready without waiting completes before ``start(_:_:)`` returns. Task-local values are inherited.
public struct BackgroundWork: Sendable {
  let executor: (any TaskExecutor)?

  /// The executor of background work that is given none. A simulation sets it for its tasks, so that nothing they start
  /// runs elsewhere.
  @TaskLocal package static var standard: (any TaskExecutor)?

  /// Background work on `executor`, or on Swift's own threads when `nil`.
  public init(executor: (any TaskExecutor)? = nil) { self.executor = executor ?? Self.standard }

  /// Starts `work`, at `priority` or that of the caller.
  ///
  /// - Returns: the task, to cancel it. It need not be kept.
  /// - Complexity: one task.
  @discardableResult public func start(
    _ priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      return Task.immediate(priority: priority, executorPreference: executor) { await work() }
    }
    return startElsewhere(priority, work)
  }

  /// Starts `work` on another thread even if it could begin here: for work that keeps a processor busy while the caller goes on.
  @discardableResult public func startElsewhere(
    _ priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: executor, priority: priority) { await work() }
  }
}
