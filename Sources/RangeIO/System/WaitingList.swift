import Synchronization

/// Everybody who waits for an answer, so that closing can answer them all at once.
package final class WaitingList: Sendable {
  private struct State {
    var waiting: [ObjectIdentifier: any Failable] = [:]
    var closedWith: (any Error)?
  }
  private let state = Mutex(State())

  package init() {}

  /// Those who wait.
  package var count: Int { state.withLock { $0.waiting.count } }

  /// Waits for `answer`, which fails with the error of ``failAll(_:)`` if that comes first.
  package func wait<Value>(for answer: OneAnswer<Value>) async throws -> Value {
    add(answer)
    defer { remove(answer) }
    return try await answer.value()
  }

  /// Enters `one`, to be failed with the others; at once if that has happened already.
  package func add(_ one: any Failable) {
    let closedWith = state.withLock { state -> (any Error)? in
      if state.closedWith == nil { state.waiting[ObjectIdentifier(one)] = one }
      return state.closedWith
    }
    if let closedWith { one.fail(closedWith) }
  }

  /// Takes `one` off the list.
  package func remove(_ one: any Failable) {
    state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(one)) }
  }

  /// Answers everyone who waits, and everyone who comes later, with `error`.
  package func failAll(_ error: any Error) {
    let waiting = state.withLock { state in
      state.closedWith = error
      defer { state.waiting = [:] }
      return state.waiting
    }
    for answer in waiting.values { answer.fail(error) }
  }
}
