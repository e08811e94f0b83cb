/// Runs a task and all that it begins on the calling thread, so that one run counts as the other, and valgrind, which dies
/// of Dispatch's threads, meets none.
final class OneThread: TaskExecutor {
  // Touched by one thread alone.
  private nonisolated(unsafe) var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Returns when `work` has; an error of it ends the program.
  func run(_ work: @escaping @Sendable () async throws -> Void) {
    nonisolated(unsafe) var isOver = false
    Task(executorPreference: self) {
      do { try await work() } catch { fatalError("\(error)") }
      isOver = true
    }
    while !isOver { jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
