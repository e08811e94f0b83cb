import Foundation
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct IOThreadsTests {
  /// A job that reports when it has begun, and then blocks its thread until it is let go.
  private final class Blocker: Sendable {
    let hasBegun = Promise<Void>()
    private let release = DispatchSemaphore(value: 0)
    func run() {
      hasBegun.resolve(.success(()))
      release.wait()
    }
    func letGo() { release.signal() }
  }

  /// Starts threads, and knows when they have ended.
  private final class NotedThreads: Sendable {
    private let started = AwaitedCount()
    private let ended = AwaitedCount()

    var start: IOThreads.Start {
      { body, context in
        self.started.add()
        // The thread's own from here on.
        nonisolated(unsafe) let context = context
        Thread.detachNewThread {
          body(context)
          self.ended.add()
        }
        return 0
      }
    }

    /// Waits for the end of all that were started.
    func end() async { await ended.reaches(started.now) }
  }

  @Test(arguments: [(1, 4), (16, 4), (64, 16), (256, 64), (260, 64), (4096, 64)])
  func `a few threads collect, and no machine has too many processors`(_ processors: Int, _ threads: Int) {
    #expect(IOThreads.collectors(processors: processors) == threads)
    #expect(IOThreads(limit: 64, atOnce: IOThreads.collectors(processors: processors)).threadCount == 0)
  }

  @Test func `a job that blocks does not block the one who submits it`() async throws {
    let threads = IOThreads(limit: 2)
    let blocker = Blocker()
    #expect(threads.threadCount == 0, "threads are started on demand")
    threads.submit(IOJob { blocker.run() })
    try await blocker.hasBegun.value()
    #expect(threads.threadCount == 1)
    blocker.letGo()
  }

  @Test func `urgent jobs go before others, each kind in the order submitted`() async throws {
    let threads = IOThreads(limit: 1)
    let (blocker, log, end) = (Blocker(), Noted<String>(), Promise<Void>())
    threads.submit(IOJob { blocker.run() })
    try await blocker.hasBegun.value()
    for name in ["p1", "p2"] { threads.submit(IOJob(isUrgent: false) { log.add(name) }) }
    for name in ["d1", "d2"] { threads.submit(IOJob { log.add(name) }) }
    threads.submit(IOJob(isUrgent: false) { end.resolve(.success(())) })
    threads.submit(IOJob { log.add("d3") })
    blocker.letGo()
    try await end.value()
    #expect(log.all == ["d1", "d2", "d3", "p1", "p2"])
  }

  @Test func `a job that is raised goes with the urgent ones, after those that came before`() async throws {
    let threads = IOThreads(limit: 1)
    let (blocker, log, end) = (Blocker(), Noted<String>(), Promise<Void>())
    threads.submit(IOJob { blocker.run() })
    try await blocker.hasBegun.value()
    let jobs = ["p1", "p2", "p3"].map { name in IOJob(isUrgent: false) { log.add(name) } }
    for job in jobs { threads.submit(job) }
    threads.submit(IOJob { log.add("d1") })
    threads.raise(jobs[1])
    threads.raise(jobs[1])
    threads.submit(IOJob { log.add("d2") })
    threads.submit(IOJob(isUrgent: false) { end.resolve(.success(())) })
    blocker.letGo()
    try await end.value()
    #expect(log.all == ["d1", "p2", "d2", "p1", "p3"])
    // What has run stays as it is.
    threads.raise(jobs[0])
  }

  @Test func `a job that was raised can be withdrawn`() async throws {
    let threads = IOThreads(limit: 1)
    let (blocker, log, end) = (Blocker(), Noted<String>(), Promise<Void>())
    threads.submit(IOJob { blocker.run() })
    try await blocker.hasBegun.value()
    let job = IOJob(isUrgent: false) { log.add("withdrawn") }
    threads.submit(job)
    threads.raise(job)
    #expect(threads.withdraw(job))
    threads.submit(IOJob { end.resolve(.success(())) })
    blocker.letGo()
    try await end.value()
    #expect(log.all == [])
  }

  @Test func `of nine jobs that are begun one is not urgent, so that none waits for ever`() async throws {
    let threads = IOThreads(limit: 1)
    let (blocker, log, end) = (Blocker(), Noted<Int>(), Promise<Void>())
    threads.submit(IOJob { blocker.run() })
    try await blocker.hasBegun.value()
    for number in 0..<3 { threads.submit(IOJob(isUrgent: false) { log.add(-number - 1) }) }
    for number in 0..<20 { threads.submit(IOJob { log.add(number) }) }
    threads.submit(IOJob(isUrgent: false) { end.resolve(.success(())) })
    blocker.letGo()
    try await end.value()
    var expected = Array(0..<20)
    expected.insert(-1, at: 8)
    expected.insert(-2, at: 17)
    expected.append(-3)
    #expect(log.all == expected)
  }

  @Test(arguments: [true, false])
  func `a job withdrawn from the start, middle or end of the queue does not run, and the rest do`(
    isUrgent: Bool
  ) async throws {
    let choices: [[Int]] = [[0], [2], [4], [0, 1], [1, 3], [3, 4], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], []]
    for withdrawn in choices {
      let threads = IOThreads(limit: 1)
      let (blocker, log, end) = (Blocker(), Noted<String>(), Promise<Void>())
      threads.submit(IOJob { blocker.run() })
      try await blocker.hasBegun.value()
      let jobs = (0..<5).map { index in IOJob(isUrgent: isUrgent) { log.add("\(index)") } }
      for job in jobs { threads.submit(job) }
      for index in withdrawn { #expect(threads.withdraw(jobs[index])) }
      for index in withdrawn { #expect(!threads.withdraw(jobs[index]), "it is withdrawn once") }
      threads.submit(IOJob(isUrgent: false) { end.resolve(.success(())) })
      blocker.letGo()
      try await end.value()
      #expect(log.all == (0..<5).filter { !withdrawn.contains($0) }.map(String.init))
    }
  }

  @Test func `a job that has begun or ended cannot be withdrawn`() async throws {
    let threads = IOThreads(limit: 1)
    let blocker = Blocker()
    let running = IOJob { blocker.run() }
    threads.submit(running)
    try await blocker.hasBegun.value()
    #expect(!threads.withdraw(running))
    let end = Promise<Void>()
    threads.submit(IOJob { end.resolve(.success(())) })
    blocker.letGo()
    try await end.value()
    #expect(!threads.withdraw(running))
    #expect(!threads.withdraw(IOJob {}), "nor one that was never submitted")
  }

  @Test func `no more threads than the bound, all of them used`() async throws {
    let threads = IOThreads(limit: 3)
    let blockers = (0..<12).map { _ in Blocker() }
    for blocker in blockers { threads.submit(IOJob { blocker.run() }) }
    for blocker in blockers[..<3] { try await blocker.hasBegun.value() }
    #expect(threads.threadCount == 3)
    #expect(blockers.filter(\.hasBegun.isAnswered).count == 3)
    for (index, blocker) in blockers.enumerated() {
      if index >= 3 { try await blocker.hasBegun.value() }
      #expect(blockers.filter(\.hasBegun.isAnswered).count <= index + 3)
      blocker.letGo()
    }
    #expect(threads.threadCount <= 3)
  }

  @Test func `jobs that wait behind others which hang get threads of their own`() async throws {
    let threads = IOThreads(limit: 8, atOnce: 2)
    for _ in 0..<3 {
      let blockers = (0..<8).map { _ in Blocker() }
      for blocker in blockers { threads.submit(IOJob { blocker.run() }) }
      for blocker in blockers { try await blocker.hasBegun.value() }
      #expect(threads.threadCount == 8)
      for blocker in blockers { blocker.letGo() }
    }
  }

  @Test func `a few threads do many jobs, and end when they are idle`() async throws {
    let noted = NotedThreads()
    let threads = IOThreads(limit: 64, atOnce: 2, idle: .milliseconds(1), start: noted.start)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          for _ in 0..<200 {
            let done = Promise<Void>()
            threads.submit(IOJob { done.resolve(.success(())) })
            // `try?`: no task is cancelled here.
            try? await done.value()
            #expect(done.isAnswered)
          }
        }
      }
    }
    await noted.end()
    #expect(threads.threadCount == 0)
  }

  @Test func `a sleeping thread is used again rather than a new one started`() async throws {
    let threads = IOThreads(limit: 200, idle: .seconds(3600))
    for _ in 0..<200 {
      let done = Promise<Void>()
      threads.submit(IOJob { done.resolve(.success(())) })
      try await done.value()
    }
    // A job may come before the thread that did the last one has fallen asleep, so more than one may exist.
    #expect(threads.threadCount < 100)
  }

  @Test func `idle threads end, and later jobs run all the same`() async throws {
    let noted = NotedThreads()
    let threads = IOThreads(limit: 4, idle: .milliseconds(1), start: noted.start)
    for _ in 0..<20 {
      let blockers = (0..<4).map { _ in Blocker() }
      for blocker in blockers { threads.submit(IOJob { blocker.run() }) }
      for blocker in blockers { try await blocker.hasBegun.value() }
      for blocker in blockers { blocker.letGo() }
      await noted.end()
      #expect(threads.threadCount == 0)
    }
  }

  @Test func `a pool that is dropped ends with its threads`() async throws {
    let noted = NotedThreads()
    weak var dropped: IOThreads?
    do {
      let threads = IOThreads(limit: 2, idle: .milliseconds(1), start: noted.start)
      dropped = threads
      let done = Promise<Void>()
      threads.submit(IOJob { done.resolve(.success(())) })
      try await done.value()
    }
    await noted.end()
    #expect(dropped == nil)
  }

  @Test func `jobs that race the end of idle threads are all done`() async throws {
    let noted = NotedThreads()
    let threads = IOThreads(limit: 3, idle: .nanoseconds(1000), start: noted.start)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 {
            let done = Promise<Void>()
            threads.submit(IOJob { done.resolve(.success(())) })
            try? await done.value()
            #expect(done.isAnswered)
          }
        }
      }
    }
    await noted.end()
    #expect(threads.threadCount == 0)
  }

  @Test func `without any thread to be had the caller does every job itself`() {
    let threads = IOThreads(limit: 1) { _, _ in -11 }
    let done = Noted<String>()
    for index in 0..<10 { threads.submit(IOJob { done.add("\(index)") }) }
    #expect(done.all == (0..<10).map(String.init))
    #expect(threads.threadCount == 0)
  }

  /// Lets `meanwhile` happen while a thread is being started, which then fails.
  private final class FailingStart: Sendable {
    private let meanwhile = Locked<[@Sendable () -> Void]>([])
    func schedule(_ action: @escaping @Sendable () -> Void) { meanwhile.withLock { $0.append(action) } }
    func start() -> CInt {
      meanwhile.withLock { $0.popLast() }?()
      return -11
    }
  }

  @Test func `jobs that were queued while the only thread failed to start are done too`() {
    let (done, failing) = (Noted<String>(), FailingStart())
    let threads = IOThreads(limit: 1) { _, _ in failing.start() }
    failing.schedule { [unowned threads] in
      for name in ["second", "third"] { threads.submit(IOJob { done.add(name) }) }
    }
    threads.submit(IOJob { done.add("first") })
    #expect(done.all == ["first", "second", "third"])
    #expect(threads.threadCount == 0)
  }
}
