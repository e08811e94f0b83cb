/// A moment on the clock of a reader. Comparable with other instants of that reader.
public struct ReadInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock was passed in.
  let nanoseconds: Int64

  /// Compares by time.
  public static func < (a: ReadInstant, b: ReadInstant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The instant `duration` later, at most some 292 years from the clock's start.
  public func advanced(by duration: Duration) -> ReadInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return ReadInstant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// The time from this instant to `other`.
  public func duration(to other: ReadInstant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return overflow ? .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) : .nanoseconds(difference)
  }
}

extension Duration {
  /// Whole nanoseconds, from `Int64.min` to `Int64.max`.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || overflow ? (seconds < 0 ? .min : .max) : sum
  }
}

/// The clock that stages and readers use, so that a test can pass in a clock it moves by hand.
///
/// Instants of `any Clock<Duration>` cannot be compared. So this value erases the clock's type when it is made, and
/// uses its own instants.
public struct TimeSource: Sendable {
  private let read: @Sendable () -> ReadInstant
  private let wait: @Sendable (ReadInstant) async throws -> Void

  /// Creates a time source from `clock`. The current time becomes the origin of its instants.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    read = { ReadInstant(nanoseconds: origin.duration(to: clock.now).nanoseconds) }
    wait = { try await clock.sleep(until: origin.advanced(by: .nanoseconds($0.nanoseconds)), tolerance: nil) }
  }

  /// The system's continuous clock.
  public static let continuous = TimeSource(ContinuousClock())

  /// The current time.
  public var now: ReadInstant { read() }

  /// Suspends until `instant`. A cancelled sleep throws `CancellationError` at once.
  public func sleep(until instant: ReadInstant) async throws { try await wait(instant) }

  /// Suspends for `duration`. A cancelled sleep throws `CancellationError` at once.
  public func sleep(for duration: Duration) async throws { try await wait(now.advanced(by: duration)) }
}
