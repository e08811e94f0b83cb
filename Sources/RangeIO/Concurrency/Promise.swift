/// The states of a value that one waiter waits for and that is given once: pure, so that every order of events can be
/// tested. Generic over the waiter: a continuation at work, an `Int` in tests.
package struct PromiseState<Waiter, Value> {
  enum State {
    case open
    case waiting(Waiter)
    case answered(Value)
    case taken
  }
  private var state = State.open

  package init() {}

  /// A waiter arrives: told the answer if it is there, kept until it comes if not.
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

  /// What an answer led to.
  package enum Answered {
    /// Resume this waiter with the answer.
    case resume(Waiter)
    /// No task waits yet; the answer is kept.
    case kept
    /// There was an answer before: this one is dropped.
    case late
  }

  /// An answer comes. The first one counts.
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

  /// Whether an answer has come.
  package var isAnswered: Bool {
    switch state {
    case .open, .waiting: false
    case .answered, .taken: true
    }
  }
}

/// Something that can be told that nothing will come of it.
package protocol Failable: AnyObject, Sendable {
  func fail(_ error: any Error)
}

/// A value that comes later, once, from another thread or task, for one waiter: the only use of continuations here.
///
/// The waiter is resumed exactly once: with the first answer, or with `CancellationError` the moment its task is
/// cancelled. The answer may come late; it is dropped then.
package final class Promise<Value: Sendable>: Failable {
  private typealias Waiter = CheckedContinuation<Value, any Error>
  private let state = Locked(PromiseState<Waiter, Result<Value, any Error>>())

  package init() {}

  /// Whether an answer has come.
  package var isAnswered: Bool { state.withLock { $0.isAnswered } }

  /// Waits for the answer. To be called once.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let ready = state.withLock({ $0.wait(continuation) }) { continuation.resume(with: ready) }
      }
    } onCancel: {
      fail(CancellationError())
    }
  }

  /// Gives the answer, if none was given before.
  ///
  /// - Returns: whether this one counts.
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
