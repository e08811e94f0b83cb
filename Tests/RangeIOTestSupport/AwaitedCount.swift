@testable import RangeIO

/// A count that a test waits for: those who wait are woken by the change that reaches what they wait for.
final class AwaitedCount: Sendable {
  private struct State {
    var count = 0
    var waiting: [(count: Int, answer: Promise<Void>)] = []
  }
  private let state = Locked(State())

  var now: Int { state.withLock { $0.count } }

  func add(_ count: Int = 1) {
    let reached = state.withLock { state in
      state.count += count
      let reached = state.waiting.filter { $0.count <= state.count }.map(\.answer)
      state.waiting.removeAll { $0.count <= state.count }
      return reached
    }
    for answer in reached { answer.resolve(.success(())) }
  }

  /// Waits until it is `count` or more, unless the task is cancelled.
  func reaches(_ count: Int) async {
    let answer = state.withLock { state -> Promise<Void>? in
      guard state.count < count else { return nil }
      let answer = Promise<Void>()
      state.waiting.append((count, answer))
      return answer
    }
    // Only cancellation fails it.
    try? await answer?.value()
  }
}
