/// The states of a value that one waiter waits for and that is set once. Pure, so that tests can try every order of
/// events. Generic over the waiter: a continuation in use, an `Int` in tests.
package struct PromiseState<Waiter, Value> {
  enum State {
    case open
    case waiting(Waiter)
    case answered(Value)
    case taken
  }
  private var state = State.open

  package init() {}

  /// A waiter arrives. Returns the answer if it is there; otherwise keeps the waiter until it comes.
  package mutating func wait(_ waiter: Waiter) -> Value? {
    switch state {
    case .open:
      state = .waiting(waiter)
      return nil
    case .answered(let value):
      state = .taken
      return value
    case .waiting, .taken:
      preconditionFailure("one answer has one waiter")
    }
  }

  /// The effect of an answer.
  package enum Answered {
    /// Resume this waiter with the answer.
    case resume(Waiter)
    /// No task waits yet; the answer is kept.
    case kept
    /// There was an answer before; this one is dropped.
    case late
  }

  /// An answer comes. Only the first one counts.
  package mutating func answer(_ value: Value) -> Answered {
    switch state {
    case .open:
      state = .answered(value)
      return .kept
    case .waiting(let waiter):
      state = .taken
      return .resume(waiter)
    case .answered, .taken:
      return .late
    }
  }

  /// `true` once an answer has come.
  package var isAnswered: Bool {
    switch state {
    case .open, .waiting: false
    case .answered, .taken: true
    }
  }
}

/// Something whose wait can be ended with an error.
package protocol Failable: AnyObject, Sendable {
  func fail(_ error: any Error)
}

/// A value that comes later, once, from another thread or task, for one waiter. Continuations are used only here.
///
/// The waiter resumes exactly once: with the first answer, or with `CancellationError` the moment its task is
/// cancelled. An answer that comes later is dropped.
package final class Promise<Value: Sendable>: Failable {
  private typealias Waiter = CheckedContinuation<Value, any Error>
  private let state = Locked(PromiseState<Waiter, Result<Value, any Error>>())

  package init() {}

  /// `true` once an answer has come.
  package var isAnswered: Bool { state.withLock { $0.isAnswered } }

  /// Waits for the answer. Call it once.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let ready = state.withLock({ $0.wait(continuation) }) { continuation.resume(with: ready) }
      }
    } onCancel: {
      fail(CancellationError())
    }
  }

  /// Sets the answer, unless it was set before. Returns whether this answer counts.
  @discardableResult package func resolve(_ result: Result<Value, any Error>) -> Bool {
    switch state.withLock({ $0.answer(result) }) {
    case .resume(let waiter):
      waiter.resume(with: result)
      return true
    case .kept:
      return true
    case .late:
      return false
    }
  }

  package func fail(_ error: any Error) { resolve(.failure(error)) }
}
