/// Tries reads again that failed for a reason that may pass.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Retrying(.exponentialBackoff(attempts: 4))
/// }
/// ```
///
/// What is tried again: errors with ``ReadError/isTransient``, and errors of yours that `isTransient` says so of. Never
/// a read that was cancelled, one whose reader is closed, or a prefetch that no read waits for. Before each retry there
/// is a wait (``Backoff``), after what the source itself asks for (``ReadError/retryAfter``). A ``RetryBudget`` bounds
/// the retries of all reads together.
///
/// A read with a deadline, such as ``TimeLimiting`` above it sets, gives up early if the next try would begin after it.
///
/// **Place.** Below ``Caching``, so that what is retried is the one fetch that all wait for, and hits cost nothing;
/// above ``Limiting``, so that a read that waits to be tried again holds no permit; above ``Verifying``, so that what
/// came damaged is read again. ``TimeLimiting`` above it limits all tries together, below it each one. Once in a
/// pipeline: the tries of two would multiply.
///
/// **Errors.** The last one, unchanged.
///
/// A read that succeeds costs one lock. Waits end at once when the read is cancelled or the reader closed.
public final class Retrying: ReadyStage {
  private let backoff: Backoff
  private let budget: RetryBudget
  private let isTransient: @Sendable (any Error) -> Bool
  private let random: Locked<any RandomNumberGenerator & Sendable>
  private let counts = Stripes()

  private enum Count: Int {
    case reads, retries, recovered, givenUp, refused
  }

  /// Retries.
  ///
  /// - Parameters:
  ///   - backoff: how often, and the waits in between. Default: four tries, within about a second.
  ///   - budget: bounds the retries of all reads, of several readers if they share it. Default: one of its own, of 50
  ///     retries and a tenth of the reads that succeed.
  ///   - isTransient: whether an error may pass. Default: what ``ReadError/isTransient`` says; no other error may.
  ///   - random: draws the waits. Default: the system's random numbers.
  public init(
    _ backoff: Backoff = .exponentialBackoff(), budget: RetryBudget = RetryBudget(),
    isTransient: @escaping @Sendable (any Error) -> Bool = { ($0 as? ReadError)?.isTransient ?? false },
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.backoff = backoff
    self.budget = budget
    self.isTransient = isTransient
    self.random = Locked(random)
  }

  /// Once, between the cache and what limits and checks.
  public var placement: StagePlacement { .retrying }

  /// What the stages below answer, tried again if need be.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.reads.rawValue)
    do {
      let response = try await next(request)
      budget.succeeded()
      return response
    } catch {
      return try await readAgain(request, after: error, next)
    }
  }

  /// What is at hand below has not failed.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    guard let response = next.ready(request) else { return nil }
    counts.add(1, to: Count.reads.rawValue)
    budget.succeeded()
    return response
  }

  private nonisolated(nonsending) func readAgain(
    _ request: ReadRequest, after first: any Error, _ next: ReadNext
  ) async throws -> ReadResponse {
    var attempts = RetryAttempts(backoff)
    var error = first
    while true {
      guard mayPass(error), !next.isClosed, request.purpose == .demand else {
        if attempts.failures > 0 { counts.add(1, to: Count.givenUp.rawValue) }
        throw error
      }
      let isAllowed = budget.failed()
      let timeLeft = request.deadline.map { next.time.now.duration(to: $0) }
      let action = random.withLock { random in
        attempts.failed(
          retryAfter: (error as? ReadError)?.retryAfter, timeLeft: timeLeft, isAllowed: isAllowed, &random)
      }
      switch action {
      case .giveUp:
        counts.add(1, to: Count.givenUp.rawValue)
        throw error
      case .refused:
        counts.add(1, to: Count.refused.rawValue)
        throw error
      case .wait(let wait):
        try await next.sleep(until: next.time.now.advanced(by: wait))
        try Task.checkCancellation()
      }
      counts.add(1, to: Count.retries.rawValue)
      do {
        let response = try await next(request)
        budget.succeeded()
        counts.add(1, to: Count.recovered.rawValue)
        return response
      } catch let again {
        error = again
      }
    }
  }

  private func mayPass(_ error: any Error) -> Bool {
    guard !(error is CancellationError), (error as? ReadError)?.code != .closed else { return false }
    return isTransient(error)
  }

  /// Reads, retries, reads that a retry saved, reads given up after tries or for want of time, and those that the
  /// budget refused to try again.
  public func statistics() -> StageStatistics? {
    func count(_ name: String, _ count: Count) -> StageStatistics.Count { .init(name, counts.sum(count.rawValue)) }
    return StageStatistics(
      stage: "Retrying",
      counts: [
        count("reads", .reads), count("retries", .retries), count("recovered", .recovered),
        count("given up", .givenUp), count("refused by the budget", .refused),
      ])
  }
}
