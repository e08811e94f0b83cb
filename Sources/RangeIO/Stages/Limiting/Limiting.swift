/// Bounds what a source is asked for: reads at once, bytes a second, or both.
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
/// Reads that have to wait go in the order they came, demands before prefetches; of nine reads that go while a prefetch
/// waits, one is a prefetch, so that none waits for ever. A prefetch that a read comes to wait for goes with the
/// demands. A read that is cancelled while it waits, whose reader is closed, or whose ``ReadRequest/deadline`` passes,
/// leaves at once and takes nothing.
///
/// Bytes a second are a token bucket: what was not used is saved up to `burst`. A read of more than that goes when the
/// bucket is full, and those after it wait until its debt is paid. A vectored read counts once, with all its bytes.
///
/// **Place.** The last of the built-in stages, right above the source: it counts what the source is really asked for,
/// with what ``Verifying`` and ``Merging`` read besides, and each try of ``Retrying`` and ``Hedging`` by itself; and a
/// read that waits to be tried again holds nothing. Below ``Caching``, so that hits cost nothing and no read that holds a
/// permit waits for a fetch that has none. Once in a pipeline: two of them, listed in two orders in two readers, would
/// wait for each other for ever. ``TimeLimiting`` above it counts the time in the queue, below it not.
///
/// A read that is cancelled under way gives back its permit at once, also if the source goes on with it.
///
/// A source may read through another reader that has the same `Limiting`: what it reads so belongs to the read that asked
/// for it, which has its permit and has paid for its bytes. Known by a task-local value, which a detached task has not.
///
/// **Errors.** `ReadError.Code.timedOut` for a read whose deadline passes while it waits.
///
/// A read that need not wait costs two locks; one that waits allocates.
public final class Limiting: ReadStage {
  private typealias State = AdmissionQueue<Promise<Void>>

  private struct Timer {
    var number = 0
    var task: Task<Void, Never>?
  }

  /// Tells the time of all who read through this: instants of two clocks cannot be compared.
  private final class Clock: Sendable {
    let time: TimeSource
    init(_ time: TimeSource) { self.time = time }
  }

  private let state: Locked<State>
  private let timer = Locked(Timer())
  private let clock = PublishedOnce<Clock>()
  private let counts = Stripes()

  private enum Count: Int {
    case reads, waited, microsecondsWaited
  }

  /// Limits for all readers that this stands in.
  ///
  /// - Parameters:
  ///   - concurrentReads: the most reads at once, at least one. Default: any number.
  ///   - bytesPerSecond: the rate in the long run, at least one byte. Default: any.
  ///   - burst: the bytes that may go at once after a pause. Default: those of a second.
  ///
  /// - Precondition: no limit is zero or negative, and a burst goes with a rate.
  public init(concurrentReads: Int? = nil, bytesPerSecond: ByteCount? = nil, burst: ByteCount? = nil) {
    precondition(concurrentReads.map { $0 > 0 } ?? true, "without a permit nothing is read")
    precondition(bytesPerSecond.map { $0.bytes > 0 } ?? true, "without bytes nothing is read")
    precondition(burst == nil || bytesPerSecond != nil, "a burst belongs to a rate")
    let bucket = bytesPerSecond.map { RateBucket(bytesPerSecond: $0.bytes, burst: (burst ?? $0).bytes) }
    state = Locked(State(concurrentReads: concurrentReads ?? .max, bucket: bucket))
  }

  /// Once, above the source.
  public var placement: StagePlacement { .limiting }

  /// What the stages below answer, when it is this read's turn.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    // It would wait for itself.
    guard !LimitedRead.isUnderWay(for: self) else { return try await next(request) }
    counts.add(1, to: Count.reads.rawValue)
    try await enter(request, next)
    let read = LimitedRead(self)
    defer {
      read.end()
      let now = now(next)
      perform(state.withLock { $0.ended(now: now) }, next)
    }
    return try await LimitedRead.$current.withValue(read) { try await next(request) }
  }

  // MARK: waiting

  private nonisolated(nonsending) func enter(_ request: ReadRequest, _ next: ReadNext) async throws {
    let byteCount = request.byteCount
    let now = now(next)
    let urgency = request.urgency
    let purpose = urgency?.purpose ?? .demand
    let arrival = state.withLock { $0.arrived(byteCount, purpose, now: now) { Promise() } }
    guard case .waits(let ticket, let answer, let actions) = arrival else { return }
    perform(actions, next)
    counts.add(1, to: Count.waited.rawValue)
    defer {
      counts.add(Int(now.duration(to: self.now(next)).nanoseconds / 1000), to: Count.microsecondsWaited.rawValue)
    }
    let handle = urgency?.onRaise { [self] in
      let now = self.now(next)
      perform(state.withLock { $0.raised(ticket, now: now) }, next)
    }
    let ending = request.deadline.map { deadline in
      next.background.start { [time = next.time] in
        // A cancelled timer is one that is not needed any more.
        guard (try? await time.sleep(until: deadline)) != nil else { return }
        answer.fail(request.timedOut())
      }
    }
    defer {
      if let handle { urgency?.remove(handle) }
      ending?.cancel()
    }
    do {
      try await next.wait(for: answer)
    } catch {
      // Its turn may have come just now. Then it is the next one's.
      let now = self.now(next)
      perform(state.withLock { $0.left(ticket, byteCount, now: now) }, next)
      throw error
    }
  }

  private func now(_ next: ReadNext) -> ReadInstant {
    (clock.value ?? clock.publish(Clock(next.time))).time.now
  }

  private func perform(_ actions: State.Actions, _ next: ReadNext) {
    for waiter in actions.admitted { waiter.resolve(.success(())) }
    guard let alarm = actions.alarm else { return }
    var task: Task<Void, Never>?
    if let instant = alarm.at, let time = clock.value?.time {
      task = next.background.start { [self] in
        // A cancelled alarm is one that another was set for.
        guard (try? await time.sleep(until: instant)) != nil else { return }
        perform(state.withLock { $0.rang(alarm.number, now: time.now) }, next)
      }
    }
    let late = timer.withLock { timer -> Task<Void, Never>? in
      guard alarm.number > timer.number else { return task }
      defer { timer = Timer(number: alarm.number, task: task) }
      return timer.task
    }
    late?.cancel()
  }

  // MARK: figures

  /// Reads, those that waited, the most that waited at once, and how long they did in all.
  public func statistics() -> StageStatistics? {
    StageStatistics(
      stage: "Limiting",
      counts: [
        .init("reads", counts.sum(Count.reads.rawValue)), .init("waited", counts.sum(Count.waited.rawValue)),
        .init("longest queue", state.withLock { $0.longestQueue }),
        .init("microseconds waited", counts.sum(Count.microsecondsWaited.rawValue)),
      ])
  }

  /// Permits that are out, and those who wait for one.
  var occupancy: (underWay: Int, queued: Int) { state.withLock { ($0.underWay, $0.queueCount) } }
  /// The rate limit as it is now.
  var bucket: RateBucket? { state.withLock { $0.bucket } }
}
