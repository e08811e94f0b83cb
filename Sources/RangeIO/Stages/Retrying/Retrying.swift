extension ReadPipeline {
  /// Retries reads that failed with a transient error.
  ///
  /// ```swift
  /// let reader = try await RangeReader(source, [.caching(store), .retrying(maxAttempts: 4)])
  /// ```
  ///
  /// The stage retries errors with ``ReadError/isTransient``, and your own errors for which `isTransient` returns `true`.
  /// It never retries a cancelled read, a read whose reader is closed, or a prefetch that no read waits for. Before each
  /// retry it waits, in addition to the time that the source itself asks for (``ReadError/retryAfter``). A
  /// ``ReadPipeline/RetryBudget`` limits the retries of all reads together.
  ///
  /// The wait before the first retry is a random time between zero and `initialBackoff`, before the next one between zero and
  /// twice that, and so on up to `maxBackoff`. This "full jitter" spreads the retries of many readers that failed
  /// together. Of all kinds of jitter it makes the fewest calls (M. Brooker, "Exponential Backoff And Jitter", AWS
  /// Architecture Blog, 2015).
  ///
  /// Opening the source is retried in the same way, so that one answer of a server that is busy does not fail
  /// `RangeReader(source, […])`. The limit of a `.timeLimit` above counts from its beginning. A check for changes is
  /// not retried: there will be another one.
  ///
  /// A read with a deadline, for example from `.timeLimit` above it, gives up early if the next try would begin after
  /// the deadline.
  ///
  /// **Place.** Below `.caching`, so that it retries the one fetch that all reads wait for, and hits cost nothing. Above
  /// `.limiting`, so that a read that waits for its retry holds no permit. Above `.verifying`, so that corrupted bytes
  /// are read again. `.timeLimit` above it limits all tries together, below it each try. Only once in a pipeline: the
  /// tries of two would multiply.
  ///
  /// **Errors.** The last error, unchanged.
  ///
  /// **Cost.** A read that succeeds costs one lock. Waits end at once when the read is cancelled or the reader is closed.
  ///
  /// - Parameters:
  ///   - maxAttempts: the most tries of one read, including the first. Default: 13, with pauses of about half a minute
  ///     together, for a server that is away for seconds. No try begins later than the sum of the longest waits after
  ///     the first failure, or a minute if that is more. Opening a source that was never reached is tried six times at
  ///     most, since its name may be wrong. If this machine lacks something, such as descriptors, there are four tries.
  ///   - initialBackoff: the longest wait before the first retry. Default: 100 ms.
  ///   - maxBackoff: the longest wait before any retry, not counting the time that a source asks for. Default: 10 s.
  ///   - maxRetryAfter: the longest ``ReadError/retryAfter`` of a source that the stage waits for. If the source
  ///     asks for more time, the read is not retried: the caller gets the error with its `retryAfter` and can decide.
  ///     Default: one minute.
  ///   - budget: limits the retries of all reads, and of several readers if they share it. Default: a separate budget
  ///     of 500 retries and a tenth of the successful reads.
  ///   - isTransient: returns `true` if an error may go away. Default: ``ReadError/isTransient``; no other error may.
  ///
  /// - Precondition: there is at least one try, and no wait is negative.
  public static func retrying(
    maxAttempts: Int = 13, initialBackoff: Duration = .milliseconds(100), maxBackoff: Duration = .seconds(10),
    maxRetryAfter: Duration = .seconds(60), budget: RetryBudget = RetryBudget(),
    isTransient: @escaping @Sendable (any Error) -> Bool = { ($0 as? ReadError)?.isTransient ?? false }
  ) -> ReadPipeline {
    let backoff = Backoff.exponentialBackoff(
      attempts: maxAttempts, base: initialBackoff, cap: maxBackoff, maxRetryAfter: maxRetryAfter)
    return .retrying(backoff, budget: budget, isTransient: isTransient, random: SystemRandomNumberGenerator())
  }

  /// - Parameter random: the random numbers for the waits.
  static func retrying(
    _ backoff: Backoff = .exponentialBackoff(), budget: RetryBudget = RetryBudget(),
    isTransient: @escaping @Sendable (any Error) -> Bool = { ($0 as? ReadError)?.isTransient ?? false },
    random: any RandomNumberGenerator & Sendable
  ) -> ReadPipeline {
    .stage(RetryingStage(backoff, budget: budget, isTransient: isTransient, random: random))
  }
}

/// The stage of `.retrying`: repeats reads that failed with a transient error.
final class RetryingStage: ReadStage, RoleStage {
  private let backoff: Backoff
  private let budget: ReadPipeline.RetryBudget
  private let isTransient: @Sendable (any Error) -> Bool
  private let random: Locked<any RandomNumberGenerator & Sendable>
  private let counts = Stripes()

  private enum Count: Int {
    case reads, retries, recovered, givenUp, refused
  }

  init(
    _ backoff: Backoff, budget: ReadPipeline.RetryBudget, isTransient: @escaping @Sendable (any Error) -> Bool,
    random: any RandomNumberGenerator & Sendable
  ) {
    self.backoff = backoff
    self.budget = budget
    self.isTransient = isTransient
    self.random = Locked(random)
  }

  var placement: ReadPipeline.Placement { .retrying }
  var role: StageRole { .retrying(opening) }

  /// Passes the read on, and retries it if necessary.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.reads.rawValue)
    do {
      let response = try await next(request)
      budget.succeeded()
      return response
    } catch {
      guard request.purpose == .demand else { throw error }
      return try await again(after: error, until: request.deadline, next) { try await next(request) }
    }
  }

  /// Describes the source when it is opened, and retries that like a read.
  private nonisolated(nonsending) func opening(
    _ next: ReadNext, until deadline: ReadClock.Instant?,
    _ describe: nonisolated(nonsending) () async throws -> SourceDescription
  ) async throws -> SourceDescription {
    do { return try await describe() } catch { return try await again(after: error, until: deadline, next, describe) }
  }

  /// Passes a cache hit on: there is nothing to retry.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    let answer = next.answer(request)
    guard case .here = answer else { return .later }
    counts.add(1, to: Count.reads.rawValue)
    budget.succeeded()
    return answer
  }

  private nonisolated(nonsending) func again<Result>(
    after first: any Error, until deadline: ReadClock.Instant?, _ next: ReadNext,
    _ attempt: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    var attempts = RetryAttempts(backoff)
    let begin = next.time.now
    var error = first
    while true {
      guard mayPass(error), !next.isClosed else {
        if attempts.failures > 0 { counts.add(1, to: Count.givenUp.rawValue) }
        throw error
      }
      let isAllowed = budget.failed()
      let timeLeft = deadline.map { next.time.now.duration(to: $0) }
      let action = random.withLock { random in
        attempts.failed(
          retryAfter: (error as? ReadError)?.retryAfter, elapsed: begin.duration(to: next.time.now),
          timeLeft: timeLeft, isAllowed: isAllowed,
          most: (error as? ReadError)?.maxTries ?? .max, &random)
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
        let result = try await attempt()
        budget.succeeded()
        counts.add(1, to: Count.recovered.rawValue)
        return result
      } catch let again {
        error = again
      }
    }
  }

  private func mayPass(_ error: any Error) -> Bool {
    guard !(error is CancellationError), (error as? ReadError)?.code != .closed else { return false }
    return isTransient(error)
  }

  /// Reads, retries, reads that a retry saved, reads given up after all tries or because of the deadline, and reads
  /// that the budget did not allow to retry.
  func statistics() -> Counters? {
    Counters("Retrying", counts, "reads", "retries", "recovered", "given up", "refused by the budget")
  }
}
