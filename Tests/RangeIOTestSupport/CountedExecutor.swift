import Dispatch

@testable import RangeIO

/// Runs what prefers it on Dispatch's threads, and knows when none of it can go on: for tests of many threads that look,
/// in the end, at what the background has done.
final class CountedExecutor: TaskExecutor {
  private struct State {
    var jobs = 0
    var waiting: [Promise<Void>] = []
  }
  private let state = Locked(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs += 1 }
    DispatchQueue.global().async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      self.end()
    }
  }

  private func end() {
    let waiting = state.withLock { state -> [Promise<Void>] in
      state.jobs -= 1
      guard state.jobs == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for answer in waiting { answer.resolve(.success(())) }
  }

  /// Returns once nothing runs here or is about to. What nobody wakes from elsewhere has ended then.
  func quiet() async throws {
    let answer = state.withLock { state -> Promise<Void>? in
      guard state.jobs > 0 else { return nil }
      let answer = Promise<Void>()
      state.waiting.append(answer)
      return answer
    }
    try await answer?.value()
  }
}
