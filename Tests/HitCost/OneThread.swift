import Dispatch
import Synchronization

/// Runs a task and all that it begins on the calling thread, so that one run counts as the other, and valgrind, which dies
/// of Dispatch's threads, meets none. Threads of the library may resume a task, which then continues here.
final class OneThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrived.signal()
  }

  /// Returns when `work` has; an error of it ends the program.
  func run(_ work: @escaping @Sendable () async throws -> Void) {
    let isOver = Atomic(false)
    Task(executorPreference: self) {
      do { try await work() } catch { fatalError("\(error)") }
      isOver.store(true, ordering: .relaxed)
    }
    while !isOver.load(ordering: .relaxed) {
      arrived.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
