/// Wakes all waiters when something changes.
final class Notifier: Sendable {
  private let waiting = Locked<[ObjectIdentifier: Promise<Void>]>([:])

  /// Registers a waiter: the promise is resolved by the next ``notify()``. Call ``leave(_:)`` at the end.
  func listen() -> Promise<Void> {
    let answer = Promise<Void>()
    waiting.withLock { $0[ObjectIdentifier(answer)] = answer }
    return answer
  }

  /// Removes a waiter.
  func leave(_ answer: Promise<Void>) { waiting.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(answer)) } }

  /// Wakes all waiters.
  func notify() {
    let all = waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values.map { $0 }
    }
    for answer in all { answer.resolve(.success(())) }
  }
}
