import Testing

@testable import RangeIOExecutor

struct ThreadPlanTests {
  private typealias Plan = ThreadPlan<Int, String>

  /// A text for an action, for comparisons.
  private func name(_ action: Plan.Action) -> String {
    switch action {
    case .nothing: "nothing"
    case .wake(let worker): "wake \(worker)"
    case .start: "start"
    }
  }

  @Test func `so many threads work at a time as it is wide`() {
    var plan = Plan(limit: 8, width: 2)
    #expect((0..<4).map { name(plan.queued($0)) } == ["start", "start", "nothing", "nothing"])
    #expect(plan.threads == 2 && plan.working == 2)
    // They do what is queued, in order.
    #expect([plan.next(for: "a"), plan.next(for: "b"), plan.next(for: "a"), plan.next(for: "b")] == [0, 1, 2, 3])
    #expect(plan.next(for: "a") == nil && plan.next(for: "b") == nil)
    #expect(plan.threads == 2 && plan.working == 0)
  }

  @Test func `the thread that slept last is woken first, before another is started`() {
    var plan = Plan(limit: 8, width: 3)
    for job in 0..<2 { _ = plan.queued(job) }
    #expect(plan.next(for: "a") == 0 && plan.next(for: "b") == 1)
    #expect(plan.next(for: "a") == nil && plan.next(for: "b") == nil)
    #expect(name(plan.queued(2)) == "wake b" && name(plan.queued(3)) == "wake a" && name(plan.queued(4)) == "start")
  }

  @Test func `while a thread waits another takes what is queued, up to the limit`() {
    var plan = Plan(limit: 3, width: 1)
    for job in 0..<5 { _ = plan.queued(job) }
    #expect(plan.next(for: "a") == 0)
    #expect(name(plan.waits()) == "start" && plan.next(for: "b") == 1)
    #expect(name(plan.waits()) == "start" && plan.next(for: "c") == 2)
    // All threads there may be: the rest is queued.
    #expect(name(plan.waits()) == "nothing" && plan.threads == 3 && plan.working == 0 && plan.isJobQueued)
    // Those that come back are more than the width. That starts nothing new.
    plan.waited()
    plan.waited()
    #expect(name(plan.queued(5)) == "nothing")
    #expect(plan.next(for: "a") == 3 && plan.next(for: "b") == 4 && plan.next(for: "a") == 5)
  }

  @Test func `one is alone if no other thread works or waits, and nothing is queued`() {
    var plan = Plan(limit: 8, width: 2)
    #expect(!plan.isOneAlone)
    _ = plan.queued(0)
    #expect(!plan.isOneAlone && plan.next(for: "a") == 0 && plan.isOneAlone)
    _ = plan.queued(1)
    #expect(!plan.isOneAlone && plan.next(for: "b") == 1 && !plan.isOneAlone)
    // The other waits, and then it sleeps.
    _ = plan.waits()
    #expect(!plan.isOneAlone)
    plan.waited()
    #expect(plan.next(for: "b") == nil && plan.isOneAlone)
  }

  @Test func `no thread is woken while nothing is queued`() {
    var plan = Plan(limit: 8, width: 1)
    _ = plan.queued(0)
    #expect(plan.next(for: "a") == 0)
    #expect(name(plan.waits()) == "nothing" && plan.threads == 1)
    // A job that comes during the wait gets a thread.
    #expect(name(plan.queued(1)) == "start")
  }

  @Test func `a thread that was woken and found nothing sleeps again`() {
    var plan = Plan(limit: 8, width: 2)
    _ = plan.queued(0)
    #expect(plan.next(for: "a") == 0 && plan.next(for: "a") == nil)
    #expect(name(plan.queued(1)) == "wake a" && name(plan.queued(2)) == "start")
    #expect(plan.next(for: "b") == 1 && plan.next(for: "b") == 2 && plan.next(for: "a") == nil)
    #expect(plan.working == 1)
  }

  @Test func `a thread ends that has slept long, and is not woken any more`() {
    var plan = Plan(limit: 8, width: 2)
    for job in 0..<2 { _ = plan.queued(job) }
    #expect(plan.next(for: "a") == 0 && plan.next(for: "b") == 1)
    #expect(plan.next(for: "a") == nil && plan.next(for: "b") == nil)
    plan.ends { $0 == "b" }
    #expect(plan.threads == 1)
    #expect(name(plan.queued(2)) == "wake a" && name(plan.queued(3)) == "start")
  }

  @Test func `without any thread the caller gets the jobs, else threads do`() {
    var plan = Plan(limit: 8, width: 2)
    #expect(name(plan.queued(0)) == "start" && name(plan.queued(1)) == "start")
    #expect(name(plan.failedToStart()) == "nothing" && plan.threads == 1 && plan.orphan() == nil)
    #expect(name(plan.failedToStart()) == "nothing" && plan.orphan() == 0 && plan.orphan() == 1 && plan.orphan() == nil)
    #expect(plan.threads == 0 && plan.working == 0)
    #expect(name(plan.queued(2)) == "start" && plan.next(for: "a") == 2)
  }

  @Test func `what came while a thread was to start that could not is done by one that fell asleep`() {
    var plan = Plan(limit: 8, width: 1)
    #expect(name(plan.queued(0)) == "start" && plan.next(for: "a") == 0)
    #expect(name(plan.waits()) == "nothing" && name(plan.queued(1)) == "start")
    plan.waited()
    #expect(plan.next(for: "a") == 1 && plan.next(for: "a") == nil)
    #expect(name(plan.queued(2)) == "nothing")
    #expect(name(plan.failedToStart()) == "wake a")
    #expect(plan.next(for: "a") == 2 && plan.next(for: "a") == nil && plan.working == 0 && plan.threads == 1)
  }

  @Test func `limits below one are one, and no more threads work than there may be`() {
    #expect(Plan(limit: -5, width: 0).limit == 1 && Plan(limit: -5, width: 9).width == 1)
    #expect(Plan(limit: 2, width: 9).width == 2)
  }

  @Test func `a queue gives what it got, in that order, however the two alternate`() {
    var queue = Queue<Int>()
    var (put, got) = (0, 0)
    for round in 0..<2000 {
      for _ in 0..<(round * 7) % 5 {
        queue.append(put)
        put += 1
      }
      for _ in 0..<(round * 11) % 5 {
        guard let element = queue.removeFirst() else {
          #expect(got == put && queue.isEmpty)
          break
        }
        #expect(element == got)
        got += 1
      }
    }
    while let element = queue.removeFirst() {
      #expect(element == got)
      got += 1
    }
    #expect(got == put && queue.isEmpty)
  }
}
