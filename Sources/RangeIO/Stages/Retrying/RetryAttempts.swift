/// The tries of one read. Decides whether and when another follows one that failed. A value: it neither waits nor
/// reads.
struct RetryAttempts {
  enum Action: Equatable {
    /// Try again after this time.
    case wait(Duration)
    /// Do not retry: there were enough tries, or no time is left.
    case giveUp
    /// Do not retry: the budget does not allow it.
    case refused
  }

  let backoff: Backoff
  private(set) var failures = 0
  /// The sum of the waits that the source has asked for.
  private var asked = Duration.zero

  init(_ backoff: Backoff) { self.backoff = backoff }

  /// Records a try that failed with a transient error.
  ///
  /// - Parameters:
  ///   - retryAfter: how long the source asked to wait, if it said so.
  ///   - elapsed: the time since the first failure.
  ///   - timeLeft: the time until the deadline, if there is one.
  ///   - isAllowed: whether the budget allows a retry.
  ///   - most: the most tries that this error is worth.
  mutating func failed(
    retryAfter: Duration?, elapsed: Duration = .zero, timeLeft: Duration?, isAllowed: Bool, most: Int = .max,
    _ random: inout some RandomNumberGenerator
  ) -> Action {
    failures += 1
    guard failures < min(backoff.attempts, most), elapsed - asked < backoff.longestTime else { return .giveUp }
    let wished = max(retryAfter ?? .zero, .zero)
    guard wished <= backoff.maxRetryAfter else { return .giveUp }
    // Adds to the source's `retryAfter`: otherwise all readers that got the same value would return at the same time.
    asked += wished
    let wait = wished + backoff.wait(before: failures - 1, &random)
    if let timeLeft, wait >= timeLeft { return .giveUp }
    return isAllowed ? .wait(wait) : .refused
  }
}

extension ReadError {
  /// The most tries that it is worth. What was never reached is tried with pauses of about two seconds together, since its name
  /// may be wrong; what this machine lacks, such as the memory for a range, of one.
  var maxTries: Int { isUnreached ? 6 : code == .resourcesExhausted ? 4 : .max }
}
