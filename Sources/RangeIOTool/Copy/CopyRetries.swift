import RangeIO

/// Decides whether a request that failed is repeated, and after what time. A value: it does not wait.
///
/// A request keeps what has arrived, so only failures in a row without a byte between them count.
struct CopyRetries {
  /// The most failures in a row: a source that is away for about five minutes is waited for.
  static let most = 64
  var limit = CopyRetries.most
  private static let firstWait = 0.2
  private static let longestWait = 10.0
  /// The longest time that a source may ask for.
  private static let longestRetryAfter = Duration.seconds(120)

  private(set) var failures = 0

  /// Records that bytes have arrived.
  mutating func arrived() { failures = 0 }

  /// Records a failure.
  ///
  /// - Parameter random: from 0 to 1: how much of the longest wait is waited, so that requests which failed together
  ///   do not return together.
  /// - Returns: the time to wait before the next try; `nil` if there is none.
  mutating func failed(_ error: any Error, random: Double) -> Duration? {
    guard let error = error as? ReadError, error.isTransient else { return nil }
    failures += 1
    guard failures < limit else { return nil }
    let asked = max(error.retryAfter ?? .zero, .zero)
    guard asked <= Self.longestRetryAfter else { return nil }
    let longest = min(Self.firstWait * Double(1 << (failures - 1)), Self.longestWait)
    return asked + .seconds(longest * random)
  }
}
