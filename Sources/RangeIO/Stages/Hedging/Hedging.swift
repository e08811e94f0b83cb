/// Sends a read a second time when the answer is late, and takes whichever answer comes first.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Retrying()
///   Hedging(share: 0.05)
///   Limiting(concurrentReads: 16)
/// }
/// ```
///
/// Use it for sources with many servers or disks, where a few are slow at any time. The slowest reads become about as
/// fast as the others, at the price of a few more reads ("hedged requests" in J. Dean, L. A. Barroso, "The Tail at
/// Scale", CACM 56/2, 2013). It does not help if the whole source is slow, and it is of no use for a local file.
///
/// A read is late when it takes longer than 95 of 100 recent reads of about its size. There is no second try for a
/// prefetch, for a cancelled read, before there are enough samples, or when the share is used up. The try that loses is
/// cancelled; its bytes count as wasted. If one try fails, the stage waits for the other.
///
/// **Place.** Below ``Caching``, so that it measures the source itself. Below ``Retrying``, which retries when both
/// tries have failed. Above ``Verifying``, so that of two answers the correct one counts. Above ``Limiting``, so that a
/// second try obeys the limits too. Only once in a pipeline: two would make four tries.
///
/// **Errors.** If both tries fail, the first error.
///
/// **Cancellation.** Cancels both tries at once.
///
/// **Cost.** One clock reading and one lock. While second tries are allowed, also two tasks and a timer.
public final class Hedging: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// Creates a stage that sends late reads a second time.
  ///
  /// - Parameters:
  ///   - share: how many second tries are allowed per read, from 0 to 1; up to ten can be saved up. Default: one in
  ///     twenty.
  ///   - quantile: the share of reads that do not count as late. Default: 95%.
  ///   - leastSamples: how many reads of about the same size must be seen before any counts as late. Default: 50.
  public init(share: Double = 0.05, quantile: Double = 0.95, leastSamples: Int = 50) {
    super.init(HedgingStage(share: share, quantile: quantile, leastSamples: leastSamples))
  }
}
