import CRangeIOSystem
import Synchronization

extension Duration {
  /// Whole nanoseconds, from `Int64.min` to `Int64.max`.
  package var nanoseconds: Int64 {
    // `components` traps on more seconds than an `Int64` counts, which a multiple of a duration may have.
    if self >= .nanoseconds(Int64.max) { return .max }
    if self <= .nanoseconds(Int64.min) { return .min }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// The clock that stages and readers use, so that a test can pass in a clock it moves by hand.
///
/// Instants of `any Clock<Duration>` cannot be compared. So this value erases the clock's type when it is made, and
/// uses its own instants.
public struct ReadClock: Sendable {
  private let read: @Sendable () -> Instant
  private let wait: @Sendable (Instant) async throws -> Void

  /// Creates one from `clock`. The current time becomes the origin of its instants.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    read = { Instant(nanoseconds: origin.duration(to: clock.now).nanoseconds) }
    wait = { try await clock.sleep(until: origin.advanced(by: .nanoseconds($0.nanoseconds)), tolerance: nil) }
  }

  /// The system's continuous clock.
  public static let continuous: ReadClock = {
    // Its numbers without the arithmetic of `Duration`, which takes longer than asking for the time.
    let start = rio_continuous_ns()
    // Taken later, so that no wait ends before its time.
    let origin = ContinuousClock.now
    return ReadClock(
      read: { Instant(nanoseconds: rio_continuous_ns() - start) },
      wait: {
        try await ContinuousClock().sleep(until: origin.advanced(by: .nanoseconds($0.nanoseconds)), tolerance: nil)
      })
  }()

  private init(
    read: @escaping @Sendable () -> Instant, wait: @escaping @Sendable (Instant) async throws -> Void
  ) {
    self.read = read
    self.wait = wait
  }

  /// The current time.
  public var now: Instant { read() }

  /// Suspends until `instant`. A cancelled sleep throws `CancellationError` at once.
  package func sleep(until instant: Instant) async throws { try await wait(instant) }

  /// Suspends for `duration`. A cancelled sleep throws `CancellationError` at once.
  public func sleep(for duration: Duration) async throws { try await wait(now.advanced(by: duration)) }
}

extension ReadClock {
  /// A moment on the clock of a reader. Comparable with other instants of that reader.
  public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock was passed in.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Compares by time.
    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The instant `duration` later, at most some 292 years from the clock's start.
    public func advanced(by duration: Duration) -> Instant {
      let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
      return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from this instant to `other`.
    public func duration(to other: Instant) -> Duration {
      let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
      return overflow ? .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) : .nanoseconds(difference)
    }
  }
}

/// Takes early what waiting needs from the system.
///
/// On Linux the first timed wait of the process, in any `Task.sleep`, opens a few descriptors. If none is left by then,
/// libdispatch ends the process. A process that opens hundreds of files may run out of descriptors, and should get an
/// error instead.
enum Timers {
  private static let started = Atomic<Bool>(false)

  /// `true` once the first wait of the process was started here.
  static var isPrepared: Bool { started.load(ordering: .acquiring) }

  /// Starts the first wait of the process now, if enough descriptors are free. Does not wait itself. Returns whether it
  /// is started, or need not be; if not, too few descriptors are free, and the next call tries again.
  @discardableResult static func prepare() -> Bool {
    let descriptors = Platform.descriptorsOfFirstWait
    if isPrepared || descriptors == 0 { return true }
    guard rio_descriptors_are_left(descriptors) else { return false }
    guard !started.exchange(true, ordering: .acquiringAndReleasing) else { return true }
    // Each clock has its own descriptor. libdispatch opens it only if the wait is not over by the time it comes to see
    // to it, which may be late on a busy machine: so these waits are long. Nothing waits for them to end. They belong
    // to the process, not to the task that happens to be the first.
    let background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
    // `try?`: these tasks are never cancelled.
    background.startElsewhere { try? await ContinuousClock().sleep(for: .seconds(60)) }
    // `try?`: as above.
    background.startElsewhere { try? await SuspendingClock().sleep(for: .seconds(60)) }
    return true
  }
}
