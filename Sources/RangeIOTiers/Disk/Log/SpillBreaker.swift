import RangeIO

/// Decides whether a spill directory may be used now, so that a sick disk does not make reads slow.
///
/// A pure state machine: events and their times go in, permissions come out. *Closed* is healthy: all calls go through.
/// Three errors within a minute, or one call that takes a second, *open* it: nothing goes through until a pause has
/// passed, 5 s at first and doubling up to 5 min. Then one call at a time goes through to try the disk; a failure opens
/// it again, ten successes close it.
struct SpillBreaker: Sendable {
  struct Rules: Sendable {
    var errors = 3
    var within: Duration = .seconds(60)
    var stall: Duration = .seconds(1)
    var firstPause: Duration = .seconds(5)
    var longestPause: Duration = .seconds(300)
    var successes = 10
  }

  private(set) var state = DiskCounts.Breaker.closed
  let rules: Rules
  /// The times of the latest errors while closed.
  private var errors: [ReadClock.Instant] = []
  private var pause: Duration
  /// When the disk may be tried, while this is open.
  private(set) var opensAgainAt: ReadClock.Instant?
  private var successes = 0
  /// The number of the call that tries the disk now, so that an earlier call is not mistaken for it.
  private var trying: Int?
  private var tries = 0
  private(set) var openings = 0
  private(set) var closings = 0

  init(rules: Rules = Rules()) {
    self.rules = rules
    pause = rules.firstPause
  }

  var isClosed: Bool { state == .closed }

  /// The permission that a call gets.
  enum Permit: Equatable, Sendable {
    case go
    /// This call tries the disk. The caller must report how it ends, or that it did not take place.
    case tries(Int)
    case refused
  }

  /// Checks whether ``ask(now:)`` would let a call through.
  func lets(now: ReadClock.Instant) -> Bool {
    switch state {
    case .closed: true
    case .open: opensAgainAt.map { now >= $0 } ?? false
    case .trying: trying == nil
    }
  }

  mutating func ask(now: ReadClock.Instant) -> Permit {
    guard lets(now: now) else { return .refused }
    guard state != .closed else { return .go }
    if state == .open {
      state = .trying
      successes = 0
    }
    tries += 1
    trying = tries
    return .tries(tries)
  }

  /// Checks whether this call is the one that tries the disk now.
  private func isTrying(_ permit: Permit) -> Bool {
    guard case .tries(let number) = permit else { return false }
    return number == trying
  }

  /// Reports that a call did not take place. Does nothing if its end was already reported.
  mutating func withdraw(_ permit: Permit) { if isTrying(permit) { trying = nil } }

  mutating func succeeded(_ permit: Permit) {
    guard isTrying(permit) else { return }
    trying = nil
    successes += 1
    guard successes >= rules.successes else { return }
    state = .closed
    closings += 1
    pause = rules.firstPause
    errors = []
  }

  /// Reports that a call failed. Returns whether that opened it.
  @discardableResult mutating func failed(_ permit: Permit, now: ReadClock.Instant) -> Bool {
    switch state {
    case .open: return false
    // A call that started before it was opened says nothing new.
    case .trying: guard isTrying(permit) else { return false }
    case .closed:
      errors.removeAll { $0.duration(to: now) > rules.within }
      errors.append(now)
      guard errors.count >= rules.errors else { return false }
    }
    open(now)
    return true
  }

  /// Reports that a call has taken too long. Returns whether that opened it.
  @discardableResult mutating func stalled(_ permit: Permit, now: ReadClock.Instant) -> Bool {
    guard state == .closed || isTrying(permit) else { return false }
    open(now)
    return true
  }

  private mutating func open(_ now: ReadClock.Instant) {
    state = .open
    openings += 1
    trying = nil
    errors = []
    opensAgainAt = now.advanced(by: pause)
    pause = min(pause * 2, rules.longestPause)
  }
}
