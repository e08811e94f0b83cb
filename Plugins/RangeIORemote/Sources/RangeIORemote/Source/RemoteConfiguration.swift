public import RangeIO

/// Settings for requests to any remote source. The defaults suit servers on the Internet.
public struct RemoteConfiguration: Sendable {
  /// Sent with each request to the origin of the object, or of each URL that a closure brings, and never to where a redirect
  /// leads. If you name a header that the source sets itself (`Range`, `Host`, `If-Match` and their kind), opening throws
  /// `invalidConfiguration`. At most 128. Default: none.
  public var headers: [(name: String, value: String)] = []
  /// The credentials for reading. A source that signs its requests, such as S3, has credentials of its own, and refuses
  /// these with `invalidConfiguration`. Default: the user and password in the URL, or none.
  public var credentials: HTTPCredentials?
  /// Names of query items that do not identify the object: a token, a session. They are sent, and left out of what
  /// identifies the object in caches. So a URL with another token is the same object. Names are compared as they are
  /// when decoded, in their case. What makes up a signature (``ObjectURL/expiry`` says whose) is left out anyway. For
  /// URLs of `http` and `https`. Default: none.
  public var identityIgnoresQueryItems: Set<String> = []
  /// The `User-Agent`. Default: `swift-range-io`.
  public var userAgent = "swift-range-io"
  /// The proxy. Default: what the environment says.
  public var proxy = Proxy.environment
  /// The version of HTTP. Default: ``HTTPVersion/http1``.
  public var httpVersion = HTTPVersion.http1
  /// A file in PEM format with the certificates to trust in place of the system's. Default: the one that `SSL_CERT_FILE`
  /// names, or `nil`: the system's.
  public var trustRootFile = Self.rootFile(in: ProcessVariables.all)
  /// Certificates that are trusted in addition. Default: none.
  public var additionalTrustRoots: [TrustRoots] = []

  /// The most requests at the same time to one host, by all sources with equal connection settings; with HTTP/1.1
  /// each has a connection. More wait for their turn, demands before prefetches. At least 1. Default: 8.
  public var maxConnectionsPerHost = 8
  /// The time that an idle connection stays open. Default: 60 s.
  public var keepAliveTimeout: Duration = .seconds(60)
  /// The most time until a connection is there: name, TCP, proxy and TLS together. Default: 5 s.
  public var connectTimeout: Duration = .seconds(5)
  /// The most time from the request to the first byte of its answer. Default: 30 s.
  public var firstByteTimeout: Duration = .seconds(30)
  /// The most time without a byte within an answer. Default: 20 s.
  public var idleTimeout: Duration = .seconds(20)
  /// The most time of a read with all its requests, and with its retries where the reader is opened by its URL. Opening
  /// may take twice as long, since its last try may begin just before the end. Default, `nil`: none. A slow link takes its
  /// time; a server that stops is noticed by ``idleTimeout``.
  public var readTimeout: Duration?
  /// The least rate of an answer, per second, over 20 s; zero for none. Set it, or ``readTimeout``, if you do not trust
  /// the server: it may send a byte now and then for ever. Default: none.
  public var minBytesPerSecond: ByteCount = .bytes(0)
  /// The time over which the rate is measured.
  var rateWindow: Duration = .seconds(20)

