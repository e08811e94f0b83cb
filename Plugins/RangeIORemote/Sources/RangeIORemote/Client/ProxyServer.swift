/// A proxy.
struct ProxyServer: Hashable, Sendable, CustomStringConvertible {
  /// The protocol between this process and the proxy.
  enum Kind: Hashable, Sendable {
    /// HTTP with `CONNECT`, for `http` and `https`.
    case http
    /// HTTP that is asked for the whole URL (RFC 9112, 3.2.2): for `http` through one that refuses `CONNECT`.
    case forward
    /// SOCKS 5 without a password.
    case socks5
  }

  /// The protocol.
  private(set) var kind: Kind
  /// The host.
  let host: String
  /// The port.
  let port: Int
  /// The user, if the proxy asks for one.
  let user: String?
  /// The user's password. Never shown.
  let password: String?

  /// The proxy that `text` names: `http://proxy:3128`, `http://user:password@proxy:3128`, `socks5://proxy:1080`, or a
  /// host and port alone.
  ///
  /// - Throws: `Failure` with `invalidURL` for anything else, such as a proxy that is reached over TLS.
  init(_ text: String) throws(Failure) {
    var rest = Substring(text)
    var kind = Kind.http
    if let end = text.range(ofBytes: "://") {
      switch text[..<end.lowerBound].lowercased() {
      case "http": kind = .http
      case "socks5", "socks5h": kind = .socks5
      default:
        throw Failure(
          .invalidURL, "a proxy must be http:// or socks5://, this one is \(text[..<end.lowerBound].prefix(16))://")
      }
      rest = text[end.upperBound...]
    }
    // As a URL of the proxy, which has the same user, host and port.
    let url: ObjectURL
    do { url = try ObjectURL("http://" + rest) } catch {
      throw Failure(.invalidURL, "the proxy is no URL with a host: write http://HOST:PORT")
    }
    guard kind == .http || url.user == nil else {
      throw Failure(.invalidURL, "a SOCKS proxy with a user is not supported: use one without")
    }
    self.kind = kind
    host = url.host
    port = url.port ?? (kind == .http ? 80 : 1080)
    user = url.user
    password = url.password
  }

  /// The same proxy, asked for whole URLs.
  var forwarding: ProxyServer {
    var proxy = self
    proxy.kind = .forward
    return proxy
  }

  /// Protocol, host and port; never the password.
  var description: String {
    "\(kind == .socks5 ? "socks5" : "http")://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
  }
}

extension StringProtocol {
  /// Where the bytes of `part` are first found.
  func range(ofBytes part: String) -> Range<Index>? {
    let wanted = Array(part.utf8)
    var start = utf8.startIndex
    while true {
      if utf8[start...].starts(with: wanted) { return start..<utf8.index(start, offsetBy: wanted.count) }
      guard start < utf8.endIndex else { return nil }
      start = utf8.index(after: start)
    }
  }
}
