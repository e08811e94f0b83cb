/// A fault below HTTP. Texts are our own words, without secrets.
enum TransportFault: Hashable, Sendable {
  /// The host's name has no address.
  case unresolved
  /// No process listens there.
  case refused
  /// No connection in time.
  case connectTimeout
  /// TLS could not be agreed on.
  case tls(String)
  /// The connection was reset or closed, before the head or in mid-body.
  case reset
  /// HTTP/2: the server takes no more requests on this connection.
  case goAway
  /// HTTP/2: the server ended this request.
  case streamReset
  /// TLS: the connection ended without `close_notify`.
  case closedWithoutNotify
  /// No head for too long.
  case headTimeout
  /// No byte for too long.
  case stalled
  /// Fewer bytes than a ``RateFloor`` asks for.
  case tooSlow
  /// The whole read took too long.
  case deadline
  /// More header fields than allowed.
  case giantHeaders
  /// Not HTTP.
  case malformed(String)
  /// An answer to no request, or one that had come before, on a connection that was kept open.
  case leftOver
  /// The proxy refused to connect to the server.
  case proxyRefused
  /// The proxy cannot be used for another reason.
  case proxy(String)
  /// The proxy asks for a user and a password.
  case proxyAuthentication
  /// The proxy could not be reached.
  case noProxy(String)
  /// The source was closed, or nothing waits for the answer any more.
  case closed
  /// Anything else.
  case other(String)

  /// Another connection may well do better, at once (RFC 9110, section 9.2.2: GET and HEAD may be repeated).
  var isCut: Bool {
    switch self {
    case .reset, .goAway, .streamReset, .closedWithoutNotify, .leftOver: true
    default: false
    }
  }

  /// There was no connection, so that the name or the port may be wrong.
  var isUnreached: Bool {
    switch self {
    case .unresolved, .refused, .connectTimeout: true
    default: false
    }
  }

  /// Another connection may do better: what came in place of a head may be left over from the answer before, on a
  /// connection that was kept open.
  var mayBeLeftOver: Bool { if case .malformed = self { true } else { false } }

  /// The same where `proxy` was connected to, and not the server.
  func through(_ proxy: ProxyServer) -> TransportFault {
    switch self {
    case .refused: .noProxy("the proxy \(proxy) refused the connection: is it running, and is its port right?")
    case .unresolved: .noProxy("the name of the proxy \(proxy) has no address: check it, and the network")
    case .proxyAuthentication where proxy.user != nil:
      .proxy("the proxy \(proxy) refuses the user and the password in its URL: check them")
    default: self
    }
  }

  /// The most repeats in a row after an answer that may be left over.
  static let maxLeftOver = 3

  /// Why TLS fails, where there is advice for it.
  static let untrusted = "the server's certificate is not trusted"
  static let plain = "the server does not speak TLS at this port"

  /// The failure where it cannot be mended.
  var failure: Failure {
    switch self {
    case .unresolved: Failure(.unresolved, "the name of the server has no address: check it, and the network")
    case .refused: Failure(.refused, "the server refused the connection: is it running, and is the port right?")
    case .connectTimeout:
      Failure(
        .connectTimeout, "the server could not be connected to in time: check host, port and scheme, or try again later"
      )
    case .tls(Self.untrusted):
      Failure(
        .tls,
        "TLS with the server failed (\(Self.untrusted)): check its certificate and the clock, or add its authority to "
          + "additionalTrustRoots")
    case .tls(Self.plain):
      Failure(.tls, "TLS with the server failed (\(Self.plain)): write http:// instead of https://, or another port")
    case .tls(let what): Failure(.tls, "TLS with the server failed (\(what)): check its certificate and the clock")
    case .reset: Failure(.reset, "the server closed the connection before it answered: try again")
    case .goAway: Failure(.reset, "the server took no more requests on the connection (GOAWAY): try again")
    case .streamReset: Failure(.reset, "the server reset the stream (RST_STREAM): try again")
    case .closedWithoutNotify:
      Failure(.truncated, "the connection ended without close_notify of TLS, so the body may be incomplete: try again")
    case .headTimeout: Failure(.headTimeout, "the server did not answer in time: try again later")
    case .stalled: Failure(.stalled, "the server stopped sending within the body: try again later")
    case .tooSlow: Failure(.tooSlow, "the server sent fewer bytes per second than the least rate: try again later")
    case .deadline: Failure(.deadline, "the read took longer than its time limit: raise it, or read less at once")
    case .giantHeaders:
      Failure(.giantHeaders, "the server sent more header fields than are accepted: it may be the wrong server")
    case .malformed(let what): Failure(.malformed, "the server's answer is not HTTP (\(what)): check port and scheme")
    case .leftOver:
      Failure(
        .malformed, "the server sent more answers on its connections than it was asked for: try again",
        isTransient: true)
    case .proxyAuthentication:
      Failure(.proxyAuthentication, "the proxy asks for a user and a password: put them into its URL")
    case .noProxy(let what): Failure(.refused, what)
    case .proxyRefused:
      Failure(
        .proxyAuthentication, "the proxy refused to connect to the server: check its address and rules",
        isTransient: false)
    case .proxy(let what): Failure(.proxyAuthentication, what, isTransient: false)
    case .closed: Failure(.closed, "the source was closed: make a new one")
    case .other(let what): Failure(.reset, "the connection failed (\(what)): try again", isTransient: true)
    }
  }
}

/// The end of a body that is received.
enum BodyEnd: Hashable, Sendable {
  /// As HTTP says, also with fewer bytes than the head promised.
  case complete
  /// All wanted bytes came, and the rest was aborted.
  case stopped
  /// More bytes came than the head promised.
  case overran
  /// In the middle.
  case fault(TransportFault)
}

/// The plan for a body: drop `skip` bytes, take `take`, and read or abort what follows.
struct BodyPlan: Hashable, Sendable {
  let skip: Int
  let take: Int
  /// The bytes that the head promises after those; `nil`: it does not say.
  let rest: Int?
}
