import CRangeIOSystem
import Foundation

@testable import RangeIO

/// The executor of an actor with a thread of its own. It counts what is done on that thread from one suspension of the
/// actor's code to the next.
final class OwnThread: SerialExecutor, @unchecked Sendable {
  /// What was done in one go.
  struct Work {
    var calls = 0
    var bytes = 0
    /// How long the thread worked. Of work that waited for something, how long it took.
    var time = Duration.zero

    fileprivate func most(_ other: Work) -> Work {
      Work(calls: max(calls, other.calls), bytes: max(bytes, other.bytes), time: max(time, other.time))
    }
  }

  // Unchecked: `number`, `now` and `most` belong to the thread, the rest is guarded by the condition.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isOver = false
  private var number: UInt32 = 0
  private var now = Work()
  private var most = Work()

  /// Starts the thread. It ends with ``end()``.
  init() {
    Thread.detachNewThread { [self] in
      number = rio_thread_number()
      while let job = next() {
        now = Work()
        let stopwatch = Stopwatch()
        job.runSynchronously(on: asUnownedSerialExecutor())
        now.time = stopwatch.elapsed
        most = most.most(now)
      }
    }
  }

  private func next() -> UnownedJob? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty, !isOver { condition.wait() }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    condition.signal()
    condition.unlock()
  }

  func end() {
    condition.lock()
    isOver = true
    condition.signal()
    condition.unlock()
  }

  /// Counts a call that has brought `count` bytes, if it was made on the thread.
  func note(_ count: Int) {
    guard number != 0, rio_thread_number() == number else { return }
    now.calls += 1
    now.bytes += max(0, count)
  }

  /// The most calls, and the most bytes, in one go since the last time this was called. Call it on the thread.
  func takeMost() -> Work {
    defer { (now, most) = (Work(), Work()) }
    return most.most(now)
  }
}

/// Measures work on one thread. Other threads that the system runs meanwhile do not count, unless the work waited.
private struct Stopwatch {
  private let began = ContinuousClock.now
  private let usage = Self.usage

  var elapsed: Duration {
    let now = Self.usage
    // A thread that waits gives its processor up by itself.
    return now.ru_nvcsw == usage.ru_nvcsw ? Self.worked(now) - Self.worked(usage) : began.duration(to: .now)
  }

  private static var usage: rusage {
    var usage = rusage()
    #if os(Linux)
      let thisThread: Int32 = 1
      getrusage(thisThread, &usage)
    #endif
    return usage
  }

  private static func worked(_ usage: rusage) -> Duration {
    [usage.ru_utime, usage.ru_stime].reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
  }
}

/// An actor that runs on a thread of its own.
actor OwnActor {
  nonisolated let thread = OwnThread()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Does `work` on the actor.
  ///
  /// - Returns: the most that was done on its thread in one go.
  func run(_ work: @Sendable (isolated OwnActor) async throws -> Void) async throws -> OwnThread.Work {
    _ = thread.takeMost()
    try await work(self)
    return thread.takeMost()
  }
}
