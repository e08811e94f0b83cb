/// Limits what a source is asked for: concurrent reads, bytes per second, or both.
///
/// ```swift
/// let limiting = Limiting(concurrentReads: 8, bytesPerSecond: .mebibytes(50))
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Retrying()
///   limiting          // the same one in other readers: they share the limit
/// }
/// ```
///
/// Reads that must wait are admitted in the order they came, demands before prefetches. While a prefetch waits, one of
/// nine admitted reads is a prefetch, so that no prefetch waits for ever. If a read begins to wait for the bytes of a
/// queued prefetch, that prefetch moves to the demands. A waiting read leaves the queue at once, and uses nothing, if
/// it is cancelled, if its reader is closed, or if its ``ReadRequest/deadline`` passes.
///
/// Bytes per second are a token bucket: unused bytes are saved up to `burst`. A read of more than `burst` is admitted
/// when the bucket is full, and the reads after it wait until its debt is paid. A vectored read counts once, with all
/// its bytes.
///
/// **Place.** The last of the built-in stages, directly above the source, so that it counts what the source is really
/// asked for: including the extra bytes of ``Verifying`` and ``Merging``, and each try of ``Retrying`` and ``Hedging``
/// separately. A read that waits for its retry holds no permit. Below ``Caching``, so that hits cost nothing and no
/// read that holds a permit waits for a fetch that has none. Only once in a pipeline: if two readers list two of them
/// in opposite orders, they can wait for each other for ever. ``TimeLimiting`` above it includes the time in the queue,
/// below it does not.
///
/// A cancelled read releases its permit at once, even if the source keeps working on it.
///
/// A source may itself read through another reader that has the same `Limiting`. Such a read belongs to the read that
/// caused it, which already has a permit and has paid for its bytes. `Limiting` recognizes this by a task-local value,
/// which a detached task does not have.
///
/// **Errors.** `ReadError.Code.timedOut` if the deadline of a read passes while it waits.
///
/// **Cost.** A read that need not wait costs two locks; one that waits also allocates.
public final class Limiting: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// Creates limits for all readers that list this stage.
  ///
  /// - Parameters:
  ///   - concurrentReads: the most concurrent reads, at least one. Default: no limit.
  ///   - bytesPerSecond: the long-term rate, at least one byte. Default: no limit.
  ///   - burst: the bytes that may be read at once after a pause. Default: one second's worth.
  ///
  /// - Precondition: no limit is zero or negative, and `burst` is set only together with a rate.
  public init(concurrentReads: Int? = nil, bytesPerSecond: ByteCount? = nil, burst: ByteCount? = nil) {
    super.init(LimitingStage(concurrentReads: concurrentReads, bytesPerSecond: bytesPerSecond, burst: burst))
  }
}