  /// `Last-Modified` and size tell versions, and tags are ignored: for servers behind a balancer whose tags differ by
  /// backend. Then two changes within a second that leave the size are one version. Default: no.
  public var judgesByTime = false
  /// Reads the bytes of a `Content-Encoding` as they are sent: some objects are stored with one. Otherwise such an answer
  /// fails: its ranges are ranges of compressed bytes. What is no coding, such as `UTF-8`, counts as none. Default: no.
  public var acceptsEncoded = false
  /// The first request for an object: size and version come along with bytes that the first reads want. ``RemoteOpening/head``
  /// where a `GET` is too dear. Default: ``RemoteOpening/beginning``, the first 64 KiB.
  public var opening = RemoteOpening.beginning
  /// How much is read of an object whose server answers a range with the whole object. Ranges that end within so many
  /// bytes are read from that answer. Ranges beyond are read forward: one `GET` serves all that come nearly in order.
  /// An object of no more bytes is kept when it is opened, if it has at most 1 MiB or the server does not tell its
  /// size. All sources together keep at most 16 MiB; an object that had to go is read forward. At most 1 GiB. Default:
  /// 1 MiB.
  public var prefixLimit: ByteCount = .mebibytes(1)
  /// For servers without ranges: the most bytes that are skipped to reach a read, unless a stream has come further.
  /// Reads beyond fail. More bytes cost their transfer. Default: 8 MiB.
  public var skipLimit: ByteCount = .mebibytes(8)
  /// `true` if the end of a body of up to ``prefixLimit`` gives the size where the server does not tell it. `false`:
  /// opening such an object fails as soon as its head is there, for programs that go on with
  /// ``RemoteSource/readAll(_:)``. Default: yes.
  public var findsSizeByEnd = true
  /// `true` if the object is only added to: a log, a recording, an append blob. Then a longer version has grown,
  /// whatever its tag and date, and a reader may follow it (`RangeReader.ChangePolicy.follow`). Each check compares the
  /// last 4 KiB before the old end; a change elsewhere goes unnoticed. Blocks are kept in memory only. Default: no.
  public var isAppendOnly = false
  /// The block size for caches, a power of two; a cache then fetches one block at a time. Default, `nil`: blocks of 64
  /// KiB, and caches fetch as many at a time as later reads use. The least is the requested bytes alone, the most what
  /// comes in a round trip, at most 1 MiB.
  public var blockSize: ByteCount?

  /// A configuration with defaults.
  public init() {}

  /// These settings for a reader with that policy: ``isAppendOnly`` if it is `.follow`.
  public func following(_ policy: RangeReader.ChangePolicy) -> RemoteConfiguration {
    var settings = self
    if policy.follows { settings.isAppendOnly = true }
    return settings
  }

  /// Versions of HTTP.
  @nonexhaustive
  public enum HTTPVersion: Hashable, Sendable {
    /// HTTP/1.1, with a connection for each request under way: the most bytes per second.
    case http1
    /// HTTP/2 over TLS where the server offers it: one connection for all requests, where a server permits few. Slower
    /// than several of HTTP/1.1.
    case http2
  }

  /// The proxy that requests go through.
  @nonexhaustive
  public enum Proxy: Hashable, Sendable {
    /// None.
    case none
    /// The one in `HTTP_PROXY` (for http), `HTTPS_PROXY` (for https) or `ALL_PROXY`, in small letters first, unless
    /// `NO_PROXY` names the host. They are read once in a process.
    case environment
    /// `http://host:port`, also with a user and a password, or `socks5://host:port`.
    case server(String)
  }

  /// Certificates to trust.
  @nonexhaustive
  public enum TrustRoots: Hashable, Sendable {
    /// A file in PEM format.
    case file(String)
    /// The contents of such a file.
    case pem([UInt8])
  }
}

extension RemoteConfiguration: CustomStringConvertible, CustomReflectable {
  /// The names of the headers, and whether there are credentials; never their values.
  public var description: String {
    "RemoteConfiguration(headers: \(headers.map(\.name)), credentials: \(credentials == nil ? "no" : "yes"))"
  }

  /// Shows no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RemoteConfiguration {
  /// The ports of one address.
  static let mostConnectionsPerHost = 65_535
  /// The same in each process, whatever is measured: a cache on a disk is found by it.
  static let usualBlockSize = 65_536
  /// The most time that a read without a limit waits for credentials: nothing shows that they make progress.
  static let credentialsTimeout = Duration.seconds(60)

