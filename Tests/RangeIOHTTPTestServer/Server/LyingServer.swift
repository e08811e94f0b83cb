#if HTTP

  import NIOCore
  import NIOHTTP2
  import NIOPosix
  import NIOSSL
  import Synchronization

  /// A server on 127.0.0.1 that holds objects in memory and answers as it is scripted to: right, wrong at any byte,
  /// late, or not at all.
  ///
  /// ```swift
  /// try await LyingServer.with { server in
  ///   server.objects.put(ServedObject(count: 1 << 20), at: "/object")
  ///   server.script = .always(.resetInBody)
  ///   // read server.url("/object")
  /// }
  /// ```
  public final class LyingServer: Sendable {
    /// How a server is made.
    public struct Configuration: Sendable {
      /// What it has. Servers that redirect to each other may share it.
      public var objects = ServedObjects()
      /// What it answers at first.
      public var script = ServerScript.honest
      /// Whether it has TLS, with ``TestCertificate``.
      public var isTLS = false
      /// Whether it speaks HTTP/2, which needs TLS; else HTTP/1.1.
      public var isHTTP2 = false
      /// After how many requests a connection of HTTP/1.1 is closed. `nil`: never.
      public var limit: ConnectionLimit?
      /// The scheme, host and port of another server, for redirects to another origin.
      public var elsewhere: String?
      /// The same of a server with the other scheme.
      public var otherScheme: String?
      /// How far its clock is ahead, in seconds.
      public var clockOffset = 0
      /// The bytes that the kernel keeps of a connection before they are received (SO_SNDBUF). `nil`: as it likes.
      public var sendBuffer: Int?
      /// The port; 0: a free one.
      public var port = 0

      /// Creates the configuration of an honest server of HTTP/1.1 without TLS.
      public init() {}

      /// Creates the configuration of a server with TLS.
      public static func tls(http2: Bool = false) -> Configuration {
        var configuration = Configuration()
        configuration.isTLS = true
        configuration.isHTTP2 = http2
        return configuration
      }
    }

    private let core: ServerCore
    private let channel: any Channel

    private init(_ core: ServerCore, _ channel: any Channel) {
      self.core = core
      self.channel = channel
    }

    /// Starts a server. Call ``stop()`` in the end.
    public static func start(_ configuration: Configuration = .init()) async throws -> LyingServer {
      let core = ServerCore(configuration)
      let tls =
        configuration.isTLS
        ? try TestCertificate.serverContext(protocols: [configuration.isHTTP2 ? "h2" : "http/1.1"]) : nil
      var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        // Each answer waits for its writes, so no more is ever held. NIOHTTP2 1.46 asserts when a channel becomes
        // unwritable while it flushes.
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 1 << 25, high: 1 << 26))
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try prepare(channel, core, tls) }
        }
      if let count = configuration.sendBuffer {
        bootstrap = bootstrap.childChannelOption(.socketOption(.so_sndbuf), value: .init(count))
      }
      let channel = try await bootstrap.bind(host: "127.0.0.1", port: configuration.port).outcome()
      core.port.store(channel.localAddress?.port ?? 0, ordering: .relaxed)
      return LyingServer(core, channel)
    }

    /// Starts a server, runs `body`, and stops the server.
    public static func with<Result>(
      _ configuration: Configuration = .init(), _ body: (LyingServer) async throws -> Result
    ) async throws -> Result {
      let server = try await start(configuration)
      do {
        let result = try await body(server)
        await server.stop()
        return result
      } catch {
        await server.stop()
        throw error
      }
    }

    /// Builds the pipeline of a connection.
    private static func prepare(_ channel: any Channel, _ core: ServerCore, _ tls: NIOSSLContext?) throws {
      let end = WireEnd(core)
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(end)
      if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
      guard core.configuration.isHTTP2 else {
        try pipeline.addHandler(ConnectionHandler(core, end, on: channel.eventLoop))
        return
      }
      var connection = NIOHTTP2Handler.ConnectionConfiguration()
      connection.contentLengthValidation = .disabled
      // What a client answers to a flood is none.
      connection.controlFrameRateLimit.maximumCount = 1_000_000
      var stream = NIOHTTP2Handler.StreamConfiguration()
      // Clients that cancel often are no attack.
      stream.streamResetFrameRateLimit.maximumCount = 1_000_000
      stream.streamErrorRateLimit.maximumCount = 1_000_000
      let shared = NIOLoopBound(end, eventLoop: channel.eventLoop)
      _ = try pipeline.configureHTTP2Pipeline(
        mode: .server, connectionConfiguration: connection, streamConfiguration: stream
      ) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(StreamHandler(core, shared))
        }
      }
    }

    /// The port that it listens at.
    public var port: Int { core.port.load(ordering: .relaxed) }

    /// The scheme, host and port.
    public var origin: String { core.origin }

    /// The URL of a path, which begins with a slash and is percent-encoded where it must be.
    public func url(_ path: String) -> String { origin + path }

    /// What it has.
    public var objects: ServedObjects { core.objects }

    /// What it has seen and sent.
    public var log: ServerLog { core.log }

    /// What it answers from now on.
    public var script: ServerScript {
      get { core.script }
      set { core.script = newValue }
    }

    /// How often a script gave the odd answer of this name.
    public func told(_ name: String) -> Int { core.memory.calls("told \(name)") }

    /// Ends all connections, also those with an answer under way.
    public func endConnections(byReset isReset: Bool = false) { core.endConnections(byReset: isReset) }

    /// Stops listening and ends all connections.
    public func stop() async {
      // `try?`: it may have been closed before.
      try? await channel.close().outcome()
      core.endConnections(byReset: true)
    }
  }

  /// After how many requests a server closes a connection, and how.
  public struct ConnectionLimit: Sendable {
    /// The requests that it answers.
    public var requests: Int
    /// How it ends.
    public var manner: Manner

    /// How a connection ends at its limit.
    public enum Manner: Sendable, CaseIterable {
      /// The last answer says `Connection: close`, then the connection is closed.
      case announced
      /// The connection is closed after the last answer.
      case silent
      /// The request after the last is answered by a reset.
      case resetsNext
    }

    /// Creates a limit.
    public init(_ requests: Int, _ manner: Manner) {
      self.requests = requests
      self.manner = manner
    }
  }

#endif
