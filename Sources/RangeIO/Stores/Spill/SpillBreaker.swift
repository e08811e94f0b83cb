/// Keeps a sick disk from making reads slow: decides whether a spill directory may be used now.
///
/// A pure state machine: what happened comes in with its time, what may be done comes out. *Closed* is healthy: all
/// calls go through. Three errors within a minute, or one call that takes a second, *open* it: nothing goes through until
/// a pause has passed, 5 s at first and doubling up to 5 min. Then one call at a time goes through to try; a failure
/// opens it again, ten successes close it.
struct SpillBreaker: Sendable {
  struct Rules: Sendable {
    var errors = 3
    var within: Duration = .seconds(60)
    var stall: Duration = .seconds(1)
    var firstPause: Duration = .seconds(5)
    var longestPause: Duration = .seconds(300)
    var successes = 10
  }

  /// What it lets through.
  enum State: Hashable, Sendable, Codable {
    /// Everything.
    case closed
    /// Nothing, until a pause is over.
    case open
    /// One call at a time, to try.
    case trying
  }

  private(set) var state = State.closed
  let rules: Rules
  /// Times of the latest errors while closed.
  private var errors: [ReadInstant] = []
  private var pause: Duration
  private var opensAgainAt: ReadInstant?
  private var successes = 0
  /// Whether a call that tries is under way.
  private var isTrying = false
  private(set) var openings = 0
  private(set) var closings = 0

  init(rules: Rules = Rules()) {
    self.rules = rules
    pause = rules.firstPause
  }

  /// Whether all calls go through.
  var isClosed: Bool { state == .closed }

  /// What a call may do.
  enum Permit: Equatable, Sendable {
    case go
    /// It is the one that tries: how it ends must be told, or that it did not take place.
    case tries
    case refused
  }

  /// A call is about to be made.
  mutating func ask(now: ReadInstant) -> Permit {
    switch state {
    case .closed: return .go
    case .open:
      guard let opensAgainAt, now >= opensAgainAt else { return .refused }
      state = .trying
      successes = 0
      isTrying = true
      return .tries
    case .trying:
      guard !isTrying else { return .refused }
      isTrying = true
      return .tries
    }
  }

  /// A call did not take place after all.
  mutating func withdraw(_ permit: Permit) { if permit == .tries { isTrying = false } }

  /// A call ended well.
  mutating func succeeded(_ permit: Permit) {
    guard permit == .tries, state == .trying, isTrying else { return }
    isTrying = false
    successes += 1
    guard successes >= rules.successes else { return }
    state = .closed
    closings += 1
    pause = rules.firstPause
    errors = []
  }

  /// A call failed.
  ///
  /// - Returns: whether that opened it.
  @discardableResult mutating func failed(_ permit: Permit, now: ReadInstant) -> Bool {
    switch state {
    case .open: return false
    case .trying:
      // A call from before it was opened says nothing new.
      guard permit == .tries else { return false }
      open(now)
      return true
    case .closed:
      errors.removeAll { $0.duration(to: now) > rules.within }
      errors.append(now)
      guard errors.count >= rules.errors else { return false }
      open(now)
      return true
    }
  }

  /// A call has been under way for too long.
  ///
  /// - Returns: whether that opened it.
  @discardableResult mutating func stalled(_ permit: Permit, now: ReadInstant) -> Bool {
    guard state == .closed || state == .trying && permit == .tries else { return false }
    open(now)
    return true
  }

  private mutating func open(_ now: ReadInstant) {
    state = .open
    openings += 1
    isTrying = false
    errors = []
    opensAgainAt = now.advanced(by: pause)
    pause = min(pause * 2, rules.longestPause)
  }
}