  /// The file of certificates that an environment names.
  static func rootFile(in variables: [String: String]) -> String? {
    variables["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// These settings with nothing so large that arithmetic with it overflows: no time longer than ten years, and no more
  /// connections than there are ports.
  var bounded: RemoteConfiguration {
    let longest = Duration.seconds(10 * 365 * 86_400)
    var settings = self
    settings.connectTimeout = min(connectTimeout, longest)
    settings.firstByteTimeout = min(firstByteTimeout, longest)
    settings.idleTimeout = min(idleTimeout, longest)
    settings.readTimeout = readTimeout.map { min($0, longest) }
    settings.rateWindow = min(rateWindow, longest)
    settings.keepAliveTimeout = min(max(keepAliveTimeout, .zero), longest)
    settings.maxConnectionsPerHost = min(maxConnectionsPerHost, Self.mostConnectionsPerHost)
    return settings
  }

  /// The settings that machines need to know.
  var rules: TransferRules {
    var rules = TransferRules()
    rules.judgesByTime = judgesByTime
    rules.acceptsEncoded = acceptsEncoded
    // An answer without a length is kept in memory.
    rules.prefixLimit = min(prefixLimit.bytes, 1 << 30)
    rules.maxPassedOver = max(0, skipLimit.bytes)
    rules.findsSizeByEnd = findsSizeByEnd
    rules.isAppendOnly = isAppendOnly
    return rules
  }

  /// ``headers``, checked.
  func headerFields() throws(Failure) -> HeaderFields {
    guard headers.count <= 128 else {
      throw Failure(.invalidURL, "\(headers.count) headers are too many: give at most 128")
    }
    var fields = HeaderFields()
    for (name, value) in headers {
      do { try fields.append(name, value) } catch {
        throw Failure(.invalidURL, "the headers have more than \(HeaderFields.maxBytes) bytes: give shorter ones")
      }
    }
    for field in fields.all {
      let name = field.name
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
        throw Failure(.invalidURL, "'\(name.prefix(64))' is no name of a header: use letters, digits and hyphens")
      }
      guard HeaderFields.isValue(field.value) else {
        throw Failure(.invalidURL, "the value of the header '\(name)' has control characters: remove them")
      }
      guard !Self.ownFields.contains(name.lowercased()) else {
        throw Failure(
          .invalidURL, "the header '\(name)' is set by the source itself: remove it from the configuration")
      }
    }
    return fields
  }

  /// `fields` with what every request has.
  func completing(_ fields: HeaderFields) -> HeaderFields {
    var fields = fields
    for (name, value) in [("User-Agent", userAgent), ("Accept", "*/*")] where fields[name] == nil {
      fields.set(name, value)
    }
    return fields
  }

  /// The interval at which requests under way are checked: short enough for the shortest limit.
  var watchInterval: Duration {
    let shortest = min(firstByteTimeout, idleTimeout, readTimeout ?? idleTimeout, connectTimeout)
    return max(.milliseconds(5), min(.milliseconds(500), shortest / 4))
  }

  /// The header fields that the transport itself sets, in lower case.
  private static let ownFields: Set<String> = [
    "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-authorization", "range", "te", "trailer",
    "transfer-encoding", "upgrade", TargetField.name,
  ]

  /// Throws if a setting is impossible.
  func check() throws(Failure) {
    func fail(_ text: String) throws(Failure) { throw Failure(.invalidURL, text) }
    guard HeaderFields.isValue(userAgent) else {
      return try fail("the user agent has control characters: remove them")
    }
    guard maxConnectionsPerHost > 0 else {
      return try fail("without connections nothing is read: permit at least one")
    }
    guard connectTimeout > .zero, firstByteTimeout > .zero, idleTimeout > .zero, rateWindow > .zero,
      readTimeout.map({ $0 > .zero }) ?? true
    else { return try fail("a time limit of zero or less lets nothing pass: raise it") }
    guard minBytesPerSecond.bytes >= 0 else { return try fail("the least rate is negative: use 0 for none") }
    let block = blockSize?.bytes
    guard block.map({ $0 > 0 && $0 & ($0 - 1) == 0 }) ?? true else {
      return try fail("a block size of \(block ?? 0) bytes is no power of two: choose one, such as 262144")
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
