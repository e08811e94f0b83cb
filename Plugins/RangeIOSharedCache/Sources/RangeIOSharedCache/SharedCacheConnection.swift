#if SharedCache
  internal import NIOSSL
  public import RangeIO

  /// How the nodes of an engine are connected to.
  public struct SharedCacheConnection: Sendable {
    /// TLS with a node.
    public struct TLS: Hashable, Sendable {
      /// The name that the certificate must have. Default, `nil`: none is checked beyond its issuer.
      public var serverName: String?
      /// Files in PEM format with certificates that are trusted in addition to the system's.
      public var additionalTrustRoots: [String]

      /// Creates settings of TLS.
      public init(serverName: String? = nil, additionalTrustRoots: [String] = []) {
        self.serverName = serverName
        self.additionalTrustRoots = additionalTrustRoots
      }
    }

    /// The user; for Redis empty means `default`.
    public var user = ""
    /// The password. Default: none, and nothing is sent.
    public var password: String?
    /// TLS. Default: none.
    public var tls: TLS?
    /// The most connections to each node. Default: 2.
    public var connectionsPerNode = 2
    /// The most bytes of a value: memcached's `-I`. Default: 1 MiB.
    public var valueLimit: ByteCount = .mebibytes(1)
    /// The most time until a connection is there. Reads wait no longer than for any answer. Default: 1 s.
    public var connectTimeout: Duration = .seconds(1)

    /// A configuration with defaults.
    public init() {}

    var login: NodeLogin? { password.map { NodeLogin(user: user, password: $0) } }

    func tlsContext() throws(ReadError) -> NIOSSLContext? {
      guard let tls else { return nil }
      do {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [
          .certificates(try tls.additionalTrustRoots.flatMap { try NIOSSLCertificate.fromPEMFile($0) })
        ]
        if tls.serverName == nil { configuration.certificateVerification = .noHostnameVerification }
        return try NIOSSLContext(configuration: configuration)
      } catch {
        throw ReadError(.invalidConfiguration, "the certificates to trust cannot be used (\(error)): check the files")
      }
    }
  }

  extension SharedCacheConnection: CustomStringConvertible, CustomReflectable {
    /// The user and the limits; never the password.
    public var description: String {
      "SharedCacheConnection(user: \(user), password: \(password == nil ? "none" : "given"), connections: \(connectionsPerNode))"
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
