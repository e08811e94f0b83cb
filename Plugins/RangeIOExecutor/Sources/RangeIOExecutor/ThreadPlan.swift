/// Decides which thread does what: events in, actions out.
///
/// So many threads work at a time as there are processors. A thread that waits in a system call does not count: if a job is
/// queued then, another thread takes it, up to a bound.
struct ThreadPlan<Job, Worker> {
  /// The action to take now.
  enum Action {
    case nothing
    case wake(Worker)
    case start
  }

  /// The most threads there are.
  let limit: Int
  /// So many work at a time.
  let width: Int
  /// Threads that exist, or are being started.
  private(set) var threads = 0
  /// Threads that neither sleep nor wait in a system call. After a wait they may be more than `width`.
  private(set) var working = 0
  private var queue = Queue<Job>()
  /// The one that slept last is woken first: its memory is most likely still in the processor's cache.
  private var sleeping: [Worker] = []

  init(limit: Int, width: Int) {
    self.limit = max(1, limit)
    self.width = max(1, min(width, limit))
  }

  var isJobQueued: Bool { !queue.isEmpty }

  /// One thread works, no other does or waits, and no job is queued.
  var isOneAlone: Bool { working == 1 && threads - sleeping.count == 1 && queue.isEmpty }

  /// A job came.
  mutating func queued(_ job: Job) -> Action {
    queue.append(job)
    return helped()
  }

  /// A thread begins to wait in a system call.
  mutating func waits() -> Action {
    working -= 1
    return helped()
  }

  /// It waits no longer.
  mutating func waited() { working += 1 }

  private mutating func helped() -> Action {
    guard !queue.isEmpty, working < width else { return .nothing }
    if let worker = sleeping.popLast() {
      working += 1
      return .wake(worker)
    }
    guard threads < limit else { return .nothing }
    threads += 1
    working += 1
    return .start
  }

  /// A thread has nothing to do: its next job, or it sleeps.
  mutating func next(for worker: Worker) -> Job? {
    if let job = queue.removeFirst() { return job }
    working -= 1
    sleeping.append(worker)
    return nil
  }

  /// A thread could not be started. If jobs wait, a sleeping thread is woken for them: none was, while the new thread
  /// was expected. If none sleeps, a working thread takes them next. No other thread is started; that would most likely
  /// fail too.
  mutating func failedToStart() -> Action {
    threads -= 1
    working -= 1
    guard !queue.isEmpty, working < width, let worker = sleeping.popLast() else { return .nothing }
    working += 1
    return .wake(worker)
  }

  /// A job that the caller must do itself, since there is no thread at all.
  mutating func orphan() -> Job? { threads == 0 ? queue.removeFirst() : nil }

  /// A thread ends that sleeps.
  mutating func ends(where isWorker: (Worker) -> Bool) {
    sleeping.removeAll(where: isWorker)
    threads -= 1
  }
}

/// First in, first out. Appending and removing take constant time on average.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var first = 0

  var isEmpty: Bool { first == elements.count }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    elements[first] = nil
    first += 1
    if 2 * first >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}
