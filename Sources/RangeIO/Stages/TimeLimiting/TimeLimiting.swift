/// Ends every read after a given time, even if a stage or the source below hangs.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   TimeLimiting(.seconds(5))    // the whole read
///   Caching(store)
///   Retrying()
///   TimeLimiting(.seconds(1))    // each try
/// }
/// ```
///
/// When the time is over, the read throws `ReadError.Code.timedOut`, which is transient, and the work below is
/// cancelled. Bytes that have arrived by then stay in the cache, and a fetch that other reads wait for continues: the
/// next try begins where this one ended. The stages below see the limit as ``ReadRequest/deadline``, and may give up
/// earlier. An earlier deadline that is already set is kept.
///
/// **Place.** Anywhere. Above ``Caching`` it limits the caller's total wait; a hit costs nothing. Between ``Caching``
/// and ``Retrying`` it limits a fetch, for all its waiters. Below ``Retrying`` it limits each try, so that a try that
/// hangs is retried. Below ``Limiting`` it does not include the time in the queue. Each window of a stream is one read.
///
/// **Cost.** A read that is not cached costs two tasks and a timer.
public final class TimeLimiting: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// Creates a limit of `limit`, which must be more than zero.
  public init(_ limit: Duration) {
    super.init(TimeLimitingStage(limit))
  }
}
