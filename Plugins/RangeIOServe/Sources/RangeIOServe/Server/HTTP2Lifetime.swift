/// When a connection of HTTP/2 ends: a value, told of events and of the time.
///
/// One that has no streams for a while is told farewell and closed. When the server stops, the client is first told so. Streams
/// that it has begun meanwhile are refused (SwiftNIO does that), so that it can send them elsewhere. Then it is told which
/// stream was the last one, and the connection ends with that.
///
/// - Source: RFC 9113, section 6.8.
struct HTTP2Lifetime: Equatable {
  enum Action: Equatable {
    case none
    /// Tell the client that there will be no more streams soon, and ask it for a sign that it has heard.
    case announceEnd
    /// Tell the client that no stream after this one is answered.
    case refuseAfter(Int)
    /// The same, and close the connection.
    case endAfter(Int)
    /// Close the connection, once what was written has gone out.
    case close
  }
  private enum Phase: Equatable { case open, announced(since: Duration), refusing, ended }

  let idleTimeout: Duration
  private var phase = Phase.open
  private var streams = 0
  private var lastStream = 0
  /// Since when there are no streams.
  private var idleSince: Duration?

  /// How long a client may take for the sign. Without one it would be open for good.
  static let signTime = Duration.seconds(1)

  /// - Parameter now: the time since any fixed moment, as in all calls.
  init(idleTimeout: Duration, now: Duration) {
    self.idleTimeout = idleTimeout
    idleSince = now
  }

  mutating func streamOpened(_ number: Int) {
    streams += 1
    lastStream = max(lastStream, number)
    idleSince = nil
  }

  mutating func streamClosed(now: Duration) -> Action {
    streams -= 1
    guard streams == 0 else { return .none }
    idleSince = now
    guard phase == .refusing else { return .none }
    phase = .ended
    return .close
  }

  /// The server stops.
  mutating func stops(now: Duration) -> Action {
    guard phase == .open else { return .none }
    guard streams > 0 else { return end() }
    phase = .announced(since: now)
    return .announceEnd
  }

  /// The client has heard the announcement.
  mutating func signCame() -> Action {
    guard case .announced = phase else { return .none }
    guard streams > 0 else { return end() }
    phase = .refusing
    return .refuseAfter(lastStream)
  }

  /// What to do now, if it is time for something.
  mutating func look(now: Duration) -> Action {
    guard let deadline, deadline <= now else { return .none }
    if case .announced = phase { return signCame() }
    return end()
  }

  /// When to look, if nothing happens until then; `nil`: not by itself.
  var deadline: Duration? {
    switch phase {
    case .open: idleSince.map { $0 + idleTimeout }
    case .announced(let since): since + Self.signTime
    case .refusing, .ended: nil
    }
  }

  private mutating func end() -> Action {
    phase = .ended
    return .endAfter(lastStream)
  }
}
