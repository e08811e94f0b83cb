import CRangeIOSystem

/// One piece of blocking work for an I/O thread.
package final class IOJob: @unchecked Sendable {
  // Unchecked: the links, `isUrgent` and `isQueued` are accessed only under the lock of `IOThreads`; `work` is
  // Sendable.
  fileprivate let work: @Sendable () -> Void
  fileprivate var isUrgent: Bool
  fileprivate var previous: IOJob?
  fileprivate var following: IOJob?
  fileprivate var isQueued = false

  /// `work` may block. Urgent jobs go before others, but after ``IOThreads/urgentInARow`` urgent jobs another one goes.
  package init(isUrgent: Bool = true, _ work: @escaping @Sendable () -> Void) {
    self.isUrgent = isUrgent
    self.work = work
  }
}

/// A small pool of threads for system calls that wait for a disk. Threads are started on demand, bounded, and end after
/// a second of idleness.
///
/// Not Dispatch, whose pool grows slowly when its threads block. The thread that slept last is woken first; each thread
/// has its own semaphore.
package final class IOThreads: Sendable {
  /// A queue with removal from the middle in constant time, so that a cancelled read leaves nothing behind.
  fileprivate struct JobQueue {
    private(set) var first: IOJob?
    private var last: IOJob?

    mutating func append(_ job: IOJob) {
      job.previous = last
      job.isQueued = true
      if let last { last.following = job } else { first = job }
      last = job
    }

    mutating func remove(_ job: IOJob) {
      if let previous = job.previous { previous.following = job.following } else { first = job.following }
      if let following = job.following { following.previous = job.previous } else { last = job.previous }
      job.previous = nil
      job.following = nil
      job.isQueued = false
    }
  }

  fileprivate struct State {
    var urgent = JobQueue()
    var others = JobQueue()
    /// Urgent jobs started in a row while another job waited.
    var urgentSinceOther = 0
    /// Sleeping threads, the last to fall asleep at the end.
    var sleeping: [Worker] = []
    var threads = 0

    mutating func next() -> IOJob? {
      let isOtherDue = urgentSinceOther >= IOThreads.urgentInARow
      if let job = urgent.first, others.first == nil || !isOtherDue {
        urgent.remove(job)
        urgentSinceOther = others.first == nil ? 0 : urgentSinceOther + 1
        return job
      }
      guard let job = others.first else { return nil }
      others.remove(job)
      urgentSinceOther = 0
      return job
    }
  }

  private let state = Locked(State())
  private let limit: Int
  private let idleNanoseconds: Int64
  private let start: Start

  /// Runs the body with its context on a new thread; negative if no thread is available.
  package typealias Start =
    @Sendable (_ body: @convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> CInt

  /// Creates a pool of at most `limit` threads. A thread ends when it has been idle for `idle`.
  package init(
    limit: Int, idle: Duration = .seconds(1), start: @escaping Start = { rio_thread_start($0, $1, "rangeio") }
  ) {
    precondition(limit > 0, "a pool needs a thread")
    self.limit = limit
    idleNanoseconds = idle.nanoseconds
    self.start = start
  }

  /// The threads of the process. A disk performs best with some 32 reads in flight; the rest is for a second disk.
  package static let shared = IOThreads(limit: 64)

  /// The threads of the process for work whose length the library does not know. Few: each may take long.
  package static let forWork = IOThreads(limit: 16)

  /// The most urgent jobs that start while another waits, so that none waits forever.
  package static let urgentInARow = 8

  /// The number of threads that exist now.
  package var threadCount: Int { state.withLock { $0.threads } }

  /// Runs `job` on a thread, soon.
  package func submit(_ job: IOJob) {
    enum Step {
      case hand(Worker)
      case start
      case wait
    }
    let step = state.withLock { state -> Step in
      // A thread sleeps only when nothing is queued, so it can get the job directly, past the queue. It finds the job
      // when it wakes, without taking the lock.
      if let worker = state.sleeping.popLast() { return .hand(worker) }
      if job.isUrgent { state.urgent.append(job) } else { state.others.append(job) }
      guard state.threads < limit else { return .wait }
      state.threads += 1
      return .start
    }
    switch step {
    case .hand(let worker): worker.wake(with: job)
    case .start: startThread()
    case .wait: break
    }
  }

  /// Withdraws `job`, if no thread has started it. Returns whether it was withdrawn: then it will not run.
  package func withdraw(_ job: IOJob) -> Bool {
    state.withLock { state in
      guard job.isQueued else { return false }
      if job.isUrgent { state.urgent.remove(job) } else { state.others.remove(job) }
      return true
    }
  }

  /// Moves `job` to the urgent ones, if no thread has started it.
  package func raise(_ job: IOJob) {
    state.withLock { state in
      guard job.isQueued, !job.isUrgent else { return }
      state.others.remove(job)
      job.isUrgent = true
      state.urgent.append(job)
    }
  }

  private func startThread() {
    let worker = Worker(self)
    let context = Unmanaged.passRetained(worker).toOpaque()
    let result = start({ Unmanaged<Worker>.fromOpaque($0!).takeRetainedValue().run() }, context)
    guard result < 0 else { return }
    Unmanaged<Worker>.fromOpaque(context).release()
    // No thread is available. Existing threads will do the work. If there are none, this one must, including all jobs
    // that were queued in between because this thread was expected.
    state.withLock { $0.threads -= 1 }
    while let orphan = state.withLock({ $0.threads == 0 ? $0.next() : nil }) { orphan.work() }
  }

  /// The worker's next job; `nil` if there is none, and the worker is then listed as sleeping.
  fileprivate func nextJob(for worker: Worker) -> IOJob? {
    state.withLock { state in
      if let job = state.next() { return job }
      state.sleeping.append(worker)
      return nil
    }
  }

  /// Whether `worker`, which was not woken in time, may end. If it was chosen in between, its wake is on the way.
  fileprivate func mayEnd(_ worker: Worker) -> Bool {
    state.withLock { state in
      guard let place = state.sleeping.firstIndex(where: { $0 === worker }) else { return false }
      state.sleeping.remove(at: place)
      state.threads -= 1
      return true
    }
  }

  fileprivate final class Worker: @unchecked Sendable {
    // Unchecked: `handed` is written before the semaphore is posted and read after waiting for it. The writer is the
    // one thread that took this worker off the sleeping list; the reader is the worker's own thread.
    private let threads: IOThreads
    private let parker: OpaquePointer
    private var handed: IOJob?

    init(_ threads: IOThreads) {
      self.threads = threads
      guard let parker = rio_parker_create() else { fatalError("no memory for a semaphore of 32 bytes") }
      self.parker = parker
    }

    deinit { rio_parker_destroy(parker) }

    func wake(with job: IOJob) {
      handed = job
      rio_parker_wake(parker)
    }

    func run() {
      while true {
        while let job = threads.nextJob(for: self) { job.work() }
        if !rio_parker_wait(parker, threads.idleNanoseconds) {
          if threads.mayEnd(self) { return }
          // Chosen in between: the job is on its way.
          while !rio_parker_wait(parker, 3_600_000_000_000) {}
        }
        let job = handed
        handed = nil
        job?.work()
      }
    }
  }
}
