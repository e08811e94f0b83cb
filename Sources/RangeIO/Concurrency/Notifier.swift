import Synchronization

/// Wakes all waiters when something changes.
package final class Notifier: Sendable {
  private let waiting = Locked<[ObjectIdentifier: Promise<Void>]>([:])
  private let mayBeHeard = Atomic<Bool>(false)

  package init() {}

  /// `true` while a waiter is registered.
  var isHeard: Bool { waiting.withLock { !$0.isEmpty } }

  /// Registers a waiter: the promise is resolved by the next ``notify()``. Call ``leave(_:)`` at the end.
  package func listen() -> Promise<Void> {
    let answer = Promise<Void>()
    waiting.withLock { waiting in
      waiting[ObjectIdentifier(answer)] = answer
      mayBeHeard.store(true, ordering: .sequentiallyConsistent)
    }
    // Whatever the caller looks at now, it looks at after that.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return answer
  }

  /// Removes a waiter.
  package func leave(_ answer: Promise<Void>) {
    waiting.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(answer)) }
  }

  /// Wakes all waiters. Nearly always there is none, which costs a load. A waiter registers and then looks at what it waits
  /// for; this is called after that has changed: one of the two sees the other.
  package func notify() {
    guard mayBeHeard.load(ordering: .sequentiallyConsistent) else { return }
    let all = waiting.withLock { waiting in
      mayBeHeard.store(false, ordering: .sequentiallyConsistent)
      defer { waiting = [:] }
      return waiting.values.map { $0 }
    }
    for answer in all { answer.resolve(.success(())) }
  }
}
