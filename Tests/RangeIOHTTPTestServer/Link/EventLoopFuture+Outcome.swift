#if HTTP

  public import NIOCore

  extension EventLoopFuture where Value: Sendable {
    /// Waits for the value, as `get()` does.
    ///
    /// The thread sanitizer takes what `get()` hands over for a race: the compiler copies it into its callers with all
    /// that synchronises, and the sanitizer sees none of that.
    @inline(never) public func outcome() async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        whenComplete { continuation.resume(with: $0) }
      }
    }
  }
#endif
