import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ReadClockTests {
  @Test func `instants start at zero and follow the clock`() {
    let clock = HandClock()
    clock.move(by: .seconds(100))
    let time = ReadClock(clock)
    #expect(time.now == ReadClock.Instant(nanoseconds: 0))
    clock.move(by: .milliseconds(3))
    #expect(time.now == ReadClock.Instant(nanoseconds: 3_000_000))
  }

  @Test func `sleeping ends on the clock that was handed in`() async throws {
    let clock = HandClock()
    let time = ReadClock(clock)
    clock.move(by: .seconds(1))
    try await time.sleep(for: .seconds(2))
    #expect(clock.sleeps.map(\.offset) == [.seconds(3)])
    try await time.sleep(until: ReadClock.Instant(nanoseconds: 7))
    #expect(clock.sleeps.last?.offset == .nanoseconds(7))
  }

  @Test func `a cancelled sleep of the system's clock throws at once`() async {
    let task = Task { try await ReadClock.continuous.sleep(for: .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `instants compare, move and subtract`() {
    let early = ReadClock.Instant(nanoseconds: 5)
    let late = early.advanced(by: .microseconds(2))
    #expect(late.nanoseconds == 2005)
    #expect(early < late)
    #expect(!(late < early))
    #expect(early.duration(to: late) == .microseconds(2))
    #expect(late.duration(to: early) == .microseconds(-2))
  }

  @Test func `instants stop at the ends of their range`() {
    let late = ReadClock.Instant(nanoseconds: .max - 1)
    #expect(late.advanced(by: .seconds(1)).nanoseconds == .max)
    #expect(late.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
    let early = ReadClock.Instant(nanoseconds: .min + 1)
    #expect(early.advanced(by: .seconds(-1)).nanoseconds == .min)
    #expect(early.duration(to: late) == .nanoseconds(Int64.max - 1) + .nanoseconds(Int64.max))
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.milliseconds(-1500), -1_500_000_000),
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0), (.nanoseconds(Int64.max), .max),
      (.seconds(Int64.max) * 8, .max), (.seconds(Int64.min) * 8, .min),
      (.nanoseconds(Int64.min), .min), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
      (.seconds(9_223_372_036) + .nanoseconds(854_775_808), .max), (.seconds(9_223_372_037), .max),
      (.seconds(-9_223_372_036) + .nanoseconds(-854_775_809), .min),
      (.seconds(9_223_372_036), 9_223_372_036_000_000_000),
    ] as [(Duration, Int64)])
  func `a duration in nanoseconds stops at the ends and never traps`(duration: Duration, wanted: Int64) {
    #expect(duration.nanoseconds == wanted)
  }
}

/// A clock that stands still until it is moved, and notes who sleeps instead of letting them.
private final class HandClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let state = Locked<(now: Instant, sleeps: [Instant])>((Instant(offset: .zero), []))
  let minimumResolution = Duration.nanoseconds(1)

  var now: Instant { state.withLock { $0.now } }
  var sleeps: [Instant] { state.withLock { $0.sleeps } }
  func move(by duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    state.withLock { $0.sleeps.append(deadline) }
  }
}
