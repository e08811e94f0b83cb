/// Which thread of a pool does which job, as a value: events in, actions out.
///
/// The first thread gets a job as soon as it comes; so do the next ones up to ``atOnce``, but for each that is busy
/// ``waitingForEach`` jobs have to wait. A job that comes while no more threads may be busy is queued, and one more thread watches
/// the queue. When for the length of one look no thread has taken a job from the queue, the jobs in it get threads of their own,
/// up to ``limit``.
///
/// Generic over the thread, so that tests can pass numbers.
struct JobPlan<Worker> {
  /// The most threads.
  let limit: Int
  /// So many threads are busy before a job has to wait.
  let atOnce: Int
  /// So many jobs wait for each busy thread before another one gets a job at once. 0: none waits.
  let waitingForEach: Int
  private var urgent = JobQueue()
  private var others = JobQueue()
  /// Urgent jobs started in a row while another job waited.
  private var urgentSinceOther = 0
  /// Sleeping threads, the last to fall asleep at the end.
  private var sleeping: [Worker] = []
  /// The threads that exist or are being started.
  private(set) var threads = 0
  /// Threads that are being started to help: each takes a job, however many are busy.
  private var helpersToCome = 0
  private var isWatched = false
  /// Since the queue stood still, so many jobs get a thread at once if one is free: others may be as slow.
  private var hurriedJobs = 0
  /// The changes of the queue since the last look of the watching thread: a job came, or a thread took one. That one was withdrawn
  /// says nothing about the threads.
  private var sinceLook = (queued: false, left: false)

  /// The most urgent jobs that start while another waits, so that none waits forever.
  static var urgentInARow: Int { 8 }

  private static var hurriedAfterHelp: Int { 1000 }

  init(limit: Int, atOnce: Int, waitingForEach: Int = 0) {
    precondition(limit > 0 && atOnce > 0 && atOnce <= limit, "a pool needs a thread")
    self.limit = limit
    self.atOnce = atOnce
    self.waitingForEach = waitingForEach
  }

  /// The consequence of a job that was submitted.
  enum Submission {
    /// This thread gets a job: this one, or one that waits.
    case hand(Worker, IOJob)
    /// It is queued, and a new thread is needed.
    case start
    /// It is queued, and this thread has to watch the queue.
    case watch(Worker)
    /// It is queued, and a new thread has to watch the queue.
    case startWatching
    /// It is queued.
    case wait
  }

  /// The consequence of a look at the queue.
  enum Look {
    /// Jobs are done without help: look again.
    case again
    /// There was nothing to watch. The thread is listed as sleeping.
    case sleep
    /// The queue stands still: the first job is for the thread that looked, and each of these threads gets one.
    case help(IOJob, with: [(Worker, IOJob)], starts: Int)
  }

  private var busy: Int { threads - sleeping.count - (isWatched ? 1 : 0) }

  /// The thread that watches is not busy, but no job can be handed to it.
  private var mayStart: Bool { threads < limit }

  mutating func submitted(_ job: IOJob) -> Submission {
    let isHurried = hurriedJobs > 0
    if isHurried { hurriedJobs -= 1 }
    if busy < atOnce, isHurried || urgent.count + others.count >= waitingForEach * busy {
      // It finds the job when it wakes, without taking the lock.
      if urgent.first == nil, others.first == nil, let worker = sleeping.popLast() { return .hand(worker, job) }
      append(job)
      if !sleeping.isEmpty, let job = next() { return .hand(sleeping.removeLast(), job) }
      guard mayStart else { return .wait }
      threads += 1
      return .start
    }
    append(job)
    guard !isWatched, atOnce < limit || waitingForEach > 0 else { return .wait }
    watched()
    if let worker = sleeping.popLast() { return .watch(worker) }
    if mayStart {
      threads += 1
      return .startWatching
    }
    isWatched = false
    return .wait
  }

