#if Tool
import RangeIO

/// Decides whether a request that failed is repeated, and after what time. A value: it does not wait.
///
/// A request keeps what has arrived, so only failures in a row without a byte between them count.
struct CopyRetries {
  /// The most failures in a row: a source that is away for about five minutes is waited for.
  static let maxTries = 64
  var limit = CopyRetries.maxTries
  /// The most time of a request with all its tries, if there is one.
  var timeLimit: Duration?
  private static let firstWait = 0.2

  /// Those that the user's options say.
  init(_ settings: RemoteSettings? = nil) {
    if let retries = settings?.retries { limit = retries + 1 }
    timeLimit = settings?.timeLimit
  }

  private static let maxWait = 10.0
  /// No try begins later after the first failure, not counting what the source asked for: where tries themselves take long.
  private static let maxTime = Duration.seconds(600)
  /// The longest time that a source may ask for.
  private static let maxRetryAfter = Duration.seconds(120)

  private(set) var failures = 0
  /// When the first of them was, later by what the source asked for since.
  private var first = Duration.zero

  /// Records that bytes have arrived.
  mutating func arrived() { failures = 0 }

  /// Records a failure.
  ///
  /// - Parameters:
  ///   - now: the time since the request began.
  ///   - random: from 0 to 1: how much of the longest wait is waited, so that requests which failed together do not return
  ///     together.
  /// - Returns: the time to wait before the next try; `nil` if there is none.
  mutating func failed(_ error: any Error, now: Duration, random: Double) -> Duration? {
    guard let error = error as? ReadError, error.isTransient else { return nil }
    if failures == 0 { first = now }
    failures += 1
    guard failures < limit, now - first < Self.maxTime else { return nil }
    let asked = max(error.retryAfter ?? .zero, .zero)
    guard asked <= Self.maxRetryAfter else { return nil }
    first += asked
    let longest = min(Self.firstWait * Double(1 << min(failures - 1, 62)), Self.maxWait)
    let wait = asked + .seconds(longest * random)
    if let timeLimit, now + wait >= timeLimit { return nil }
    return wait
  }
}
#endif
