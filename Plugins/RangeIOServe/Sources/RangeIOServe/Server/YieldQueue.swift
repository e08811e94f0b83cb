#if Serve
  internal import NIOCore

  /// Who waits for an event loop to look at its connections, in order: a value. Generic over what waits, so that tests
  /// pass an `Int`.
  struct YieldQueue<Waiter> {
    /// The result of a wait.
    enum Verdict: Equatable {
      /// The waiter is kept, and a look has been asked for.
      case wait
      /// The waiter is kept. Ask for a look.
      case ask
      /// There are no looks any more: go on.
      case pass
    }

    /// The most waiters that go on after a look. Each sends a piece at most: 4 MiB together, a millisecond or two.
    static var maxAtOnce: Int { 16 }

    private var waiters = CircularBuffer<Waiter>()
    private var isAsked = false
    private var isClosed = false

    mutating func wait(_ waiter: Waiter) -> Verdict {
      guard !isClosed else { return .pass }
      waiters.append(waiter)
      defer { isAsked = true }
      return isAsked ? .wait : .ask
    }

    /// The loop has looked.
    ///
    /// - Returns: those who go on, and whether to ask for another look, since more wait.
    mutating func looked() -> (next: [Waiter], asks: Bool) {
      let next = Array(waiters.prefix(Self.maxAtOnce))
      waiters.removeFirst(next.count)
      isAsked = !waiters.isEmpty
      return (next, isAsked)
    }

    /// No more looks are told. Returns all who wait.
    mutating func close() -> [Waiter] {
      isClosed = true
      defer { waiters.removeAll() }
      return Array(waiters)
    }
  }
#endif
