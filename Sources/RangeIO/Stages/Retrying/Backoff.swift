extension Retrying {
  /// How often to try a read, and how long to wait between tries.
  ///
  /// ```swift
  /// Retrying(.exponentialBackoff(attempts: 6, base: .milliseconds(50)))
  /// ```
  ///
  /// The wait before the first retry is a random time between zero and `base`, before the next one between zero and
  /// twice `base`, and so on up to `cap`. This "full jitter" spreads the retries of many readers that failed
  /// together. Of all kinds of jitter it makes the fewest calls (M. Brooker, "Exponential Backoff And Jitter", AWS
  /// Architecture Blog, 2015).
  public struct Backoff: Hashable, Sendable {
    package var attempts: Int
    package var base: Duration
    package var cap: Duration
    package var longestRetryAfter: Duration

    /// Waits that double with each retry.
    ///
    /// - Parameters:
    ///   - attempts: the most tries of one read, including the first.
    ///   - base: the longest wait before the first retry.
    ///   - cap: the longest wait before any retry, not counting the time that a source asks for.
    ///   - longestRetryAfter: the longest ``ReadError/retryAfter`` of a source that the stage waits for. If the source
    ///     asks for more time, the read is not retried: the caller gets the error with its `retryAfter` and can decide.
    ///
    /// - Precondition: there is at least one try, and no wait is negative.
    public static func exponentialBackoff(
      attempts: Int = 4, base: Duration = .milliseconds(100), cap: Duration = .seconds(10),
      longestRetryAfter: Duration = .seconds(60)
    ) -> Backoff {
      precondition(attempts >= 1, "a read is tried once at least")
      precondition(base >= .zero && cap >= .zero, "no wait is negative")
      return Backoff(attempts: attempts, base: base, cap: cap, longestRetryAfter: longestRetryAfter)
    }

    /// The longest wait before retry number `retry`, counted from zero.
    func longestWait(before retry: Int) -> Duration {
      // The properties may have been set to negative values.
      let (base, cap) = (max(0, base.nanoseconds), max(0, cap.nanoseconds))
      let (doubled, overflow) = base.multipliedReportingOverflow(by: 1 << min(retry, 62))
      return .nanoseconds(overflow ? cap : min(cap, doubled))
    }

    /// A random wait before retry number `retry`, uniformly distributed.
    func wait(before retry: Int, _ random: inout some RandomNumberGenerator) -> Duration {
      .nanoseconds(Int64.random(in: 0...longestWait(before: retry).nanoseconds, using: &random))
    }
  }
}
