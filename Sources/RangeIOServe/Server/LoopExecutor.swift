#if Serve
  internal import NIOCore

  /// Runs tasks on the event loop of their connection, so that an answer needs no other thread: what it reads from a
  /// cache or the page cache costs no wake-up.
  final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      loop.execute { job.runSynchronously(on: executor) }
    }
  }

  /// One executor for each event loop, for as long as the process runs.
  struct LoopExecutors: Sendable {
    private let executors: [ObjectIdentifier: LoopExecutor]

    init(_ group: any EventLoopGroup) {
      var executors: [ObjectIdentifier: LoopExecutor] = [:]
      for loop in group.makeIterator() { executors[ObjectIdentifier(loop)] = LoopExecutor(loop) }
      self.executors = executors
    }

    func executor(of loop: any EventLoop) -> LoopExecutor? { executors[ObjectIdentifier(loop)] }
  }
#endif
