#if Serve
  internal import NIOCore

  extension EventLoopFuture where Value: Sendable {
    /// Waits for the value, as `get()` does, which the compiler copies into its callers: the thread sanitizer then sees
    /// nothing of what synchronises, and reports a race.
    @inline(never) func result() async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        whenComplete { continuation.resume(with: $0) }
      }
    }
  }
#endif
