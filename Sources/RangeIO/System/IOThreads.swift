import CRangeIOSystem

/// One piece of blocking work for an I/O thread.
package final class IOJob: @unchecked Sendable {
  // Unchecked: the links, `isUrgent` and `isQueued` are touched under the lock of `IOThreads` only; `work` is Sendable.
  fileprivate let work: @Sendable () -> Void
  fileprivate var isUrgent: Bool
  fileprivate var previous: IOJob?
  fileprivate var following: IOJob?
  fileprivate var isQueued = false

  /// `work` may block. Urgent jobs go before others, of which one goes after ``IOThreads/urgentInARow`` urgent ones.
  package init(isUrgent: Bool = true, _ work: @escaping @Sendable () -> Void) {
    self.isUrgent = isUrgent
    self.work = work
  }
}

/// A small pool of threads of our own for system calls that wait for a disk: started on demand, bounded, and gone
/// after a second of idleness.
///
/// Not Dispatch, whose pool grows slowly when its threads block. The thread that slept last is woken first, each by a
/// semaphore of its own.
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
    /// Urgent jobs that were begun, one after the other, while another waited.
    var urgentSinceOther = 0
    /// Threads that sleep, the last to fall asleep at the end.
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

  /// Runs the body with its context on a new thread; negative when there is none to be had.
  package typealias Start =
    @Sendable (_ body: @convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> CInt

  /// At most `limit` threads, each of which ends when it had nothing to do for `idle`.
  package init(
    limit: Int, idle: Duration = .seconds(1), start: @escaping Start = { rio_thread_start($0, $1, "rangeio") }
  ) {
    precondition(limit > 0, "a pool needs a thread")
    self.limit = limit
    idleNanoseconds = idle.nanoseconds
    self.start = start
  }

  /// The threads of the process. A disk answers best with some 32 reads under way; the rest is for a second disk.
  package static let shared = IOThreads(limit: 64)

  /// The most urgent jobs that are begun while another waits, so that none waits for ever.
  package static let urgentInARow = 8

  /// The threads that exist now.
  package var threadCount: Int { state.withLock { $0.threads } }

  /// Has a thread do `job`, soon.
  package func submit(_ job: IOJob) {
    enum Step {
      case hand(Worker)
      case start
      case wait
    }
    let step = state.withLock { state -> Step in
      // A thread sleeps only when nothing is queued, so the job may be handed to it past the queue. It finds the job
      // when it wakes, and need not take the lock for it.
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

  /// Takes `job` back, if no thread has begun it.
  ///
  /// - Returns: whether it was taken back: it will not run then.
  package func withdraw(_ job: IOJob) -> Bool {
    state.withLock { state in
      guard job.isQueued else { return false }
      if job.isUrgent { state.urgent.remove(job) } else { state.others.remove(job) }
      return true
    }
  }

  /// Has `job` go with the urgent ones from now on, if no thread has begun it.
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
    // No thread to be had. Those that exist will do the work; without any, this one must, with all that others queued
    // in the meantime because they counted on this thread.
    state.withLock { $0.threads -= 1 }
    while let orphan = state.withLock({ $0.threads == 0 ? $0.next() : nil }) { orphan.work() }
  }

  /// What a worker does next: a job; or `nil`, and it is entered among the sleeping.
  fileprivate func nextJob(for worker: Worker) -> IOJob? {
    state.withLock { state in
      if let job = state.next() { return job }
      state.sleeping.append(worker)
      return nil
    }
  }

  /// Whether `worker`, which was not woken in time, may end. If it was chosen in the meantime, its wake is on the way.
  fileprivate func mayEnd(_ worker: Worker) -> Bool {
    state.withLock { state in
      guard let place = state.sleeping.firstIndex(where: { $0 === worker }) else { return false }
      state.sleeping.remove(at: place)
      state.threads -= 1
      return true
    }
  }

  fileprivate final class Worker: @unchecked Sendable {
    // Unchecked: `handed` is written before the semaphore is posted and read after it was waited for, by the one thread
    // that took this worker off the list of the sleeping and by the one that sleeps.
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
          // Chosen in the meantime: the job is on its way.
          while !rio_parker_wait(parker, 3_600_000_000_000) {}
        }
        let job = handed
        handed = nil
        job?.work()
      }
    }
  }
}
