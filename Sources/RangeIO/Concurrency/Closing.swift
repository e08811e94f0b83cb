/// A close in progress. Any number of callers can wait for it.
final class Closing: Sendable {
  /// `nil` once it has finished.
  private let waiters = Locked<[Promise<Void>]?>([])

  func finish() {
    let waiting = waiters.withLock { $0.take() }
    for waiter in waiting ?? [] { waiter.resolve(.success(())) }
  }

  /// Returns when closing has finished, or at once in a cancelled task.
  func wait() async {
    let answer = Promise<Void>()
    guard waiters.withLock({ $0?.append(answer) }) != nil else { return }
    // `try?`: the only possible error is cancellation. It ends this wait, not the closing.
    try? await answer.value()
  }
}
