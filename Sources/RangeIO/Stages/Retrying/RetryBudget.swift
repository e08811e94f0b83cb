/// How many retries are allowed: a share of the reads that succeed, so that a source in trouble is not asked four times
/// as much as one that is well.
///
/// One for each ``Retrying`` unless you hand the same one to several, for instance to all readers of one server:
///
/// ```swift
/// let budget = RetryBudget(share: 0.1)
/// let first = try await RangeReader(a) { Retrying(budget: budget) }
/// let second = try await RangeReader(b) { Retrying(budget: budget) }
/// ```
///
/// A bucket of twice the allowance, full at first. Each failure that may pass takes one token; each success gives back
/// `share` of one; unless a token can be taken from the upper half, nothing is tried again. So retries are at most
/// `allowance` plus `share` of the reads that succeeded, and a source that was down has to answer well for a while
/// first (retry throttling, gRPC proposal A6).
public final class RetryBudget: Sendable {
  private let state: Locked<RetryTokens>

  /// A full budget.
  ///
  /// - Parameters:
  ///   - allowance: the retries at first, and the most that are saved up. At least one.
  ///   - share: of a retry, given back by each success: from 0 to 1.
  ///
  /// - Precondition: `allowance` is from 1 to 1,000,000 and `share` from 0 to 1.
  public init(allowance: Int = 50, share: Double = 0.1) {
    precondition((1...1_000_000).contains(allowance), "an allowance is from one to a million retries")
    precondition((0...1).contains(share), "a share is from 0 to 1")
    state = Locked(RetryTokens(allowance: allowance, share: share))
  }

  /// Whether a failure now would be tried again.
  public var allowsRetries: Bool { state.withLock { $0.allowsRetries } }

  var tokens: RetryTokens { state.withLock { $0 } }

  func succeeded() { state.withLock { $0.succeeded() } }

  /// - Returns: whether it may be tried again.
  func failed() -> Bool { state.withLock { $0.failed() } }
}

/// The bucket, in thousandths: no sum of shares drifts.
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

  /// A try succeeded.
  mutating func succeeded() { thousandths = min(most, thousandths + share) }

  /// A try failed, in a way that may pass.
  ///
  /// - Returns: whether another may follow: asked before this one's token is taken, so that an allowance of one is one.
  mutating func failed() -> Bool {
    defer { thousandths = max(0, thousandths - 1000) }
    return allowsRetries
  }
}
