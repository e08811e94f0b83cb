import Synchronization

/// All waiters for answers, so that closing can answer them all at once.
package final class WaiterRegistry: Sendable {
  private struct State {
    var waiting: [ObjectIdentifier: (number: Int, one: any Failable)] = [:]
    var closedWith: (any Error)?
  }
  /// Several stripes, so that the many reads of one file do not contend for one lock.
  private final class Stripe: Sendable {
    let state = Locked(State())
  }
  /// Numbers the waiters, so that they can be answered in order of arrival.
  private let arrivals = Atomic<Int>(0)
  private let stripes = (0..<8).map { _ in Stripe() }

  package init() {}

  /// The number of waiters.
  package var count: Int { stripes.reduce(0) { $0 + $1.state.withLock { $0.waiting.count } } }

  private func stripe(of one: ObjectIdentifier) -> Stripe {
    // Objects lie at least 16 bytes apart.
    stripes[Int(bitPattern: one) >> 5 & 7]
  }

  /// Waits for `answer`. Fails with the error of ``failAll(_:)`` if that comes first.
  package func wait<Value>(for answer: Promise<Value>) async throws -> Value {
    add(answer)
    defer { remove(answer) }
    return try await answer.value()
  }

  /// Registers `one`, to fail with the others; it fails at once if that has already happened.
  package func add(_ one: any Failable) {
    let key = ObjectIdentifier(one)
    let number = arrivals.wrappingAdd(1, ordering: .relaxed).newValue
    let closedWith = stripe(of: key).state.withLock { state -> (any Error)? in
      if state.closedWith == nil { state.waiting[key] = (number, one) }
      return state.closedWith
    }
    if let closedWith { one.fail(closedWith) }
  }

  /// Removes `one`.
  package func remove(_ one: any Failable) {
    let key = ObjectIdentifier(one)
    stripe(of: key).state.withLock { _ = $0.waiting.removeValue(forKey: key) }
  }

  /// Fails all present waiters with `error`, in order of arrival, and all later ones.
  package func failAll(_ error: any Error) {
    var all: [(number: Int, one: any Failable)] = []
    for stripe in stripes {
      all += stripe.state.withLock { state in
        state.closedWith = error
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
      }
    }
    for (_, one) in all.sorted(by: { $0.number < $1.number }) { one.fail(error) }
  }
}

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
