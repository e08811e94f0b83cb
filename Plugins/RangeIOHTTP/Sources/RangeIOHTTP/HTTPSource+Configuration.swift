#if HTTP
  public import RangeIO
  internal import RangeIOHTTPTransport

  extension HTTPSource {
    /// How an object is requested. The defaults suit servers on the Internet.
    public struct Configuration: Sendable {
      /// Sent with each request to the origin of the URL, and never to another origin. Not those that the source sets
      /// itself (`Range`, `Host`, `If-Match` and their kind): opening then throws `invalidConfiguration`. At most 128.
      /// Default: none.
      public var headers: [(name: String, value: String)] = []
      /// The credentials for reading. Default: the user and password in the URL, or none.
      public var credentials: HTTPCredentials?
      /// The `User-Agent`. Default: `swift-range-io`.
      public var userAgent = "swift-range-io"
      /// The proxy. Default: what the environment says.
      public var proxy = Proxy.environment
      /// The version of HTTP. Default: ``HTTPVersion/http1``.
      public var httpVersion = HTTPVersion.http1
      /// Certificates that are trusted in addition to the system's, or to those in the file that `SSL_CERT_FILE` names.
      /// Default: none.
      public var additionalTrustRoots: [TrustRoots] = []

      /// The most requests at the same time to one host, by all sources with equal connection settings; with HTTP/1.1
      /// each has a connection. More wait for their turn, demands before prefetches. At least 1. Default: 8.
      public var connectionsPerHost = 8
      /// How long an idle connection stays open. Default: 60 s.
      public var keepAlive: Duration = .seconds(60)
      /// The most time until a connection is there: name, TCP, proxy and TLS together. Default: 5 s.
      public var connectTimeout: Duration = .seconds(5)
      /// The most time from the request to the first byte of its answer. Default: 30 s.
      public var firstByteTimeout: Duration = .seconds(30)
      /// The most time without a byte within an answer. Default: 20 s.
      public var idleTimeout: Duration = .seconds(20)
      /// The most time of a read with all its requests, and with its retries where the reader is opened by its URL. Default,
      /// `nil`: none. A slow link takes its time; a server that stops is noticed by ``idleTimeout``.
      public var readTimeout: Duration?
      /// The least rate of an answer, per second, over 20 s; zero for none. Set it, or ``readTimeout``, for servers that you do
      /// not trust: one may send a byte now and then for ever. Default: none.
      public var leastBytesPerSecond: ByteCount = .bytes(0)

      /// Whether `Last-Modified` and size tell versions, and tags are ignored: for servers behind a balancer whose tags
      /// differ by backend. Then two changes within a second that leave the size are one version. Default: no.
      public var judgesByTime = false
      /// Whether the bytes of a `Content-Encoding` count, as they are sent: some objects are stored with one. Otherwise such
      /// an answer fails: its ranges are ranges of compressed bytes. What is no coding, such as `UTF-8`, counts as none.
      /// Default: no.
      public var acceptsEncoded = false
      /// What opening requests: size and version come along with bytes that the first reads want. ``RemoteOpening/head``
      /// where a `GET` is too dear. Default: ``RemoteOpening/beginning``, the first 64 KiB.
      public var opening = RemoteOpening.beginning
      /// How much is read of the whole object, where a server answers a range with it. Ranges that end within so many bytes are
      /// read of that answer. Those beyond are read forward: one `GET` serves all that come nearly in order. An object of no
      /// more bytes is kept when it is opened, if it has at most 1 MiB or the server does not tell its size. What all sources
      /// keep is at most 16 MiB; an object that had to go is read forward. At most 1 GiB. Default: 1 MiB.
      public var prefixLimit: ByteCount = .mebibytes(1)
      /// The most bytes of an object of a server without ranges that are passed over to reach a read, if no stream has come as
      /// far before. Reads beyond that fail; each of more bytes costs their transfer. Default: 8 MiB.
      public var skipLimit: ByteCount = .mebibytes(8)
      /// Whether the end of a body of up to ``prefixLimit`` may tell the size, where the server does not. Without, opening
      /// such an object fails as soon as its head is there: for programs that go on with ``HTTPSource/readAll(_:)``.
      /// Default: yes.
      public var findsSizeByEnd = true
      /// The block size for caches, a power of two, of which one is fetched at a time. Default, `nil`: blocks of 64 KiB, of
      /// which caches fetch as many at a time as later reads have use for: from none but the bytes asked for, to what comes
      /// in a round trip, at most 1 MiB.
      public var blockSize: ByteCount?

      /// A configuration with defaults.
      public init() {}
    }

    /// Versions of HTTP.
    public enum HTTPVersion: Hashable, Sendable {
      /// HTTP/1.1, with a connection for each request under way: the most bytes per second.
      case http1
      /// HTTP/2 over TLS where the server offers it: one connection for all requests, where a server permits few. Slower
      /// than several of HTTP/1.1.
      case http2
    }

    /// The proxy that requests go through.
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
    public enum TrustRoots: Hashable, Sendable {
      /// A file in PEM format.
      case file(String)
      /// The contents of such a file.
      case pem([UInt8])
    }
  }

  extension HTTPSource.Configuration {
    /// As the transport takes it.
    func settings() throws(Failure) -> TransportSettings {
      var settings = TransportSettings()
      try settings.setHeaders(headers)
      settings.userAgent = userAgent
      switch proxy {
      case .none: settings.proxy = .none
      case .environment: settings.proxy = .environment
      case .server(let url): settings.proxy = .server(try ProxyServer(url))
      }
      settings.version = httpVersion == .http1 ? .http1 : .http2
      for roots in additionalTrustRoots {
        switch roots {
        case .file(let path): settings.trust.additionalRootFiles.append(path)
        case .pem(let bytes): settings.trust.additionalRoots.append(bytes)
        }
      }
      settings.connectionsPerHost = connectionsPerHost
      settings.keepAlive = keepAlive
      settings.connectTimeout = connectTimeout
      settings.headTimeout = firstByteTimeout
      settings.idleTimeout = idleTimeout
      settings.readTimeout = readTimeout
      settings.leastBytesPerSecond = leastBytesPerSecond.bytes
      settings.rules.judgesByTime = judgesByTime
      settings.rules.acceptsEncoded = acceptsEncoded
      settings.rules.prefixLimit = prefixLimit.bytes
      settings.rules.mostPassedOver = max(0, skipLimit.bytes)
      settings.rules.findsSizeByEnd = findsSizeByEnd
      settings.opening = opening
      settings.blockSize = blockSize?.bytes
      return settings
    }
  }

  extension HTTPSource.Configuration: CustomStringConvertible, CustomReflectable {
    /// The names of the headers, and whether there are credentials; never their values.
    public var description: String {
      "HTTPSource.Configuration(headers: \(headers.map(\.name)), credentials: \(credentials == nil ? "no" : "yes"))"
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
