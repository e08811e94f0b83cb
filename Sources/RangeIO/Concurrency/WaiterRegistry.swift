import Synchronization

/// Everybody who waits for an answer, so that closing can answer them all at once.
package final class WaiterRegistry: Sendable {
  private struct State {
    var waiting: [ObjectIdentifier: (number: Int, one: any Failable)] = [:]
    var closedWith: (any Error)?
  }
  /// Several, so that the many reads of one file do not queue for one lock.
  private final class Stripe: Sendable {
    let state = Locked(State())
  }
  /// Counts those who came, so that they can be answered in that order.
  private let arrivals = Atomic<Int>(0)
  private let stripes = (0..<8).map { _ in Stripe() }

  package init() {}

  /// Those who wait.
  package var count: Int { stripes.reduce(0) { $0 + $1.state.withLock { $0.waiting.count } } }

  private func stripe(of one: ObjectIdentifier) -> Stripe {
    // Objects lie 16 bytes apart at least.
    stripes[Int(bitPattern: one) >> 5 & 7]
  }

  /// Waits for `answer`, which fails with the error of ``failAll(_:)`` if that comes first.
  package func wait<Value>(for answer: Promise<Value>) async throws -> Value {
    add(answer)
    defer { remove(answer) }
    return try await answer.value()
  }

  /// Enters `one`, to be failed with the others; at once if that has happened already.
  package func add(_ one: any Failable) {
    let key = ObjectIdentifier(one)
    let number = arrivals.wrappingAdd(1, ordering: .relaxed).newValue
    let closedWith = stripe(of: key).state.withLock { state -> (any Error)? in
      if state.closedWith == nil { state.waiting[key] = (number, one) }
      return state.closedWith
    }
    if let closedWith { one.fail(closedWith) }
  }

  /// Takes `one` off the list.
  package func remove(_ one: any Failable) {
    let key = ObjectIdentifier(one)
    stripe(of: key).state.withLock { _ = $0.waiting.removeValue(forKey: key) }
  }

  /// Answers everyone who waits, in the order they came, and everyone who comes later, with `error`.
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
