public import RangeIO
internal import RangeIOSupport

/// The URL of an object, with its path and query byte for byte as they were given.
///
/// Foundation's `URL` encodes all of a path anew that has one illegal character, so that the path on the wire need not be
/// the path that was signed. Here only what may not stand in a URL is percent-encoded: spaces, controls, what is not
/// ASCII, any of `[]{}|^"<>\` or a backtick, and a lone `%`. What is encoded stays. The fragment is dropped.
/// `description` hides what is secret; ``text`` does not.
public struct ObjectURL: Hashable, Sendable {
  /// The protocols that are understood.
  public enum Scheme: String, Hashable, Sendable {
    /// HTTP over TCP.
    case http
    /// HTTP over TLS.
    case https

    /// The port where a URL names none.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// A server as far as credentials are concerned: RFC 6454, section 4.
  public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// The protocol.
    public let scheme: Scheme
    /// In lower case, IPv6 without brackets.
    public let host: String
    /// The port, also where the URL names none.
    public let port: Int

    /// As in a URL: `https://example.org:8443`.
    public var description: String { "\(scheme.rawValue)://\(ObjectURL.authority(host, port, scheme))" }
  }

  /// The protocol.
  public let scheme: Scheme
  /// The user's name, percent-decoded.
  public let user: String?
  /// The password, percent-decoded.
  public let password: String?
  /// In lower case, IPv6 without brackets.
  public let host: String
  /// The port if the URL names one.
  public let port: Int?
  /// Begins with a slash.
  public let path: String
  /// Without its question mark; `nil` if there is none.
  public let query: String?

  /// Parses `text`, which is at most 32,768 bytes long.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration`, without any part of `text`, which may be secret.
  public init(_ text: String) throws(ReadError) {
    let parser = try URLParser(text)
    try self.init(
      scheme: parser.scheme, user: parser.user, password: parser.password, host: parser.host, port: parser.port,
      path: parser.path, query: parser.query)
  }

  /// Creates a URL of its parts. Path and query stand as they will be sent, but for what may not stand in a URL at all.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration`.
  public init(scheme: Scheme, host: String, port: Int? = nil, path: String = "/", query: String? = nil)
    throws(ReadError)
  {
    try self.init(scheme: scheme, user: nil, password: nil, host: host, port: port, path: path, query: query)
  }

  private init(
    scheme: Scheme, user: String?, password: String?, host: String, port: Int?, path: String, query: String?
  ) throws(ReadError) {
    self.scheme = scheme
    self.user = user
    self.password = password
    self.host = try URLParser.checkedHost(host)
    if let port, !(1...65_535).contains(port) { throw ReadError.invalidURL("its port is no number from 1 to 65,535") }
    self.port = port
    let legal = PercentCoding.legal(path)
    self.path = legal.hasPrefix("/") ? legal : "/" + legal
    self.query = query.map { PercentCoding.legal($0, inQuery: true) }
  }

  /// This URL with another path and query; user, host and port stay.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration`.
  public func with(path: String, query: String?) throws(ReadError) -> ObjectURL {
    try ObjectURL(
      scheme: scheme, user: user, password: password, host: host, port: port, path: path, query: query)
  }

  /// `name` as a path: all bytes of its UTF-8 but unreserved ones (RFC 3986, 2.3) and slashes as `%XX`, with capital digits.
  /// Slashes stay, also twice in a row, and so do `.` and `..`.
  public static func encodedPath(_ name: String) -> String { PercentCoding.encoded(name, keeping: UInt8(ascii: "/")) }

  /// `text` as a name or a value of a query, or as one part of a path: as ``encodedPath(_:)``, and slashes too.
  public static func encodedQuery(_ text: String) -> String { PercentCoding.encoded(text, keeping: nil) }

  /// The port to connect to.
  public var effectivePort: Int { port ?? scheme.defaultPort }

  /// Host and port, as the field `Host` has them: the scheme's own port is left out.
  public var authority: String { Self.authority(host, effectivePort, scheme) }

  /// Path and query: the target of a request (RFC 9112, section 3.2.1).
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// The whole URL as it goes over the wire: without user info and fragment, with all secrets of its query.
  public var text: String { "\(scheme.rawValue)://\(authority)\(target)" }

  /// Whose credentials may be sent.
  public var origin: Origin { Origin(scheme: scheme, host: host, port: effectivePort) }

  /// `true` if the host is this machine itself: what goes there needs no TLS to stay secret.
  public var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func authority(_ host: String, _ port: Int, _ scheme: Scheme) -> String {
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port == scheme.defaultPort ? bracketed : "\(bracketed):\(port)"
  }
}

extension ObjectURL: CustomStringConvertible, CustomReflectable {
  /// The URL without what is secret.
  public var description: String { redacted }

  /// Shows no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ReadError {
  static func invalidURL(_ what: String) -> ReadError {
    ReadError(.invalidConfiguration, "the URL cannot be used: \(what)")
  }
}
