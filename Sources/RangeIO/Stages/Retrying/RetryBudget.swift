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
  /// its size. So there are at most `allowance` retries, plus `share` of the reads that succeeded. After an outage the
  /// source must first answer well for a while (retry throttling, gRPC proposal A6).
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
