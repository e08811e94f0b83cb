#if SharedCache
  internal import NIOCore
  internal import NIOSSL
  public import RangeIO

  /// Settings for connections to the nodes of an engine.
  public struct SharedCacheConnection: Sendable {
    /// TLS with a node.
    public struct TLS: Hashable, Sendable {
      /// The name that each node's certificate must have, unless it has the IP address that was connected to. Default, `nil`:
      /// the node's host, be it a name or an IP address. A node at a unix socket has none: without this name only the issuer of
      /// its certificate is checked.
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
    public var maxConnectionsPerNode = 2
    /// The most bytes of a value: memcached's `-I`. Default: 1 MiB.
    public var valueLimit: ByteCount = .mebibytes(1)
    /// The most time until a connection is there. Reads wait no longer than for any answer. Default: 1 s.
    public var connectTimeout: Duration = .seconds(1)

    /// A configuration with defaults.
    public init() {}

    var login: NodeLogin? { password.map { NodeLogin(user: user, password: $0) } }

    /// Returns the function that makes the ``TLSBeginning`` of a place; `nil` without TLS.
    ///
    /// Each call reads certificates, so nodes that may share the function do.
    func tlsBeginnings() throws(ReadError) -> (@Sendable (SharedCacheNode.Endpoint) -> TLSBeginning)? {
      guard let tls else { return nil }
      if let name = tls.serverName, name.isEmpty || Self.isAddress(name) {
        throw ReadError(
          .invalidConfiguration,
          "TLS needs a name of DNS as 'serverName', and '\(name)' is none: leave it out to check the address of each node"
        )
      }
      do {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [
          .certificates(try tls.additionalTrustRoots.flatMap { try NIOSSLCertificate.fromPEMFile($0) })
        ]
        let naming = try NIOSSLContext(configuration: configuration)
        configuration.certificateVerification = .noHostnameVerification
        let nameless = try NIOSSLContext(configuration: configuration)
        return { place in
          switch (tls.serverName, place) {
          case (let name?, _): TLSBeginning(context: naming, name: name)
          // Without a name, the address is compared with those in the certificate.
          case (nil, .host(let host, _)): TLSBeginning(context: naming, name: Self.isAddress(host) ? nil : host)
          case (nil, .socket): TLSBeginning(context: nameless, name: nil)
          }
        }
      } catch {
        throw ReadError(.invalidConfiguration, "the certificates to trust cannot be used (\(error)): check the files")
      }
    }

    /// True for an IP address.
    private static func isAddress(_ text: String) -> Bool {
      // `try?`: a name is none.
      (try? SocketAddress(ipAddress: text, port: 0)) != nil
    }
  }

  /// The context and name for TLS with one node.
  struct TLSBeginning: Sendable {
    let context: NIOSSLContext
    /// The name in the handshake, which the certificate must have.
    let name: String?

    func handler() throws -> NIOSSLClientHandler { try NIOSSLClientHandler(context: context, serverHostname: name) }
  }

  extension SharedCacheConnection: CustomStringConvertible, CustomReflectable {
    /// The user and the limits; never the password.
    public var description: String {
      "SharedCacheConnection(user: \(user), password: \(password == nil ? "none" : "given"), connections: \(maxConnectionsPerNode))"
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
