#if HTTP
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import NIOSSL
  internal import RangeIO

  /// All that distinguishes two clients. Objects with equal keys share one, and its connections.
  struct ClientKey: Hashable, Sendable {
    var connectTimeout: Duration
    var keepAlive: Duration
    var connectionsPerHost: Int
    var version: RemoteConfiguration.HTTPVersion
    /// `nil`: the system's certificates.
    var rootFile: String?
    var additionalRoots: [RemoteConfiguration.TrustRoots]
    var proxy: ProxyServer?

    /// - Parameter isSecure: whether it is for `https`: else the environment's certificates do not matter, and are not read.
    init(_ settings: RemoteConfiguration, proxy: ProxyServer?, isSecure: Bool = true) {
      connectTimeout = settings.connectTimeout
      keepAlive = settings.keepAliveTimeout
      connectionsPerHost = settings.maxConnectionsPerHost
      version = settings.httpVersion
      rootFile = isSecure ? settings.trustRootFile : nil
      additionalRoots = settings.additionalTrustRoots
      self.proxy = proxy
    }

    /// A client with these settings.
    func makeClient() throws(Failure) -> HTTPClient {
      HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: try configuration())
    }

    func configuration() throws(Failure) -> HTTPClient.Configuration {
      var configuration = HTTPClient.Configuration(
        tlsConfiguration: try tlsConfiguration(),
        redirectConfiguration: .disallow,
        // Other limits are watched by `Watch`, which costs no timer for each part of a body.
        timeout: .init(connect: TimeAmount(connectTimeout), read: nil),
        connectionPool: .init(
          idleTimeout: TimeAmount(keepAlive), concurrentHTTP1ConnectionsPerHostSoftLimit: connectionsPerHost),
        proxy: proxy.flatMap(Self.proxy),
        decompression: .disabled)
      configuration.httpVersion = version == .http1 ? .http1Only : .automatic
      // Otherwise a refused connection is tried again until the time for connecting is over: `.retrying` does that better.
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.networkFrameworkWaitForConnectivity = false
      let shared = AnswerGuard.Shared()
      configuration.http1_1ConnectionDebugInitializer = { connection in
        Self.boundReceiveBuffers(connection).flatMap { AnswerGuard.add(to: connection, shared) }
      }
      configuration.http2ConnectionDebugInitializer = { connection in
        Self.boundReceiveBuffers(connection).flatMap { GoAwayGuard.add(to: connection) }
      }
      configuration.http2StreamChannelDebugInitializer = StreamGuard.add
      // Its spans show whole URLs, signatures included. `RangeIOTelemetry` has spans that do not.
      configuration.tracing.tracer = nil
      return configuration
    }

    /// A channel keeps as many receive buffers of up to 64 KiB as it may read at a time: 256 KiB a connection. One of
    /// them is enough, since what it has received is copied before the next read; and it stays in the processor's cache.
    private static func boundReceiveBuffers(_ channel: any Channel) -> EventLoopFuture<Void> {
      channel.setOption(.maxMessagesPerRead, value: 1).flatMap {
        channel.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: receiveBuffer))
      }
    }

    /// The bytes of a connection's receive buffer.
    static let receiveBuffer = 32_768

    private static func proxy(_ server: ProxyServer) -> HTTPClient.Configuration.Proxy? {
      switch server.kind {
      // To the client it is the server.
      case .forward: nil
      case .socks5: .socksServer(host: server.host, port: server.port)
      case .http:
        .server(
          host: server.host, port: server.port,
          authorization: server.user.map { .basic(username: $0, password: server.password ?? "") })
      }
    }

    private func tlsConfiguration() throws(Failure) -> TLSConfiguration {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      // A server that does not say goodbye must not delay closing.
      tls.shutdownTimeout = .seconds(1)
      if let file = rootFile {
        tls.trustRoots = .certificates(try Self.certificates(of: file, named: " (SSL_CERT_FILE or AWS_CA_BUNDLE)"))
      }
      var certificates: [NIOSSLCertificate] = []
      for roots in additionalRoots {
        switch roots {
        case .file(let file): certificates += try Self.certificates(of: file)
        case .pem(let bytes):
          do { certificates += try NIOSSLCertificate.fromPEMBytes(bytes) } catch {
            throw Failure(.invalidURL, "a certificate to be trusted is not in PEM format: convert it")
          }
        }
      }
      if !certificates.isEmpty { tls.additionalTrustRoots = [.certificates(certificates)] }
      return tls
    }

    /// - Parameter named: what names the file, if the user's program does not.
    private static func certificates(of file: String, named: String = "") throws(Failure) -> [NIOSSLCertificate] {
      do { return try NIOSSLCertificate.fromPEMFile(file) } catch {
        throw Failure(
          .invalidURL,
          "the certificates to be trusted in '\(file)'\(named) cannot be read: check the path, and that they are in PEM",
          isTransient: false)
      }
    }
  }

  extension TimeAmount {
    /// The same time.
    init(_ duration: Duration) { self = .nanoseconds(duration.nanoseconds) }
  }
#endif
