#if HTTP
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Synchronization
  import Testing

  @testable import RangeIORemote

  @Suite(.timeLimit(.minutes(5))) struct ProxyTests {
    @Test(arguments: [LyingServer.Configuration(), .tls()])
    func `an object is read through a proxy`(_ server: LyingServer.Configuration) async throws {
      try await withServer(server) { server in
        try await ConnectProxy.with { proxy in
          var configuration = RemoteConfiguration.test
          configuration.proxy = .server("http://user:pass@127.0.0.1:\(proxy.port)")
          try await withSource(server, configuration) { source, description in
            try await expectContent(5..<5000, of: source, description)
          }
          let head = try #require(proxy.heads.first)
          #expect(head.hasPrefix("CONNECT 127.0.0.1:\(server.port) "))
          #expect(head.contains("Basic dXNlcjpwYXNz"))
        }
      }
    }

    @Test func `a proxy that refuses is an error that says so`() async throws {
      try await withServer { server in
        try await ConnectProxy.with(status: "403 Forbidden") { proxy in
          var configuration = RemoteConfiguration.test
          configuration.proxy = .server("http://127.0.0.1:\(proxy.port)")
          let source = HTTPSource(server.url(objectPath), configuration: configuration)
          let error = try await readError { _ = try await source.describe() }
          #expect(error.message.contains("proxy"))
          await source.close()
        }
      }
    }

    @Test func `a proxy that refuses to connect for http is asked for the whole URL`() async throws {
      try await withServer { server in
        try await ConnectProxy.with(status: "403 Forbidden", forwards: true) { proxy in
          var configuration = RemoteConfiguration.test
          configuration.proxy = .server("http://user:pass@127.0.0.1:\(proxy.port)")
          try await withSource(server, configuration) { source, description in
            try await expectContent(5..<5000, of: source, description)
            try await expectContent(0..<100_000, of: source, description)
          }
          let lines = proxy.heads.map { $0.prefix { $0 != "\r\n" } }
          #expect(lines.count(where: { $0.hasPrefix("CONNECT ") }) == 1)
          #expect(lines.contains("GET \(server.url(objectPath)) HTTP/1.1"))
          #expect(proxy.heads.allSatisfy { $0.contains("Basic dXNlcjpwYXNz") })
          #expect(server.log.requests.allSatisfy { $0["Host"] == "127.0.0.1:\(server.port)" })
        }
      }
    }

    @Test func `for https it cannot be, and the error says so`() async throws {
      try await withServer(.tls()) { server in
        try await ConnectProxy.with(status: "403 Forbidden", forwards: true) { proxy in
          var configuration = RemoteConfiguration.test
          configuration.proxy = .server("http://127.0.0.1:\(proxy.port)")
          let source = HTTPSource(server.url(objectPath), configuration: configuration)
          let error = try await readError { _ = try await source.describe() }
          #expect(error.message.contains("the proxy refused to connect") && proxy.heads.count == 1)
          await source.close()
        }
      }
    }

    @Test func `NO_PROXY counts when an object is read`() async throws {
      try await withServer { server in
        for (exception, isReached) in [("127.0.0.0/8", true), ("localhost", false)] {
          // Nothing listens to this port.
          let environment = ProxyEnvironment(["http_proxy": "127.0.0.1:1", "NO_PROXY": exception])
          let object = try RemoteObject(
            ObjectURL(server.url(objectPath)), nil, nil, RemoteConfiguration(), environment: environment)
          do {
            let size = try await object.describe().byteCount
            #expect(size == 100_000 && isReached)
          } catch let error as ReadError {
            #expect(!isReached && error.code == .inputOutput, "\(error)")
          }
          await object.close()
        }
      }
    }

    @Test func `the environment names a proxy for each scheme, and hosts without one`() throws {
      let environment = ProxyEnvironment([
        "HTTP_PROXY": "http://big:1", "http_proxy": "small:2", "HTTPS_PROXY": "socks5://secure",
        "NO_PROXY": "localhost, .example.com,10.0.0.0/8 one.org:8080 [::1]",
      ])
      func proxy(_ url: String) throws -> String? { try environment.proxy(for: ObjectURL(url))?.description }
      #expect(try proxy("http://a.org/") == "http://small:2")
      #expect(try proxy("https://a.org/") == "socks5://secure:1080")
      for url in [
        "http://localhost/", "http://example.com/", "https://deep.example.com/", "http://10.200.3.4:99/",
        "http://one.org:8080/", "http://[::1]:80/",
        // The name from the root of the DNS is the same host.
        "http://localhost./", "http://example.com.:80/",
      ] { #expect(try proxy(url) == nil, "\(url)") }
      for url in [
        "http://notexample.com/", "http://11.0.0.1/", "http://one.org/", "http://[::2]/", "http://localhost.org/",
      ] {
        #expect(try proxy(url) != nil, "\(url)")
      }
    }

    @Test(arguments: [
      ("fd00::/8", "fdab:1::9", true), ("fd00::/8", "fe00::1", false), ("::/0", "2001:db8::1", true),
      ("2001:db8:0:ff00::/56", "2001:db8:0:ff12::1", true), ("2001:db8:0:ff00::/56", "2001:db8:0:fe12::1", false),
      ("2001:db8::1/128", "2001:db8:0:0::1", true), ("2001:db8::1/128", "2001:db8::2", false),
      ("[0:0:0:0:0:0:0:1]:80", "::1", true), ("0:0:0:0:0:0:0:1", "::1", true), ("::1", "::2", false),
      ("fd00::/129", "fd00::1", false), ("fd00::/-1", "fd00::1", false), ("fd00::/x", "fd00::1", false),
      ("1::2::3", "1::2", false), ("1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8", false), ("10.0.0.0/8", "a00::1", false),
      ("12345::/8", "fd00::1", false), (":1", "::1", false), ("/0", "::", false), (":80", "::", false),
      ("::", "::", true), ("0.0.0.0/0", "::1", false),
    ]) func `a block of IPv6 addresses has no proxy`(_ entry: String, _ host: String, _ isExcepted: Bool) throws {
      let environment = ProxyEnvironment(["ALL_PROXY": "p:1", "NO_PROXY": entry])
      #expect(try (environment.proxy(for: ObjectURL("http://[\(host)]/")) == nil) == isExcepted)
    }

    @Test func `a CGI program ignores what a request may have set`() throws {
      let url = try ObjectURL("http://a.org/")
      #expect(try ProxyEnvironment(["HTTP_PROXY": "p:1", "REQUEST_METHOD": "GET"]).proxy(for: url) == nil)
      #expect(try ProxyEnvironment(["ALL_PROXY": "p:1", "REQUEST_METHOD": "GET"]).proxy(for: url) != nil)
      #expect(try ProxyEnvironment(["ALL_PROXY": "p:1", "NO_PROXY": "*"]).proxy(for: url) == nil)
      #expect(throws: Failure.self) { try ProxyEnvironment(["ALL_PROXY": "https://p:1"]).proxy(for: url) }
    }
  }

  /// A proxy on 127.0.0.1 that understands `CONNECT`.
  private final class ConnectProxy: Sendable {
    private let seen: Seen
    private let channel: any Channel

    private final class Seen: Sendable {
      let heads = Mutex<[String]>([])
    }

    private init(_ seen: Seen, _ channel: any Channel) {
      self.seen = seen
      self.channel = channel
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    /// The requests, with their fields.
    var heads: [String] { seen.heads.withLock { $0 } }

    /// - Parameter forwards: whether requests for whole URLs are passed on, whatever `status` says to others.
    static func with(
      status: String = "200 OK", forwards: Bool = false, _ body: (ConnectProxy) async throws -> Void
    ) async throws {
      let seen = Seen()
      let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              Head(status, forwards) { head in seen.heads.withLock { $0.append(head) } })
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let proxy = ConnectProxy(seen, channel)
      do { try await body(proxy) } catch {
        try await channel.close().get()
        throw error
      }
      try await channel.close().get()
    }

    /// Reads a request, connects to its host, and passes on all that follows.
    private final class Head: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      typealias OutboundOut = ByteBuffer

      private let status: String
      private let forwards: Bool
      private let note: @Sendable (String) -> Void
      private var text = ""
      private var other: (any Channel)?

      init(_ status: String, _ forwards: Bool, _ note: @escaping @Sendable (String) -> Void) {
        self.status = status
        self.forwards = forwards
        self.note = note
      }

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if let other {
          if text.hasPrefix("CONNECT ") {
            other.writeAndFlush(buffer, promise: nil)
          } else {
            pass(String(buffer: buffer))
          }
          return
        }
        text += String(buffer: buffer)
        guard text.contains("\r\n\r\n") else { return }
        let words = text.split(separator: " ")
        let isForwarded = forwards && words[1].hasPrefix("http://")
        if !isForwarded { note(text) }
        let place = isForwarded ? words[1].dropFirst(7).prefix { $0 != "/" } : words[1]
        guard isForwarded || status.hasPrefix("200"), let port = place.split(separator: ":").last else {
          answer(context)
          context.close(promise: nil)
          return
        }
        let client = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Back(client)) }
          }
          .connect(host: "127.0.0.1", port: Int(port) ?? 0)
          .whenSuccess { channel in
            let (handler, context) = bound.value
            handler.other = channel
            if isForwarded { handler.pass(handler.text) } else { handler.answer(context) }
          }
      }

      /// Sends a request for a whole URL to its server.
      private func pass(_ request: String) {
        note(request)
        let words = request.split(separator: " ", maxSplits: 2)
        let path = words[1].dropFirst(7).drop { $0 != "/" }
        other?.writeAndFlush(ByteBuffer(string: "\(words[0]) \(path) \(words[2])"), promise: nil)
      }

      private func answer(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 \(status)\r\n\r\n")), promise: nil)
      }

      func channelInactive(context: ChannelHandlerContext) { other?.close(promise: nil) }
    }

    /// The way back.
    private final class Back: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      private let client: any Channel
      init(_ client: any Channel) { self.client = client }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
      }
      func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
    }
  }
#endif