  /// The next act of a thread that has started, or has done its job.
  enum Next {
    case job(IOJob)
    /// It watches the queue, which has more threads than it needs.
    case watch
    /// There is nothing for it to do. It is listed as sleeping.
    case sleep
  }

  /// A thread has done its job, or has started.
  mutating func next(for worker: Worker) -> Next {
    let isHelper = helpersToCome > 0
    if isHelper { helpersToCome -= 1 }
    // After help there are more than needed.
    if isHelper || busy <= atOnce, let job = next() { return .job(job) }
    if !isWatched, urgent.first != nil || others.first != nil {
      watched()
      return .watch
    }
    sleeping.append(worker)
    return .sleep
  }

  /// The next job, which leaves the queue.
  mutating func next() -> IOJob? {
    let isOtherDue = urgentSinceOther >= Self.urgentInARow
    sinceLook.left = sinceLook.left || urgent.first != nil || others.first != nil
    if let job = urgent.first, others.first == nil || !isOtherDue {
      urgentSinceOther = others.first == nil ? 0 : urgentSinceOther + 1
      remove(job)
      return job
    }
    guard let job = others.first else { return nil }
    urgentSinceOther = 0
    remove(job)
    return job
  }

  /// The thread that watches looks at the queue.
  mutating func looked(_ worker: Worker) -> Look {
    let since = sinceLook
    sinceLook = (false, false)
    guard !since.left, let job = next() else {
      if since.queued || urgent.first != nil || others.first != nil { return .again }
      isWatched = false
      sleeping.append(worker)
      return .sleep
    }
    isWatched = false
    hurriedJobs = Self.hurriedAfterHelp
    var helpers: [(Worker, IOJob)] = []
    while !sleeping.isEmpty, let job = next() { helpers.append((sleeping.removeLast(), job)) }
    let starts = min(urgent.count + others.count, limit - threads)
    threads += starts
    helpersToCome += starts
    return .help(job, with: helpers, starts: starts)
  }

  /// A thread could not be started.
  ///
  /// - Parameter watching: whether it was to watch.
  mutating func failedToStart(watching: Bool) {
    threads -= 1
    if watching { isWatched = false } else { helpersToCome = max(0, helpersToCome - 1) }
  }

  /// Lets a thread end that was not woken in time, and returns `true`. If it was chosen in between, its wake is on the way.
  mutating func mayEnd(_ isOne: (Worker) -> Bool) -> Bool {
    guard let place = sleeping.firstIndex(where: isOne) else { return false }
    sleeping.remove(at: place)
    threads -= 1
    return true
  }

  /// Takes `job` from the queue. Returns `false` if it is not there.
  mutating func withdrew(_ job: IOJob) -> Bool {
    guard job.isQueued else { return false }
    remove(job)
    return true
  }

  /// `job` goes with the urgent ones, if it still waits.
  mutating func raised(_ job: IOJob) {
    guard job.isQueued, !job.isUrgent else { return }
    others.remove(job)
    job.isUrgent = true
    urgent.append(job)
  }

  private mutating func watched() {
    isWatched = true
    sinceLook = (true, false)
  }

  private mutating func append(_ job: IOJob) {
    sinceLook.queued = true
    if job.isUrgent { urgent.append(job) } else { others.append(job) }
  }

  private mutating func remove(_ job: IOJob) {
    if job.isUrgent { urgent.remove(job) } else { others.remove(job) }
  }
}

/// A queue with removal from the middle in constant time, so that a cancelled read leaves nothing behind.
private struct JobQueue {
  private(set) var first: IOJob?
  private var last: IOJob?
  private(set) var count = 0

  mutating func append(_ job: IOJob) {
    job.previous = last
    job.isQueued = true
    if let last { last.following = job } else { first = job }
    last = job
    count += 1
  }

  mutating func remove(_ job: IOJob) {
    if let previous = job.previous { previous.following = job.following } else { first = job.following }
    if let following = job.following { following.previous = job.previous } else { last = job.previous }
    job.previous = nil
    job.following = nil
    job.isQueued = false
    count -= 1
  }
}
