public import RangeIO

/// How requests of one source are made. Sources of plugins make it of their configuration.
public struct TransportSettings: Hashable, Sendable {
  /// The ports of one address.
  static let mostConnectionsPerHost = 65_535

  /// The versions of HTTP that are spoken.
  public enum Version: Hashable, Sendable {
    /// HTTP/1.1: a connection for each request under way.
    case http1
    /// HTTP/2 over TLS where the server offers it, else HTTP/1.1.
    case http2
  }

  /// The most time until a connection is there: name, TCP, proxy, TLS.
  public var connectTimeout: Duration = .seconds(5)
  /// The most time from the request to the head of the answer.
  public var headTimeout: Duration = .seconds(30)
  /// The most time without a byte of the body.
  public var idleTimeout: Duration = .seconds(20)
  /// The most time of a whole read with all its requests. `nil`: none, since what makes progress is not ended.
  public var readTimeout: Duration?
  /// The least rate of a body, in bytes per second over ``rateWindow``; zero for none.
  public var leastBytesPerSecond = 0
  /// The time over which the rate is measured.
  public var rateWindow: Duration = .seconds(20)
  /// The most requests under way to one host, and so the most connections of HTTP/1.1.
  public var connectionsPerHost = 8
  /// How long an idle connection is kept.
  public var keepAlive: Duration = .seconds(60)
  /// The versions of HTTP.
  public var version = Version.http1
  /// Whom to trust.
  public var trust = TrustSettings(ProcessVariables.all)
  /// The proxy.
  public var proxy = ProxySetting.environment
  /// Sent with each request to the origin of the object, never to another one.
  public var headers = HeaderFields()
  /// Who asks, for the server's log.
  public var userAgent = "swift-range-io"
  /// How an object is opened.
  public var opening = RemoteOpening.beginning
  /// How answers are judged.
  public var rules = TransferRules()
  /// The block size that caches use, a power of two; `nil`: 64 KiB, of which they fetch as many at once as reads have use
  /// for, up to 1 MiB by the measured latency and rate.
  public var blockSize: Int?
  /// The same in each process, whatever is measured: a cache on a disk is found by it.
  static let usualBlockSize = 65_536

  /// Settings with defaults.
  public init() {}

  /// The most time that a read without a limit waits for credentials: nothing shows that they make progress.
  static let credentialsTimeout = Duration.seconds(60)

  /// These settings with nothing so large that arithmetic with it overflows: no time longer than ten years, and no more
  /// connections than there are ports.
  var bounded: TransportSettings {
    let longest = Duration.seconds(10 * 365 * 86_400)
    var settings = self
    settings.connectTimeout = min(connectTimeout, longest)
    settings.headTimeout = min(headTimeout, longest)
    settings.idleTimeout = min(idleTimeout, longest)
    settings.readTimeout = readTimeout.map { min($0, longest) }
    settings.rateWindow = min(rateWindow, longest)
    settings.keepAlive = min(max(keepAlive, .zero), longest)
    settings.connectionsPerHost = min(connectionsPerHost, Self.mostConnectionsPerHost)
    // An answer without a length is kept in memory.
    settings.rules.prefixLimit = min(rules.prefixLimit, 1 << 30)
    return settings
  }

  /// Sets the fields that a user wants sent to the origin.
  public mutating func setHeaders(_ own: [(name: String, value: String)]) throws(Failure) {
    guard own.count <= 128 else {
      throw Failure(.invalidURL, "\(own.count) headers are too many: give at most 128")
    }
    var fields = HeaderFields()
    for (name, value) in own {
      do { try fields.append(name, value) } catch {
        throw Failure(.invalidURL, "the headers have more than \(HeaderFields.mostBytes) bytes: give shorter ones")
      }
    }
    headers = fields
  }

  /// `fields` with what every request has.
  func completing(_ fields: HeaderFields) -> HeaderFields {
    var fields = fields
    for (name, value) in [("User-Agent", userAgent), ("Accept", "*/*")] where fields[name] == nil {
      fields.set(name, value)
    }
    return fields
  }

  /// How often what is under way is looked at: often enough for the shortest limit.
  var watchInterval: Duration {
    let shortest = min(headTimeout, idleTimeout, readTimeout ?? idleTimeout, connectTimeout)
    return max(.milliseconds(5), min(.milliseconds(500), shortest / 4))
  }
}

/// Whom a client trusts over TLS.
public struct TrustSettings: Hashable, Sendable {
  /// A file with certificates in PEM that are trusted in place of the system's; `nil`: the system's.
  public var rootFile: String?
  /// Certificates in PEM that are trusted in addition to the system's.
  public var additionalRoots: [[UInt8]] = []
  /// Files with such certificates.
  public var additionalRootFiles: [String] = []
  /// Whether certificates are checked. Without, anybody on the way can read and change everything.
  public var checksCertificates = true

  /// The system's roots, or those in the file that `SSL_CERT_FILE` names.
  ///
  /// - Parameter variables: an environment.
  public init(_ variables: [String: String]) {
    rootFile = variables["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension TransportSettings {
  /// The header fields that the transport itself sets, in lower case.
  private static let ownFields: Set<String> = [
    "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-authorization", "range", "te", "trailer",
    "transfer-encoding", "upgrade", RequestTarget.field,
  ]

  /// Throws if a setting is impossible.
  func check() throws(Failure) {
    func fail(_ text: String) throws(Failure) { throw Failure(.invalidURL, text, isTransient: false) }
    for field in headers.all {
      let name = field.name
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
        return try fail("'\(name.prefix(64))' is no name of a header: use letters, digits and hyphens")
      }
      guard HeaderFields.isValue(field.value) else {
        return try fail("the value of the header '\(name)' has control characters: remove them")
      }
      guard !Self.ownFields.contains(name.lowercased()) else {
        return try fail("the header '\(name)' is set by the source itself: remove it from the configuration")
      }
    }
    guard HeaderFields.isValue(userAgent) else {
      return try fail("the user agent has control characters: remove them")
    }
    guard connectionsPerHost > 0 else { return try fail("without connections nothing is read: permit at least one") }
    guard connectTimeout > .zero, headTimeout > .zero, idleTimeout > .zero, rateWindow > .zero,
      readTimeout.map({ $0 > .zero }) ?? true
    else { return try fail("a time limit of zero or less lets nothing pass: raise it") }
    guard leastBytesPerSecond >= 0 else { return try fail("the least rate is negative: use 0 for none") }
    guard blockSize.map({ $0 > 0 && $0 & ($0 - 1) == 0 }) ?? true else {
      return try fail("a block size of \(blockSize ?? 0) bytes is no power of two: choose one, such as 262144")
    }
  }

  /// RFC 9110, 5.6.2.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
