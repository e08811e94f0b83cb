#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer

  /// Servers of three kinds that lie about one object, of which there were two versions.
  enum LiarKind: CaseIterable {
    case plain, tls, http2

    static let size = 300_000
    static let path = "/folder/object"

    private var liar: Liar {
      switch self {
      case .plain: Liar()
      case .tls: Liar.tls()
      case .http2: Liar.tls(http2: true)
      }
    }

    /// The settings of a source that reads from such a server: it gives up soon, `limit` after a read began.
    func source(limit: Duration) -> RemoteConfiguration {
      var source = liar.source
      source.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
      source.idleTimeout = .milliseconds(200)
      source.readTimeout = limit
      return source
    }

    /// Calls `body` with the configuration of such a server. It can send its clients to two others, one of which speaks
    /// the other scheme.
    func with<Result>(_ body: (LyingServer.Configuration) async throws -> Result) async throws -> Result {
      let objects = ServedObjects()
      for version in 1...2 { objects.put(ServedObject(count: Self.size, version: version), at: Self.path) }
      var plain = LyingServer.Configuration()
      plain.objects = objects
      var secure = LyingServer.Configuration.tls(http2: self == .http2)
      secure.objects = objects
      let (here, there) = self == .plain ? (plain, secure) : (secure, plain)
      return try await LyingServer.with(here) { elsewhere in
        try await LyingServer.with(there) { other in
          var configuration = liar.server
          configuration.objects = objects
          configuration.elsewhere = elsewhere.origin
          configuration.otherScheme = other.origin
          return try await body(configuration)
        }
      }
    }
  }

#endif
