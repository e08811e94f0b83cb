import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Every decision of a pool, without threads: these are numbers here.
@Suite struct JobPlanTests {
  private func job(isUrgent: Bool = true) -> IOJob { IOJob(isUrgent: isUrgent) {} }

  private func job(_ next: JobPlan<Int>.Next) -> IOJob? {
    if case .job(let job) = next { job } else { nil }
  }

  /// What a decision is, and for whom.
  private func text(_ submission: JobPlan<Int>.Submission) -> String {
    switch submission {
    case .hand(let worker, _): "hand \(worker)"
    case .start: "start"
    case .watch(let worker): "watch \(worker)"
    case .startWatching: "start watching"
    case .wait: "wait"
    }
  }

  @Test func `each of the first threads gets a job at once, and then one more thread watches the queue`() {
    var plan = JobPlan<Int>(limit: 4, atOnce: 2)
    let jobs = (0..<5).map { _ in job() }
    #expect(text(plan.submitted(jobs[0])) == "start")
    #expect(text(plan.submitted(jobs[1])) == "start")
    #expect(job(plan.next(for: 0)) === jobs[0] && job(plan.next(for: 1)) === jobs[1])
    #expect(text(plan.submitted(jobs[2])) == "start watching")
    #expect(text(plan.submitted(jobs[3])) == "wait")
    #expect(plan.threads == 3)
    // The first two do it all.
    #expect(job(plan.next(for: 0)) === jobs[2])
    guard case .again = plan.looked(9) else { return #expect(Bool(false), "it was queued and left") }
    #expect(job(plan.next(for: 1)) === jobs[3])
    #expect(job(plan.next(for: 0)) == nil && job(plan.next(for: 1)) == nil)
    guard case .sleep = plan.looked(9) else { return #expect(Bool(false), "there was nothing") }
    // The last to fall asleep is the first to be woken.
    #expect(text(plan.submitted(jobs[4])) == "hand 9")
  }

  @Test func `a queue that stands still for the length of a look gets all threads`() {
    var plan = JobPlan<Int>(limit: 6, atOnce: 1)
    let jobs = (0..<9).map { _ in job() }
    _ = plan.submitted(jobs[0])
    #expect(job(plan.next(for: 0)) === jobs[0])
    // Two that sleep, as after earlier help.
    #expect(text(plan.submitted(jobs[1])) == "start watching")
    guard case .help(let first, let helpers, let starts) = plan.looked(1) else { return #expect(Bool(false)) }
    #expect(first === jobs[1] && helpers.isEmpty && starts == 0)
    #expect(job(plan.next(for: 1)) == nil)
    #expect(text(plan.submitted(jobs[2])) == "watch 1")
    for job in jobs[3...] { #expect(text(plan.submitted(job)) == "wait") }
    guard case .help(let second, let more, let others) = plan.looked(1) else { return #expect(Bool(false)) }
    #expect(second === jobs[2] && more.isEmpty && others == 4)
    #expect(plan.threads == 6)
    for (number, job) in jobs[3..<7].enumerated() { #expect(self.job(plan.next(for: number + 2)) === job) }
    // No thread is left to watch what comes now.
    #expect(text(plan.submitted(job())) == "wait")
  }

  @Test func `as long as jobs leave the queue it gets no help, however many wait`() {
    var plan = JobPlan<Int>(limit: 64, atOnce: 1)
    _ = plan.submitted(job())
    _ = job(plan.next(for: 0))
    for _ in 0..<100 { _ = plan.submitted(job()) }
    for _ in 0..<99 {
      #expect(job(plan.next(for: 0)) != nil)
      guard case .again = plan.looked(1) else { return #expect(Bool(false)) }
    }
    // That one is withdrawn says nothing about the threads: who cancels often must not delay others.
    let last = job()
    _ = plan.submitted(last)
    #expect(plan.withdrew(last) && !plan.withdrew(last))
    guard case .help = plan.looked(1) else { return #expect(Bool(false)) }
  }

  @Test func `after help a queue that moves goes back to a few threads`() {
    var plan = JobPlan<Int>(limit: 8, atOnce: 2)
    for worker in 0..<2 {
      _ = plan.submitted(job())
      #expect(job(plan.next(for: worker)) != nil)
    }
    for _ in 0..<4 { _ = plan.submitted(job()) }
    guard case .help(_, _, let starts) = plan.looked(2) else { return #expect(Bool(false)) }
    #expect(starts == 3)
    for worker in 3..<6 { #expect(job(plan.next(for: worker)) != nil) }
    // Six are busy, and more jobs come than those do.
    for _ in 0..<20 { _ = plan.submitted(job()) }
    guard case .sleep = plan.next(for: 5), case .sleep = plan.next(for: 4), case .sleep = plan.next(for: 3) else {
      return #expect(Bool(false), "the one that was started watches")
    }
    guard case .sleep = plan.next(for: 2) else { return #expect(Bool(false)) }
    for worker in [0, 1, 0, 1] { #expect(job(plan.next(for: worker)) != nil) }
  }

  @Test func `another thread gets a job when enough wait for each that is busy`() {
    var plan = JobPlan<Int>(limit: 8, atOnce: 3, waitingForEach: 2)
    #expect(text(plan.submitted(job())) == "start")
    #expect(job(plan.next(for: 0)) != nil)
    // One watches those that wait.
    let texts = (0..<8).map { _ in text(plan.submitted(job())) }
    #expect(texts == ["start watching", "wait", "start", "wait", "start", "wait", "wait", "wait"])
    #expect(plan.threads == 4)
    for worker in [1, 2, 0, 1, 2, 0, 1, 2] { #expect(job(plan.next(for: worker)) != nil) }
    for worker in 0...2 { #expect(job(plan.next(for: worker)) == nil) }
    // The first job of all goes to one that sleeps, the next ones wait for that one.
    #expect(text(plan.submitted(job())) == "hand 2")
    let waiting = job(isUrgent: false)
    #expect(text(plan.submitted(waiting)) == "wait")
    let urgent = job()
    #expect(text(plan.submitted(urgent)) == "wait")
    // It does not matter which job is the last to come.
    guard case .hand(1, let handed) = plan.submitted(job(isUrgent: false)) else { return #expect(Bool(false)) }
    #expect(handed === urgent && job(plan.next(for: 2)) === waiting)
  }

  @Test func `after the queue stood still, jobs get a thread at once for a while`() {
    var plan = JobPlan<Int>(limit: 4, atOnce: 4, waitingForEach: 100)
    #expect(text(plan.submitted(job())) == "start")
    #expect(job(plan.next(for: 0)) != nil)
    #expect(text(plan.submitted(job())) == "start watching")
    guard case .help(_, let helpers, let starts) = plan.looked(1) else { return #expect(Bool(false)) }
    #expect(helpers.isEmpty && starts == 0)
    // Two are busy: without the help before, a hundred jobs would wait for each.
    #expect(text(plan.submitted(job())) == "start")
    #expect(job(plan.next(for: 2)) != nil && job(plan.next(for: 2)) == nil)
    for _ in 0..<999 {
      #expect(text(plan.submitted(job())) == "hand 2")
      #expect(job(plan.next(for: 2)) == nil)
    }
    #expect(text(plan.submitted(job())) == "watch 2")
  }

  @Test func `where all threads may be busy at once, none watches`() {
    var plan = JobPlan<Int>(limit: 2, atOnce: 2)
    #expect(text(plan.submitted(job())) == "start" && text(plan.submitted(job())) == "start")
    _ = (job(plan.next(for: 0)), job(plan.next(for: 1)))
    #expect(text(plan.submitted(job())) == "wait" && plan.threads == 2)
  }

  @Test func `a thread that cannot be started to watch leaves the work to the others`() {
    var plan = JobPlan<Int>(limit: 2, atOnce: 1)
    _ = plan.submitted(job())
    _ = job(plan.next(for: 0))
    #expect(text(plan.submitted(job())) == "start watching")
    plan.failedToStart(watching: true)
    #expect(plan.threads == 1)
    #expect(text(plan.submitted(job())) == "start watching")
  }

  /// Threads and callers in any order: each job is done once, and none is left behind.
  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `in any order of events every job is done, by no more threads than allowed`(_ seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    let limit = Int.random(in: 1...6, using: &numbers)
    let atOnce = Int.random(in: 1...limit, using: &numbers)
    var plan = JobPlan<Int>(limit: limit, atOnce: atOnce, waitingForEach: .random(in: 0...3, using: &numbers))
    var waiting: [ObjectIdentifier: IOJob] = [:]
    var busy: [Int: IOJob] = [:]
    var starting: [Bool] = []
    var (watching, sleeping): (Int?, Set<Int>) = (nil, [])
    var (newest, looksWithoutProgress) = (0, 0)

    func begin(_ job: IOJob, _ worker: Int) {
      #expect(waiting.removeValue(forKey: ObjectIdentifier(job)) != nil, "seed \(seed): a job is done once")
      #expect(busy[worker] == nil)
      busy[worker] = job
      looksWithoutProgress = 0
    }
    func takeNext(_ worker: Int) {
      switch plan.next(for: worker) {
      case .job(let job): begin(job, worker)
      case .sleep: sleeping.insert(worker)
      case .watch:
        #expect(watching == nil)
        watching = worker
      }
    }
    func submit() {
      let new = job(isUrgent: .random(using: &numbers))
      waiting[ObjectIdentifier(new)] = new
      switch plan.submitted(new) {
      case .hand(let worker, let job):
        #expect(sleeping.remove(worker) != nil)
        begin(job, worker)
      case .start: starting.append(false)
      case .startWatching: starting.append(true)
      case .watch(let worker):
        #expect(sleeping.remove(worker) != nil && watching == nil)
        watching = worker
      case .wait: break
      }
    }
    func look(_ worker: Int) {
      looksWithoutProgress += 1
      switch plan.looked(worker) {
      case .again: break
      case .sleep:
        watching = nil
        sleeping.insert(worker)
      case .help(let job, let helpers, let starts):
        watching = nil
        begin(job, worker)
        for (helper, job) in helpers {
          #expect(sleeping.remove(helper) != nil)
          begin(job, helper)
        }
        starting += [Bool](repeating: false, count: starts)
      }
      #expect(looksWithoutProgress < 3 || waiting.isEmpty, "seed \(seed): jobs stand still")
    }
    func step(mayAdd: Bool) {
      switch Int.random(in: 0..<8, using: &numbers) {
      case 0...2 where mayAdd: submit()
      case 3 where !starting.isEmpty:
        let watches = starting.removeFirst()
        newest += 1
        if watches { watching = newest } else { takeNext(newest) }
      case 4, 5:
        if let worker = busy.keys.min() {
          busy[worker] = nil
          takeNext(worker)
        }
      case 6: if let worker = watching { look(worker) }
      case 7 where mayAdd:
        if let (_, job) = waiting.first {
          if plan.withdrew(job) {
            waiting[ObjectIdentifier(job)] = nil
          } else {
            plan.raised(job)
          }
        }
        if let worker = sleeping.min(), plan.mayEnd({ $0 == worker }) { sleeping.remove(worker) }
      default: break
      }
      #expect(
        plan.threads <= limit
          && busy.count + sleeping.count + starting.count + (watching == nil ? 0 : 1) == plan.threads)
    }
    for _ in 0..<400 { step(mayAdd: true) }
    var steps = 0
    while !waiting.isEmpty || !busy.isEmpty, steps < 10_000 {
      step(mayAdd: false)
      steps += 1
    }
    #expect(waiting.isEmpty && busy.isEmpty, "seed \(seed): \(waiting.count) jobs are left")
  }
}
