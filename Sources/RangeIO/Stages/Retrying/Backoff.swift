/// The most tries of a read, and the waits between them. See `.retrying`.
package struct Backoff: Hashable, Sendable {
  var attempts: Int
  var base: Duration
  var cap: Duration
  var maxRetryAfter: Duration

  /// Waits that double with each retry.
  static func exponentialBackoff(
    attempts: Int = 13, base: Duration = .milliseconds(100), cap: Duration = .seconds(10),
    maxRetryAfter: Duration = .seconds(60)
  ) -> Backoff {
    precondition(attempts >= 1, "a read is tried once at least")
    precondition(base >= .zero && cap >= .zero, "no wait is negative")
    return Backoff(attempts: attempts, base: base, cap: cap, maxRetryAfter: maxRetryAfter)
  }

  /// The longest wait before retry number `retry`, counted from zero.
  func longestWait(before retry: Int) -> Duration {
    // The properties may have been set to negative values.
    let (base, cap) = (max(0, base.nanoseconds), max(0, cap.nanoseconds))
    let (doubled, overflow) = base.multipliedReportingOverflow(by: 1 << min(retry, 62))
    return .nanoseconds(overflow ? cap : min(cap, doubled))
  }

  /// No retry begins later than this after the first failure, so that tries which take long do not add up: the longest waits
  /// together, a minute at least. What a source asks for comes on top.
  var longestTime: Duration {
    let different = max(0, min(attempts - 1, 64))
    let waits = (0..<different).reduce(.zero) { $0 + longestWait(before: $1) }
    let (rest, overflow) = max(0, cap.nanoseconds).multipliedReportingOverflow(by: Int64(attempts - 1 - different))
    return max(.seconds(60), waits + .nanoseconds(overflow ? .max : rest))
  }

  /// A random wait before retry number `retry`, uniformly distributed.
  func wait(before retry: Int, _ random: inout some RandomNumberGenerator) -> Duration {
    .nanoseconds(Int64.random(in: 0...longestWait(before: retry).nanoseconds, using: &random))
  }
}
