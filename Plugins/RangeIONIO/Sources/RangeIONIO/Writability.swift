#if NIO
  /// Decides when a writer may go on: a value that events change. Generic over what waits, so that tests pass an `Int`.
  struct Writability<Waiter> {
    /// The result of a wait.
    enum Answer {
      /// Go on.
      case pass
      /// The waiter was kept, until an event returns it.
      case wait
      /// It is over.
      case fail(any Error)
    }

    private var isWritable: Bool
    private var waiter: Waiter?
    /// Why it is over. The first reason stays.
    private var failure: (any Error)?

    init(isWritable: Bool) { self.isWritable = isWritable }

    /// The writer wants to write. One waits at a time.
    mutating func wait(_ waiter: Waiter) -> Answer {
      if let failure { return .fail(failure) }
      if isWritable { return .pass }
      precondition(self.waiter == nil, "one writer waits at a time")
      self.waiter = waiter
      return .wait
    }

    /// The channel has become writable, or is no longer. Returns the waiter that goes on.
    mutating func changed(isWritable: Bool) -> Waiter? {
      self.isWritable = isWritable
      guard isWritable else { return nil }
      return waiter.take()
    }

    /// It is over: the channel was closed, a write has failed, or the writer was cancelled. Returns the waiter that fails.
    mutating func failed(_ error: any Error) -> Waiter? {
      if failure == nil { failure = error }
      return waiter.take()
    }
  }
#endif
