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
