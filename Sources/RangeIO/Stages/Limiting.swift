import Synchronization

extension ReadPipeline {
  /// Limits what a source is asked for: concurrent reads, bytes per second, or both.
  ///
  /// ```swift
  /// let limit: ReadPipeline = .limiting(maxConcurrentReads: 8, bytesPerSecond: .mebibytes(50))
  /// let reader = try await RangeReader(source, [.caching(store), .retrying(), limit])
  /// let other = try await RangeReader(second, [.caching(store), .retrying(), limit])  // they share the limit
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
  /// **Place.** The last of the built-in stages, directly above the source. There it counts what the source really
  /// sends: also the extra bytes of `.verifying` and `.merging`, and each try of `.retrying` and `.hedging`. A read
  /// that waits for its retry holds no permit. Below `.caching`, so that hits cost nothing and no read that holds a
  /// permit waits for a fetch that has none. Only once in a pipeline: if two readers list two of them in opposite
  /// orders, they can wait for each other for ever. `.timeLimit` above it includes the time in the queue, below it does
  /// not.
  ///
  /// A cancelled read releases its permit at once, even if the source keeps working on it.
  ///
  /// A source may itself read through another reader that has the same stage. Such a read belongs to the read that
  /// caused it, which already has a permit and has paid for its bytes. The stage recognizes this by a task-local value,
  /// which a detached task does not have.
  ///
  /// **Errors.** `ReadError.Code.timedOut` if the deadline of a read passes while it waits.
  ///
  /// **Cost.** A read that need not wait costs two locks; one that waits also allocates.
  ///
  /// - Parameters:
  ///   - maxConcurrentReads: the most concurrent reads, at least one. Default: no limit.
  ///   - bytesPerSecond: the long-term rate, at least one byte. Default: no limit.
  ///   - burst: the bytes that may be read at once after a pause. Default: one second's worth.
  ///
  /// - Precondition: no limit is zero or negative, and `burst` is set only together with a rate.
  public static func limiting(
    maxConcurrentReads: Int? = nil, bytesPerSecond: ByteCount? = nil, burst: ByteCount? = nil
  ) -> ReadPipeline {
    precondition(maxConcurrentReads.map { $0 > 0 } ?? true, "without a permit nothing is read")
    precondition(bytesPerSecond.map { $0.bytes > 0 } ?? true, "without bytes nothing is read")
    precondition(burst == nil || bytesPerSecond != nil, "a burst belongs to a rate")
    let bucket = bytesPerSecond.map { RateBucket(bytesPerSecond: $0.bytes, burst: (burst ?? $0).bytes) }
    return .stage(LimitingStage(concurrentReads: maxConcurrentReads ?? .max, bucket))
  }
}

/// The stage of `.limiting`: bounds reads at once and bytes a second.
final class LimitingStage: ReadStage {
  private typealias State = AdmissionQueue<Promise<Void>>

  private struct Timer {
    var number = 0
    var task: Task<Void, Never>?
  }

  /// One clock for all readers that share this stage: instants of two clocks cannot be compared.
  private final class Clock: Sendable {
    let time: ReadClock
    init(_ time: ReadClock) { self.time = time }
  }

  private let state: Locked<State>
  private let timer = Locked(Timer())
  private let clock = PublishedOnce<Clock>()
  private let counts = Stripes()

  private enum Count: Int {
    case reads, waited, microsecondsWaited
  }

  init(concurrentReads: Int, _ bucket: RateBucket?) {
    state = Locked(State(concurrentReads: concurrentReads, bucket: bucket))
  }

  var placement: ReadPipeline.Placement { .limiting }

  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    // It would wait for a permit that its own outer read holds.
    guard !EnclosingRead.isUnderWay(for: self) else { return try await next(request) }
    counts.add(1, to: Count.reads.rawValue)
    try await enter(request, next)
    defer {
      let now = now(next)
      perform(state.withLock { $0.ended(now: now) }, next)
    }
    return try await EnclosingRead.read(of: self) { try await next(request) }
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
    let handle = urgency?.observe { [self] in
      let now = self.now(next)
      perform(state.withLock { $0.raised(ticket, now: now) }, next)
    }
    let ending = request.deadline.map { deadline in
      next.background.start { [time = next.time] in
        // The sleep fails only when the timer is cancelled, and then it is no longer needed.
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
      // The read may have been admitted just now. If so, its turn goes to the next read.
      let now = self.now(next)
      perform(state.withLock { $0.left(ticket, byteCount, now: now) }, next)
      throw error
    }
  }

  private func now(_ next: ReadNext) -> ReadClock.Instant {
    (clock.value ?? clock.publish(Clock(next.time))).time.now
  }

  private func perform(_ actions: State.Actions, _ next: ReadNext) {
    for waiter in actions.admitted { waiter.resolve(.success(())) }
    guard let alarm = actions.alarm else { return }
    var task: Task<Void, Never>?
    if let instant = alarm.at, let time = clock.value?.time {
      task = next.background.start { [self] in
        // The sleep fails only when the alarm is cancelled, because another one replaces it.
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

  /// Reads, reads that waited, the most that waited at the same time, and the total time they waited.
  func statistics() -> Counters? {
    Counters(
      "Limiting",
      counts: [
        .init("reads", counts.sum(Count.reads.rawValue)), .init("waited", counts.sum(Count.waited.rawValue)),
        .init("longest queue", state.withLock { $0.longestQueue }),
        .init("microseconds waited", counts.sum(Count.microsecondsWaited.rawValue)),
      ])
  }

  /// The permits in use, and the number of waiters.
  var occupancy: (underWay: Int, queued: Int) { state.withLock { ($0.underWay, $0.queueCount) } }
  /// The current state of the rate limit.
  var bucket: RateBucket? { state.withLock { $0.bucket } }
}
