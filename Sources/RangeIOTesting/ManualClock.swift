import RangeIO

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let source = SyntheticSource(byteCount: 1 << 40, latency: .milliseconds(20), time: ReadClock(clock))
/// clock.advance(by: .milliseconds(20))  // wakes all that slept until then
/// ```
public final class ManualClock: Clock, Sendable {
  /// A moment, measured from the creation of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the creation of the clock.
    public var offset: Duration

    /// The moment `offset` after the creation of the clock.
    public init(offset: Duration) { self.offset = offset }

    /// The instant `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from this instant to `other`.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Compares two moments; the earlier one is smaller.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    let number: Int
    let until: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var cancelled: Set<Int> = []
    var count = 0

    /// Removes and returns the waiters whose number of sleepers has been reached.
    mutating func takeReached() -> [CheckedContinuation<Void, Never>] {
      let reached = waiting.filter { $0.count <= sleepers.count }.map(\.continuation)
      waiting.removeAll { $0.count <= sleepers.count }
      return reached
    }
  }

  private let state = Locked(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The current time of the clock.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step: zero.
  public var minimumResolution: Duration { .zero }

  /// The earliest moment until which a task sleeps, or `nil`.
  public var nextWake: Instant? { state.withLock { $0.sleepers.map(\.until).min() } }

  /// The number of tasks that sleep now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Waits until at least `count` tasks sleep at the same time.
  public func untilSleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        guard state.sleepers.count < count else { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  /// Moves the clock forward and wakes the tasks whose time has come, the earliest first.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Moves the clock to `instant`, never backwards, and wakes the tasks whose time has come, the earliest first.
  public func advance(to instant: Instant) {
    let woken = state.withLock { state in
      state.now = max(state.now, instant)
      let due = state.sleepers.filter { $0.until <= state.now }
      state.sleepers.removeAll { $0.until <= state.now }
      return due.sorted { ($0.until, $0.number) < ($1.until, $1.number) }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Suspends until the clock reaches `deadline`. A cancelled sleep throws `CancellationError` at once.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (outcome, reached) = state.withLock {
          state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
          if state.cancelled.remove(number) != nil { return (.failure(CancellationError()), []) }
          if deadline <= state.now { return (.success(()), []) }
          state.sleepers.append(Sleeper(number: number, until: deadline, continuation: continuation))
          return (nil, state.takeReached())
        }
        if let outcome { continuation.resume(with: outcome) }
        for one in reached { one.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: place)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(number) }
  }
}
