import CRangeIOSystem

/// One piece of blocking work for an I/O thread.
package final class IOJob: @unchecked Sendable {
  // Unchecked: the links, `isUrgent` and `isQueued` belong to the plan of `IOThreads`, which is used under its lock;
  // `work` is Sendable.
  fileprivate let work: @Sendable () -> Void
  var isUrgent: Bool
  var previous: IOJob?
  var following: IOJob?
  var isQueued = false

  /// `work` may block. Urgent jobs go before others, but after ``JobPlan/urgentInARow`` urgent jobs another one goes.
  package init(isUrgent: Bool = true, _ work: @escaping @Sendable () -> Void) {
    self.isUrgent = isUrgent
    self.work = work
  }
}

/// A small pool of threads for system calls that wait for a disk. Threads are started on demand, bounded, and end after
/// a second of idleness. ``JobPlan`` says which of them does what.
///
/// Not Dispatch, whose pool grows slowly when its threads block. The thread that slept last is woken first; each thread
/// has its own semaphore.
package final class IOThreads: Sendable {
  private let state: Locked<JobPlan<Worker>>
  private let patience: Int64
  private let idleNanoseconds: Int64
  private let start: Start
  /// The threads for reads that the kernel has begun.
  let collecting: IOThreads?

  /// Runs the body with its context on a new thread; negative if no thread is available.
  package typealias Start =
    @Sendable (_ body: @convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> CInt

  /// Creates a pool of at most `limit` threads.
  ///
  /// - Parameters:
  ///   - atOnce: so many are busy at most while each job is done in time. Default: all.
  ///   - waitingForEach: so many jobs wait for each busy thread before another one gets a job at once.
  ///   - patience: for how long jobs may stand still in the queue until they get more threads than that.
  ///   - collecting: the threads for reads that the kernel has begun, of which a few collect many. Default: these.
  ///   - idle: a thread ends when it has been idle for so long.
  package init(
    limit: Int, atOnce: Int? = nil, waitingForEach: Int = 0, patience: Duration = .milliseconds(1),
    collecting: IOThreads? = nil, idle: Duration = .seconds(1),
    start: @escaping Start = { rio_thread_start($0, $1, "rangeio") }
  ) {
    state = Locked(JobPlan(limit: limit, atOnce: atOnce ?? limit, waitingForEach: waitingForEach))
    self.patience = patience.nanoseconds
    self.collecting = collecting
    idleNanoseconds = idle.nanoseconds
    self.start = start
  }

  /// The threads of the process. A disk performs best with some 32 reads in flight; the rest is for a second disk.
  package static let shared = IOThreads(
    limit: 64,
    collecting: IOThreads(
      limit: 64, atOnce: collectors(processors: Int(rio_processor_count())), waitingForEach: waitingForEach))

  /// The reads that one thread collects before another one helps. As a rule several have come when it wakes, so that each
  /// thread more costs wake-ups and saves no time: Docs/Decisions/0027-begun-reads.md.
  private static let waitingForEach = 64

  /// The most threads that collect the bytes of reads that the kernel has begun: four, or a quarter of the processors if that
  /// is more, and no more than a pool has.
  static func collectors(processors: Int) -> Int { min(64, max(4, processors / 4)) }

  /// The threads of the process for work whose length the library does not know. Few: each may take long.
  package static let forWork = IOThreads(limit: 16)

  /// The number of threads that exist now.
  var threadCount: Int { state.withLock { $0.threads } }

  /// Runs `job` on a thread, soon.
  package func submit(_ job: IOJob) {
    switch state.withLock({ $0.submitted(job) }) {
    case .hand(let worker, let job): worker.wake(with: job)
    case .start: startThread()
    case .watch(let worker): worker.wake(with: nil)
    case .startWatching: startThread(watching: true)
    case .wait: break
    }
  }

  /// Withdraws `job`, if no thread has started it. Returns whether it was withdrawn: then it will not run.
  func withdraw(_ job: IOJob) -> Bool { state.withLock { $0.withdrew(job) } }

  /// Moves `job` to the urgent ones, if no thread has started it.
  package func raise(_ job: IOJob) { state.withLock { $0.raised(job) } }

  private func startThread(watching: Bool = false) {
    let worker = Worker(self, isWatching: watching)
    let context = Unmanaged.passRetained(worker).toOpaque()
    let result = start({ Unmanaged<Worker>.fromOpaque($0!).takeRetainedValue().run() }, context)
    guard result < 0 else { return }
    Unmanaged<Worker>.fromOpaque(context).release()
    // No thread is available. Existing threads will do the work. If there are none, this one must, including all jobs
    // that were queued in between because this thread was expected.
    state.withLock { $0.failedToStart(watching: watching) }
    while let orphan = state.withLock({ $0.threads == 0 ? $0.next() : nil }) { orphan.work() }
  }

  /// Looks after the queue for as long as that is needed. Returns the job that the thread has to help with; `nil` if it
  /// is listed as sleeping.
  private func watch(_ worker: Worker) -> IOJob? {
    while true {
      rio_pause_ns(patience)
      switch state.withLock({ $0.looked(worker) }) {
      case .again: continue
      case .sleep: return nil
      case .help(let job, let helpers, let starts):
        for (helper, job) in helpers { helper.wake(with: job) }
        for _ in 0..<starts { startThread() }
        return job
      }
    }
  }

  private final class Worker: @unchecked Sendable {
    // Unchecked: `handed` and `isWatching` are written before the semaphore is posted and read after waiting for it. The
    // writer is the one thread that took this worker off the sleeping list; the reader is the worker's own thread.
    private let threads: IOThreads
    private let parker: OpaquePointer
    private var handed: IOJob?
    private var isWatching: Bool

    init(_ threads: IOThreads, isWatching: Bool) {
      self.threads = threads
      self.isWatching = isWatching
      guard let parker = rio_parker_create() else { fatalError("no memory for a semaphore of 32 bytes") }
      self.parker = parker
    }

    deinit { rio_parker_destroy(parker) }

    /// - Parameter job: `nil` for watching the queue.
    func wake(with job: IOJob?) {
      handed = job
      isWatching = job == nil
      rio_parker_wake(parker)
    }

    func run() {
      while true {
        doJobs()
        if !rio_parker_wait(parker, threads.idleNanoseconds) {
          if threads.state.withLock({ $0.mayEnd { $0 === self } }) { return }
          // Chosen in between: the job is on its way.
          while !rio_parker_wait(parker, 3_600_000_000_000) {}
        }
        let job = handed
        handed = nil
        job?.work()
      }
    }

    /// Until there are none, and the thread is listed as sleeping.
    private func doJobs() {
      var watches = isWatching
      isWatching = false
      while true {
        if watches {
          guard let job = threads.watch(self) else { return }
          job.work()
        }
        switch threads.state.withLock({ $0.next(for: self) }) {
        case .job(let job):
          watches = false
          job.work()
        case .watch: watches = true
        case .sleep: return
        }
      }
    }
  }
}
