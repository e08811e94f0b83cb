extension ReadPipeline {
  /// Sends a read a second time when the answer is late, and takes whichever answer comes first.
  ///
  /// ```swift
  /// let reader = try await RangeReader(
  ///   source, [.caching(store), .retrying(), .hedging(maxShare: 0.05), .limiting(maxConcurrentReads: 16)])
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
  /// **Place.** Below `.caching`, so that it measures the source itself. Below `.retrying`, which retries when both
  /// tries have failed. Above `.verifying`, so that of two answers the correct one counts. Above `.limiting`, so that a
  /// second try obeys the limits too. Only once in a pipeline: two would make four tries.
  ///
  /// **Errors.** If both tries fail, the first error.
  ///
  /// **Cancellation.** Cancels both tries at once.
  ///
  /// **Cost.** One clock reading and one lock. While second tries are allowed, also two tasks and a timer.
  ///
  /// - Parameters:
  ///   - maxShare: how many second tries are allowed per read, from 0 to 1; up to ten can be saved up. Default: one in
  ///     twenty.
  ///   - percentile: the share of reads that do not count as late, from 0 to 1. Default: 0.95.
  ///   - minSamples: how many reads of about the same size must be seen before any counts as late. Default: 50.
  ///
  /// - Precondition: `maxShare` and `percentile` are from 0 to 1, and `minSamples` from 1 to 500.
  public static func hedging(maxShare: Double = 0.05, percentile: Double = 0.95, minSamples: Int = 50) -> ReadPipeline {
    precondition((0...1).contains(maxShare), "a share is from 0 to 1")
    precondition((0...1).contains(percentile), "a percentile is given from 0 to 1")
    precondition((1...DecayedLatencies.maxCount / 2).contains(minSamples), "samples are from 1 to 500")
    return .stage(HedgingStage(HedgePlan(quantile: percentile, share: maxShare, leastSamples: minSamples)))
  }
}

/// The stage of `.hedging`: reads a second time when the answer is late.
final class HedgingStage: ReadStage {
  private let plan: Locked<HedgePlan>
  private let counts = Stripes()

  private enum Count: Int {
    case reads, hedged, won, wastedBytes
  }

  init(_ plan: HedgePlan) { self.plan = Locked(plan) }

  var placement: ReadPipeline.Placement { .hedging }

  /// Passes a cache hit on: it is never late.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { next.answer(request) }

  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    guard request.purpose == .demand else { return try await next(request) }
    counts.add(1, to: Count.reads.rawValue)
    let byteCount = request.byteCount
    let start = next.time.now
    let patience = plan.withLock { $0.began(byteCount) }
    let response: ReadResponse
    if let patience {
      response = try await race(request, lateAt: start.advanced(by: patience), next)
    } else {
      response = try await next(request)
    }
    let duration = start.duration(to: next.time.now)
    plan.withLock { $0.succeeded(byteCount, after: duration) }
    return response
  }

  private nonisolated(nonsending) func race(
    _ request: ReadRequest, lateAt late: ReadClock.Instant, _ next: ReadNext
  ) async throws -> ReadResponse {
    let race = Race()
    race.runs(
      .first,
      next.start { [self] in
        end(race, .first, await Self.outcome { try await next(request) }, request)
      })
    if !race.answer.isAnswered {
      // Begins here and not when the read is late, because a flight must begin within a read.
      race.runs(
        .second,
        next.start { [self] in
          // The sleep fails only when it is cancelled, because the read has ended.
          guard (try? await next.time.sleep(until: late)) != nil, plan.withLock({ $0.isLate() }) else { return }
          guard race.state.withLock({ $0.race.secondBegins() }) else { return plan.withLock { $0.wasNotLate() } }
          counts.add(1, to: Count.hedged.rawValue)
          end(race, .second, await Self.outcome { try await next(request) }, request)
        })
    }
    do {
      let response = try await next.wait(for: race.answer)
      race.cancel(.second)
      return response
    } catch {
      race.state.withLock { $0.race.left() }
      race.cancel(.first)
      race.cancel(.second)
      throw error
    }
  }

  private static nonisolated(nonsending) func outcome(
    _ work: nonisolated(nonsending) () async throws -> ReadResponse
  ) async -> Result<ReadResponse, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
  }

  private func end(
    _ race: Race, _ which: HedgeRace<ReadResponse>.Try, _ result: Result<ReadResponse, any Error>,
    _ request: ReadRequest
  ) {
    guard case .answer(let answer, let loser) = race.state.withLock({ $0.race.ended(which, result) }) else { return }
    if which == .second, case .success = answer { counts.add(1, to: Count.won.rawValue) }
    if let loser {
      counts.add(request.byteCount, to: Count.wastedBytes.rawValue)
      race.cancel(loser)
    }
    race.answer.resolve(answer)
  }

  /// The tries of one read, and its waiter.
  private final class Race: Sendable {
    typealias Try = HedgeRace<ReadResponse>.Try
    struct State {
      var race = HedgeRace<ReadResponse>()
      var tasks: [Try: Task<Void, Never>] = [:]
      var cancelled: Set<Try> = []
    }
    let state = Locked(State())
    let answer = Promise<ReadResponse>()

    func runs(_ which: Try, _ task: Task<Void, Never>) {
      let isCancelled = state.withLock { state in
        state.tasks[which] = task
        return state.cancelled.contains(which)
      }
      if isCancelled { task.cancel() }
    }

    func cancel(_ which: Try) {
      let task = state.withLock { state in
        state.cancelled.insert(which)
        return state.tasks[which]
      }
      task?.cancel()
    }
  }

  /// Demand reads, second tries, second tries that won, and the bytes of tries that lost.
  func statistics() -> Counters? {
    Counters(
      "Hedging", counts, "reads", "second tries", "second tries that won", wasted: Count.wastedBytes.rawValue)
  }

  var saved: Double { plan.withLock { $0.saved } }
}
