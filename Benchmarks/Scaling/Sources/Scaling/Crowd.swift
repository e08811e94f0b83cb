import Foundation
import RangeIO

/// Who reads at once.
enum Crowd: Hashable, Sendable, CustomStringConvertible {
  /// Tasks on Swift's own threads.
  case tasks(Int)
  /// Tasks each of which has a thread of its own.
  case threads(Int)

  var count: Int {
    switch self {
    case .tasks(let count), .threads(let count): count
    }
  }

  var description: String {
    switch self {
    case .tasks(let count): count == 1 ? "1 task" : "\(count) tasks"
    case .threads(let count): "\(count) threads"
    }
  }

  /// How much all of them together read, of what each does for `seconds`, and in what time.
  @concurrent func run(_ lanes: [Lane], seconds: Double, seed: Int) async throws -> (total: Int, seconds: Double) {
    var threads: [OwnThread] = []
    if case .threads(let count) = self { threads = (0..<count).map { _ in OwnThread() } }
    defer { for thread in threads { thread.end() } }
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .seconds(seconds)
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, lane) in lanes.enumerated() {
        group.addTask(executorPreference: threads.isEmpty ? nil : threads[index]) {
          var walk = Walk(lane: index, of: lanes.count, seed: seed)
          var total = 0
          while clock.now < end {
            let done = try await lane(&walk)
            total += done
            if done == 0 { break }
          }
          return total
        }
      }
      return try await group.reduce(0, +)
    }
    return (total, (clock.now - start) / .seconds(1))
  }
}

/// Runs the tasks that prefer it, on one thread.
final class OwnThread: TaskExecutor, @unchecked Sendable {
  // Unchecked: what follows is accessed under the condition's lock only.
  private let changed = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isOver = false

  init() {
    let thread = Thread { [self] in run() }
    thread.stackSize = 1 << 20
    thread.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    changed.withLock {
      jobs.append(job)
      changed.signal()
    }
  }

  /// Ends the thread, once it has nothing to do.
  func end() {
    changed.withLock {
      isOver = true
      changed.signal()
    }
  }

  private func run() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob? {
    changed.withLock {
      while jobs.isEmpty && !isOver { changed.wait() }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}
