/// When credentials are replaced: in seconds by the clock of the server that they are for, if nothing else is said.
package enum CredentialsTimes {
  /// New credentials are fetched in the background this long before the old ones end, if nothing else is said.
  static let early = 300
  /// The old ones are not used any more this long before they end: a signature must be good on arrival.
  static let late = 30
  /// After a fetch that failed while the old ones were still good, the next one waits this long.
  static let pause = 30
  /// A fetch that has not ended after this long is given up: another takes its place. More than any place that credentials
  /// come from takes. By a clock that is never set.
  package static let patience: Duration = .seconds(90)
}

/// Which credentials are used now, and when new ones are fetched. Pure: events in, answers out.
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
    /// Use these; fetch others in the background if `fetches`.
    case use(Credentials, fetches: Bool)
    /// Wait for others.
    case wait
  }

  /// When credentials end, in seconds since 1970; `nil` if they do not end by themselves.
  let expiry: @Sendable (Credentials) -> Int?
  private(set) var current: Credentials?
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

  private func sign(at now: Int) -> Answer {
    guard let current, current != refused, lasts(current, now, CredentialsTimes.late) else { return .wait }
    return .use(current, fetches: !lasts(current, now, early) && now >= quietUntil)
  }

  private mutating func others(than credentials: Credentials, at now: Int, isRefused: Bool) -> Answer {
    // Another request has already brought new ones.
    if let current, current != credentials, lasts(current, now, CredentialsTimes.late) {
      return .use(current, fetches: false)
    }
    if isRefused { refused = credentials }
    return .wait
  }

  /// What a fetch that `question` waits for is asked.
  func need(for question: Question?) -> Question {
    if case .replace? = question, let question { return question }
    return current.map { .renew($0) } ?? .sign
  }

  /// The fetch has ended: with credentials, or with `nil` because it failed.
  mutating func fetched(_ credentials: Credentials?, at now: Int) {
    // What cannot be replaced at once is not asked for with every request.
    let isShort = credentials.map { !lasts($0, now, early) } ?? true
    quietUntil = isShort ? now + CredentialsTimes.pause : .min
    guard let credentials else { return }
    current = credentials
    // The same again: the caller decides by comparing. Not refused for ever, since the server may recover.
    refused = nil
  }

  private func lasts(_ credentials: Credentials, _ now: Int, _ margin: Int) -> Bool {
    expiry(credentials).map { $0 > now + margin } ?? true
  }
}
