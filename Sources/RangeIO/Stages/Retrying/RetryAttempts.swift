/// The tries of one read. Decides whether and when another follows one that failed. A value: it neither waits nor
/// reads.
struct RetryAttempts {
  /// What to do after a failed try.
  enum Action: Equatable {
    /// Try again after this time.
    case wait(Duration)
    /// Do not retry: there were enough tries, or no time is left.
    case giveUp
    /// Do not retry: the budget does not allow it.
    case refused
  }

  let backoff: Retrying.Backoff
  /// The number of failed tries.
  private(set) var failures = 0

  init(_ backoff: Retrying.Backoff) { self.backoff = backoff }

  /// Records a try that failed with a transient error.
  ///
  /// - Parameters:
  ///   - retryAfter: how long the source asked to wait, if it said so.
  ///   - timeLeft: the time until the deadline, if there is one.
  ///   - isAllowed: whether the budget allows a retry.
  mutating func failed(
    retryAfter: Duration?, timeLeft: Duration?, isAllowed: Bool, _ random: inout some RandomNumberGenerator
  ) -> Action {
    failures += 1
    guard failures < backoff.attempts else { return .giveUp }
    let wished = max(retryAfter ?? .zero, .zero)
    guard wished <= backoff.longestRetryAfter else { return .giveUp }
    // Adds to the source's `retryAfter`: otherwise all readers that got the same value would return at the same time.
    let wait = wished + backoff.wait(before: failures - 1, &random)
    if let timeLeft, wait >= timeLeft { return .giveUp }
    return isAllowed ? .wait(wait) : .refused
  }
}
