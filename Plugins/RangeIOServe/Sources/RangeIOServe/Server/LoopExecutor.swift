#if Serve
  internal import NIOCore

  /// Runs tasks on the event loop of their connection, so that an answer needs no other thread: what it reads from a
  /// cache or the page cache costs no wake-up.
  final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop
    private let yields: LoopYields
    private let pipe: any Channel

    init(_ loop: any EventLoop) async throws {
      self.loop = loop
      (yields, pipe) = try await LoopYields.make(on: loop)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      loop.execute { job.runSynchronously(on: executor) }
    }

    /// Suspends until the loop has looked at its connections: what a task does before each piece of its work.
    func yield() async { await yields.next(pipe) }

    /// The loop is looked at no more: the tasks that wait go on.
    func close() { pipe.close(promise: nil) }
  }

  /// One executor for each event loop, until it is closed.
  struct LoopExecutors: Sendable {
    private let executors: [ObjectIdentifier: LoopExecutor]

    /// - Throws: `ReadError` if no descriptors are left.
    init(_ group: any EventLoopGroup) async throws {
      var executors: [ObjectIdentifier: LoopExecutor] = [:]
      do {
        for loop in group.makeIterator() { executors[ObjectIdentifier(loop)] = try await LoopExecutor(loop) }
      } catch {
        for executor in executors.values { executor.close() }
        throw error
      }
      self.executors = executors
    }

    /// The executor of a loop of the group.
    func executor(of loop: any EventLoop) -> LoopExecutor? { executors[ObjectIdentifier(loop)] }

    func close() { for executor in executors.values { executor.close() } }
  }
#endif
