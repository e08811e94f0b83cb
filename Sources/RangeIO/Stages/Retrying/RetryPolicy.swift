/// The most tries of a read, and the waits between them. See `.retrying`.
package struct Backoff: Hashable, Sendable {
  var attempts: Int
  var base: Duration
  var cap: Duration
  var longestRetryAfter: Duration

  /// Waits that double with each retry.
  static func exponentialBackoff(
    attempts: Int = 13, base: Duration = .milliseconds(100), cap: Duration = .seconds(10),
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
    guard wished <= backoff.longestRetryAfter else { return .giveUp }
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
  var mostTries: Int { isUnreached ? 6 : code == .resourcesExhausted ? 4 : .max }
}

extension ReadPipeline {
  /// Limits retries to a share of the successful reads, so that a source in trouble does not get many times as many
  /// requests as a healthy one.
  ///
  /// Each `.retrying` has its own budget, unless you pass the same one to several, for instance to all readers of one
  /// server:
  ///
  /// ```swift
  /// let budget = ReadPipeline.RetryBudget(share: 0.1)
  /// let first = try await RangeReader(a, [.retrying(budget: budget)])
  /// let second = try await RangeReader(b, [.retrying(budget: budget)])
  /// ```
  ///
  /// The budget is a bucket of twice the allowance, full at first. Each transient failure takes one token; each success
  /// gives back `share` of a token. Retries are allowed only while the bucket has at least one token more than half of
  /// its size. So there are at most `allowance` retries plus `share` of the reads that succeeded, and after an outage
  /// the source must first answer well for a while (retry throttling, gRPC proposal A6).
  public final class RetryBudget: Sendable {
    private let state: Locked<RetryTokens>

    /// Creates a full budget.
    ///
    /// - Parameters:
    ///   - allowance: the number of retries at first, and the most that can be saved up. At least one. Default: 500,
    ///     which forty reads need for half a minute without the source.
    ///   - share: the part of a retry that each success gives back, from 0 to 1.
    ///
    /// - Precondition: `allowance` is from 1 to 1,000,000 and `share` from 0 to 1.
    public init(allowance: Int = 500, share: Double = 0.1) {
      precondition((1...1_000_000).contains(allowance), "an allowance is from one to a million retries")
      precondition((0...1).contains(share), "a share is from 0 to 1")
      state = Locked(RetryTokens(allowance: allowance, share: share))
    }

    var allowsRetries: Bool { state.withLock { $0.allowsRetries } }

    var tokens: RetryTokens { state.withLock { $0 } }

    func succeeded() { state.withLock { $0.succeeded() } }

    /// - Returns: whether the read may be retried.
    func failed() -> Bool { state.withLock { $0.failed() } }
  }
}

/// The bucket, in thousandths of a token, so that sums of shares have no rounding errors.
struct RetryTokens: Equatable {
  private(set) var thousandths: Int
  let most: Int
  let share: Int

  init(allowance: Int, share: Double) {
    most = allowance * 2000
    thousandths = most
    self.share = Int((share * 1000).rounded())
  }

  var allowsRetries: Bool { thousandths >= most / 2 + 1000 }

  mutating func succeeded() { thousandths = min(most, thousandths + share) }

  /// Records a try that failed with a transient error. Returns whether another may follow. Decided before this
  /// failure's token is taken, so that an allowance of one permits one retry.
  mutating func failed() -> Bool {
    defer { thousandths = max(0, thousandths - 1000) }
    return allowsRetries
  }
}
