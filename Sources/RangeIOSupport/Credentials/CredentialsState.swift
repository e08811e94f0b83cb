/// When credentials are replaced, in seconds.
enum CredentialsTimes {
  /// New credentials are fetched in the background this long before the old ones end, if nothing else is said.
  static let early = 300
  /// The old ones are not used any more this long before they end: a signature must be good on arrival.
  static let late = 30
  /// After a fetch that failed while the old ones were still good, the next one waits this long.
  static let pause = 30
  /// A fetch that has not ended after this long is given up: another takes its place. More than any place that credentials
  /// come from takes.
  static let patience = 90
}

/// Which credentials are used now, and when new ones are fetched. Pure: events in, answers out. At most one fetch runs
/// at a time, for all readers.
struct CredentialsState<Credentials: Hashable & Sendable>: Sendable {
  /// The reason why a request needs credentials.
  enum Question: Equatable, Sendable {
    /// It is about to be signed.
    case sign
    /// The server said that these have expired or are not known: others are needed.
    case replace(Credentials)
    /// These end soon: others are wanted.
    case renew(Credentials)
  }

  /// The next step of the request.
  enum Answer: Equatable {
    /// Use these; begin to fetch others in the background if `fetches`.
    case use(Credentials, fetches: Bool)
    /// Wait for the fetch; begin it if `fetches`.
    case wait(fetches: Bool)
  }

  /// When credentials end, in seconds since 1970; `nil` if they do not end by themselves.
  let expiry: @Sendable (Credentials) -> Int?
  private(set) var current: Credentials?
  /// When the fetch under way began.
  private var fetchBegan: Int?
  /// No fetch in the background before this.
  private var quietUntil = Int.min
  /// The credentials that the server has refused: not used again unless there is nothing else.
  private var refused: Credentials?

  /// New ones are fetched in the background this many seconds before the old ones end.
  let early: Int

  init(expiry: @escaping @Sendable (Credentials) -> Int?, early: Int = CredentialsTimes.early) {
    self.expiry = expiry
    self.early = early
  }

  /// A request needs credentials.
  mutating func ask(_ question: Question, at now: Int) -> Answer {
    switch question {
    case .sign: sign(at: now)
    case .replace(let credentials): others(than: credentials, at: now, isRefused: true)
    case .renew(let credentials): others(than: credentials, at: now, isRefused: false)
    }
  }

  private mutating func sign(at now: Int) -> Answer {
    guard let current, current != refused, lasts(current, now, CredentialsTimes.late) else { return wait(at: now) }
    guard !lasts(current, now, early), now >= quietUntil else { return .use(current, fetches: false) }
    return .use(current, fetches: begins(at: now))
  }

  private mutating func others(than credentials: Credentials, at now: Int, isRefused: Bool) -> Answer {
    // Another request has already brought new ones.
    if let current, current != credentials, lasts(current, now, CredentialsTimes.late) {
      return .use(current, fetches: false)
    }
    if isRefused { refused = credentials }
    return wait(at: now)
  }

  /// What a fetch that `question` waits for is asked.
  func need(for question: Question?) -> Question {
    if case .replace? = question, let question { return question }
    return current.map { .renew($0) } ?? .sign
  }

  /// The fetch has ended: with credentials, or with `nil` because it failed.
  mutating func fetched(_ credentials: Credentials?, at now: Int) {
    fetchBegan = nil
    // What cannot be replaced at once is not asked for with every request.
    let isShort = credentials.map { !lasts($0, now, early) } ?? true
    quietUntil = isShort ? now + CredentialsTimes.pause : .min
    guard let credentials else { return }
    current = credentials
    // The same again: the caller decides by comparing. Not refused for ever, since the server may recover.
    refused = nil
  }

  private mutating func wait(at now: Int) -> Answer { .wait(fetches: begins(at: now)) }

  /// Begins a fetch if none is under way, or it hangs.
  private mutating func begins(at now: Int) -> Bool {
    if fetchBegan != nil, !hangs(at: now) { return false }
    fetchBegan = now
    return true
  }

  /// `true` if the fetch under way has taken too long. A clock that was set back counts as too long.
  func hangs(at now: Int) -> Bool { fetchBegan.map { !(0..<CredentialsTimes.patience).contains(now - $0) } ?? false }

  private func lasts(_ credentials: Credentials, _ now: Int, _ margin: Int) -> Bool {
    expiry(credentials).map { $0 > now + margin } ?? true
  }
}
