/// How often a read is tried, and how long it waits in between.
///
/// ```swift
/// Retrying(.exponentialBackoff(attempts: 6, base: .milliseconds(50)))
/// ```
///
/// The wait before the first retry is drawn evenly from zero to ``base``, before the next one from zero to twice that,
/// and so on up to ``cap``. This "full jitter" spreads the retries of many readers that failed together, and of all
/// jitters it makes the fewest calls (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
public struct Backoff: Hashable, Sendable {
  /// The most tries of one read, the first one included; at least one.
  public var attempts: Int
  /// The longest wait before the first retry.
  public var base: Duration
  /// The longest wait before any retry, what a source asks for aside.
  public var cap: Duration
  /// The longest wish of a source to be left alone that is waited out. A source that wants more is not asked again: the error
  /// with its `retryAfter` is for the caller to decide.
  public var longestRetryAfter = Duration.seconds(60)

  /// Waits that double.
  ///
  /// - Parameters:
  ///   - attempts: the most tries of one read, the first one included.
  ///   - base: the longest wait before the first retry.
  ///   - cap: the longest wait before any retry.
  ///
  /// - Precondition: there is one try at least, and no wait is negative.
  public static func exponentialBackoff(
    attempts: Int = 4, base: Duration = .milliseconds(100), cap: Duration = .seconds(10)
  ) -> Backoff {
    precondition(attempts >= 1, "a read is tried once at least")
    precondition(base >= .zero && cap >= .zero, "no wait is negative")
    return Backoff(attempts: attempts, base: base, cap: cap)
  }

  private init(attempts: Int, base: Duration, cap: Duration) {
    (self.attempts, self.base, self.cap) = (attempts, base, cap)
  }

  /// The longest wait before retry number `retry`, counted from zero.
  func longestWait(before retry: Int) -> Duration {
    // No wait is negative, whatever it was set to.
    let (base, cap) = (max(0, base.nanoseconds), max(0, cap.nanoseconds))
    let (doubled, overflow) = base.multipliedReportingOverflow(by: 1 << min(retry, 62))
    return .nanoseconds(overflow ? cap : min(cap, doubled))
  }

  /// A wait before retry number `retry`, drawn evenly.
  func wait(before retry: Int, _ random: inout some RandomNumberGenerator) -> Duration {
    .nanoseconds(Int64.random(in: 0...longestWait(before: retry).nanoseconds, using: &random))
  }
}
