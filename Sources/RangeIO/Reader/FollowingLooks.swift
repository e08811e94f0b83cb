/// When streams that follow a reader's source check it. One check serves all of them.
struct FollowingLooks {
  /// When the next check may begin.
  var next: ReadClock.Instant
  /// When the last completed check began.
  var last: ReadClock.Instant
  /// The number of completed checks.
  var count = 0
  /// How many checks of a far source in a row have found nothing new, up to ``maxDoublings``.
  private var fruitless = 0
  private var failures = 0

  /// The time between two checks grows to eight poll intervals.
  private static let maxDoublings = 3
  /// A stream waits through so many failed checks in a row.
  static let maxFailures = 8

  /// - Parameter start: the time at which the source was described.
  init(from start: ReadClock.Instant) { (next, last) = (start, start) }

  /// Begins a check if one may begin now, and returns `true`. The next one must then wait for `pause`.
  mutating func begins(at now: ReadClock.Instant, _ pause: Duration) -> Bool {
    guard now >= next else { return false }
    next = now.advanced(by: pause)
    return true
  }

  mutating func ended(begun start: ReadClock.Instant) {
    count += 1
    last = max(last, start)
  }

  /// The time from one check to the next.
  func interval(_ pollInterval: Duration) -> Duration { pollInterval * (1 << fruitless) }

  /// A check of a far source has found growth, or nothing new: the next one is due an interval after it.
  mutating func found(_ isLonger: Bool, _ pollInterval: Duration) {
    (fruitless, failures) = (isLonger ? 0 : min(fruitless + 1, Self.maxDoublings), 0)
    next = last.advanced(by: interval(pollInterval))
  }

  /// A check of a far source has failed. Returns whether to go on waiting.
  mutating func failed(at now: ReadClock.Instant, _ pollInterval: Duration) -> Bool {
    failures += 1
    fruitless = min(fruitless + 1, Self.maxDoublings)
    next = now.advanced(by: interval(pollInterval))
    return failures <= Self.maxFailures
  }
}
