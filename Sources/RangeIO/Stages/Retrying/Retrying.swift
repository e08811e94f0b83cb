/// Retries reads that failed with a transient error.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Retrying(.exponentialBackoff(attempts: 4))
/// }
/// ```
///
/// The stage retries errors with ``ReadError/isTransient``, and your own errors for which `isTransient` returns `true`.
/// It never retries a cancelled read, a read whose reader is closed, or a prefetch that no read waits for. Before each
/// retry it waits (``Retrying/Backoff``), in addition to the time that the source itself asks for
/// (``ReadError/retryAfter``). A ``Retrying/Budget`` limits the retries of all reads together.
///
/// A read with a deadline, for example from ``TimeLimiting`` above it, gives up early if the next try would begin after
/// the deadline.
///
/// **Place.** Below ``Caching``, so that it retries the one fetch that all reads wait for, and hits cost nothing. Above
/// ``Limiting``, so that a read that waits for its retry holds no permit. Above ``Verifying``, so that corrupted bytes
/// are read again. ``TimeLimiting`` above it limits all tries together, below it each try. Only once in a pipeline: the
/// tries of two would multiply.
///
/// **Errors.** The last error, unchanged.
///
/// **Cost.** A read that succeeds costs one lock. Waits end at once when the read is cancelled or the reader is closed.
public final class Retrying: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// Creates a stage that retries.
  ///
  /// - Parameters:
  ///   - backoff: how often to try, and how long to wait in between. Default: four tries, within about a second.
  ///   - budget: limits the retries of all reads, and of several readers if they share it. Default: a separate budget
  ///     of 50 retries and a tenth of the successful reads.
  ///   - isTransient: whether an error may go away. Default: ``ReadError/isTransient``; no other error may.
  ///   - random: the random numbers for the waits. Default: the system's.
  public init(
    _ backoff: Backoff = .exponentialBackoff(), budget: Budget = Budget(),
    isTransient: @escaping @Sendable (any Error) -> Bool = { ($0 as? ReadError)?.isTransient ?? false },
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    super.init(RetryingStage(backoff, budget: budget, isTransient: isTransient, random: random))
  }
}
