/// The tries of one read: whether another follows one that failed, and when. A value: it neither waits nor reads.
struct RetryAttempts {
  /// What follows a try that failed.
  enum Action: Equatable {
    /// Another, after this time.
    case wait(Duration)
    /// None: there were enough, or no time is left.
    case giveUp
    /// None: the budget does not allow it.
    case refused
  }

  let backoff: Backoff
  /// The tries that failed.
  private(set) var failures = 0

  init(_ backoff: Backoff) { self.backoff = backoff }

  /// A try failed in a way that may pass.
  ///
  /// - Parameters:
  ///   - retryAfter: how long the source wants to be left alone, if it said so.
  ///   - timeLeft: until the deadline, if there is one.
  ///   - isAllowed: whether the budget allows a retry.
  mutating func failed(
    retryAfter: Duration?, timeLeft: Duration?, isAllowed: Bool, _ random: inout some RandomNumberGenerator
  ) -> Action {
    failures += 1
    guard failures < backoff.attempts else { return .giveUp }
    let wished = max(retryAfter ?? .zero, .zero)
    guard wished <= backoff.longestRetryAfter else { return .giveUp }
    // On top of what was wished: all who were told the same would else come back together.
    let wait = wished + backoff.wait(before: failures - 1, &random)
    if let timeLeft, wait >= timeLeft { return .giveUp }
    return isAllowed ? .wait(wait) : .refused
  }
}
