/// Asks a second time when an answer is late, and takes whichever comes first.
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
/// For sources of many servers or disks, a few of which are slow at any time: the slowest reads become about as fast as
/// the others, for a few more reads ("hedged requests" in J. Dean, L. A. Barroso, "The Tail at Scale", CACM 56/2,
/// 2013). It does nothing for a source that is slow throughout, and a local file has no use for it.
///
/// A read is late when it takes longer than 95 of 100 reads of about its size lately did. There is no second try for a
/// prefetch, for a read that was cancelled, before enough reads have been seen, or beyond the share. The try that
/// loses is cancelled; its bytes count as wasted. If one try fails, the other is waited for.
///
/// **Place.** Below ``Caching``, so that it sees the source's own times, and below ``Retrying``, which tries again when
/// both have failed; above ``Verifying``, so that of two answers the one that is right counts; above ``Limiting``,
/// which a second try has to respect like any other. Once in a pipeline: two would make four tries.
///
/// **Errors.** If both tries fail, the error that came first.
///
/// **Cancellation.** Cancels both tries, at once.
///
/// **Cost.** A look at the clock and a lock, and while second tries are allowed two tasks and a timer.
public final class Hedging: ReadyStage {
  private let plan: Locked<HedgePlan>
  private let counts = Stripes()

  private enum Count: Int {
    case reads, hedged, won, wastedBytes
  }

  /// Second tries for reads that are late.
  ///
  /// - Parameters:
  ///   - share: the second tries for each read, from 0 to 1; up to ten are saved up. Default: one in twenty.
  ///   - quantile: the share of reads that are not late. Default: 95%.
  ///   - leastSamples: the reads of about the same size that have to be seen before any is late. Default: 50.
  public init(share: Double = 0.05, quantile: Double = 0.95, leastSamples: Int = 50) {
    precondition((0...1).contains(share), "a share is from 0 to 1")
    precondition((0...1).contains(quantile), "a quantile is from 0 to 1")
    precondition((1...DecayedLatencies.most / 2).contains(leastSamples), "samples are from 1 to 500")
    plan = Locked(HedgePlan(quantile: quantile, share: share, leastSamples: leastSamples))
  }

  /// Once, between retrying and verifying.
  public var placement: StagePlacement { .hedging }

  /// What is cached is not late.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? { next.ready(request) }

  /// The first answer of one try or two.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
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
    _ request: ReadRequest, lateAt late: ReadInstant, _ next: ReadNext
  ) async throws -> ReadResponse {
    let race = Race()
    race.runs(
      .first,
      next.start { [self] in
        end(race, .first, await Self.outcome { try await next(request) }, request)
      })
    if !race.answer.isAnswered {
      // Begun here and not when the read is late: a flight begins within a read.
      race.runs(
        .second,
        next.start { [self] in
          // A cancelled sleep is that of a read that has ended.
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

  /// One read's tries, and who waits for them.
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

  /// Demand reads, second tries, those that won, and the bytes of tries that lost.
  public func statistics() -> StageStatistics? {
    StageStatistics(
      stage: "Hedging",
      counts: [
        .init("reads", counts.sum(Count.reads.rawValue)), .init("second tries", counts.sum(Count.hedged.rawValue)),
        .init("second tries that won", counts.sum(Count.won.rawValue)),
      ], wastedBytes: counts.sum(Count.wastedBytes.rawValue))
  }

  /// Second tries that may be made now.
  var saved: Double { plan.withLock { $0.saved } }
}
