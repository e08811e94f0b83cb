/// Wakes all who wait for news of something.
final class Notifier: Sendable {
  private let waiting = Locked<[ObjectIdentifier: Promise<Void>]>([:])

  /// Waits from now on: the answer comes with the next ring. To be told of by ``leave(_:)`` in the end.
  func listen() -> Promise<Void> {
    let answer = Promise<Void>()
    waiting.withLock { $0[ObjectIdentifier(answer)] = answer }
    return answer
  }

  /// Waits no longer.
  func leave(_ answer: Promise<Void>) { waiting.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(answer)) } }

  /// Wakes everyone.
  func notify() {
    let all = waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values.map { $0 }
    }
    for answer in all { answer.resolve(.success(())) }
  }
}
