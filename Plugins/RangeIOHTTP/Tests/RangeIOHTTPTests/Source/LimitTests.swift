#if HTTP
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIORemote

  /// Time limits, and servers that cannot be reached. No test measures time: what never ends is ended by the limit of the
  /// suite.
  @Suite(.timeLimit(.minutes(5))) struct LimitTests {
    @Test func `a server that never answers is a timeout`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.firstByteTimeout = .milliseconds(300)
        try await withSource(server, configuration) { source, description in
          server.script = ServerScript { $0.honest.interrupted(.stall, at: .head(0)) }
          let error = try await readError { _ = try await source.read(0..<100, of: description) }
          #expect(error.code == .timedOut && error.isTransient)
        }
      }
    }

    @Test(arguments: [Interruption.Place.head(0), .body(10)])
    func `over HTTP 2 a connection that has died is not used again`(_ place: Interruption.Place) async throws {
      try await withServer(.tls(http2: true)) { server in
        var configuration = RemoteConfiguration.reading
        configuration.httpVersion = .http2
        configuration.firstByteTimeout = .milliseconds(300)
        configuration.idleTimeout = .milliseconds(300)
        try await withSource(server, configuration) { source, description in
          // Nothing comes over the first connection any more, and nothing says that it is closed.
          let dead = try #require(server.log.requests.last?.connection)
          server.script = ServerScript { context in
            context.request.connection == dead ? context.honest.interrupted(.stall, at: place) : context.honest
          }
          // A body goes on over another connection, without the read noticing.
          if place == .head(0) {
            let error = try await readError { _ = try await source.read(0..<100, of: description) }
            #expect(error.code == .timedOut && error.isTransient)
          }
          try await expectContent(0..<100, of: source, description)
        }
      }
    }

    @Test func `a server that does not come to terms over TLS is a timeout of connecting`() async throws {
      // It takes connections, and says nothing.
      let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(host: "127.0.0.1", port: 0).outcome()
      let port = try #require(listener.localAddress?.port)
      var configuration = RemoteConfiguration.reading
      configuration.connectTimeout = .milliseconds(300)
      configuration.firstByteTimeout = .seconds(3600)
      configuration.readTimeout = .seconds(3600)
      let source = HTTPSource("https://127.0.0.1:\(port)/x", configuration: configuration)
      let error = try await readError { _ = try await source.describe() }
      #expect(error.code == .timedOut && error.isTransient && error.message.contains("connected to in time"))
      await source.close()
      try await listener.close().outcome()
    }

    @Test func `an idle connection is closed after its time`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.keepAliveTimeout = .nanoseconds(1)
        configuration.maxConnectionsPerHost = 1
        try await withSource(server, configuration) { source, description in
          let first = server.log.requests[0].connection
          // With the usual time, all would be on the first one.
          repeat {
            try await expectContent(0..<100, of: source, description)
          } while server.log.requests.last?.connection
            == first
        }
      }
    }

    @Test func `an answer that is too slow is given up, and the read after a few of them`() async throws {
      try await withServer { server in
        var settings = RemoteConfiguration()
        settings.proxy = .none
        settings.opening = .head
        settings.minBytesPerSecond = .bytes(10_000)
        settings.rateWindow = .milliseconds(200)
        let object = try RemoteObject(server.url(objectPath), configuration: settings)
        let description = try await object.describe()
        // 50 bytes a second.
        server.script = ServerScript { $0.honest.dripping(1, every: 20) }
        let error = try await readError { _ = try await object.read(0..<10_000, of: description) }
        #expect(error.code == .inputOutput && error.isTransient && error.message.contains("least rate"))
        server.script = .honest
        #expect(try await object.read(0..<10_000, of: description) == content(0..<10_000))
        await object.close()
      }
    }

    @Test func `over HTTP 2 a request that waits for its turn does not follow one whose connection has died`()
      async throws
    {
      try await withServer(.tls(http2: true)) { server in
        var configuration = RemoteConfiguration.reading
        configuration.httpVersion = .http2
        configuration.maxConnectionsPerHost = 1
        configuration.firstByteTimeout = .milliseconds(300)
        try await withSource(server, configuration) { source, description in
          let dead = try #require(server.log.requests.last?.connection)
          let gate = ServerGate()
          server.script = ServerScript { context in
            context.request.connection == dead ? context.honest.interrupted(.wait(gate), at: .head(0)) : context.honest
          }
          async let first = readError { _ = try await source.read(0..<100, of: description) }
          await gate.arrival()
          let second = try await source.read(100..<200, of: description)
          #expect(second == content(100..<200))
          #expect(try await first.code == .timedOut)
          gate.open()
        }
      }
    }

    @Test func `a server that stops within a body is noticed`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.idleTimeout = .milliseconds(300)
        try await withSource(server, configuration) { source, description in
          server.script = ServerScript { $0.honest.interrupted(.stall, at: .body(10)) }
          let error = try await readError { _ = try await source.read(0..<100, of: description) }
          #expect(error.isTransient)
        }
      }
    }

    @Test func `a read has a time limit for all its requests`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.readTimeout = .milliseconds(500)
        try await withSource(server, configuration) { source, description in
          server.script = ServerScript { $0.honest.dripping(1, every: 20) }
          let error = try await readError { _ = try await source.read(0..<10_000, of: description) }
          #expect(error.code == .timedOut && !error.isTransient)
        }
      }
    }

    @Test func `a read that waits for its turn has a time limit too`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.maxConnectionsPerHost = 1
        configuration.readTimeout = .seconds(3600)
        try await withSource(server, configuration) { patient, description in
          configuration.readTimeout = .milliseconds(300)
          let hasty = HTTPSource(server.url(objectPath), configuration: configuration)
          let other = try await hasty.describe()
          let gate = ServerGate()
          server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: .body(0)) }
          let first = Task { try await patient.read(0..<100, of: description) }
          await gate.arrival()
          let error = try await readError { _ = try await hasty.read(0..<100, of: other) }
          #expect(error.code == .timedOut && error.message.contains("permit more connections"))
          gate.open()
          #expect(try await first.value == content(0..<100))
          try await expectContent(0..<100, of: hasty, other)
          await hasty.close()
        }
      }
    }

    /// Limits so long that a test which waits for one of them fails.
    private var patient: RemoteConfiguration {
      var configuration = RemoteConfiguration.reading
      configuration.maxConnectionsPerHost = 1
      configuration.idleTimeout = .seconds(3600)
      configuration.readTimeout = .seconds(3600)
      configuration.minBytesPerSecond = .bytes(0)
      return configuration
    }

    @Test func `an answer whose end does not come is not waited for once its bytes are there`() async throws {
      try await withServer { server in
        try await withSource(server, patient) { source, description in
          server.script = ServerScript { context in
            var answer = context.honest.interrupted(.stall, at: .body(100))
            answer.framing = .chunked(64)
            return answer
          }
          for _ in 0..<2 { try await expectContent(0..<100, of: source, description) }
        }
      }
    }

    @Test(arguments: [false, true]) func `the body of a redirect that does not end is not waited for`(_ hasLength: Bool)
      async throws
    {
      try await withServer { server in
        try await withSource(server, patient) { source, description in
          server.script = ServerScript { context in
            guard context.request.parameter("moved") == nil else { return context.honest }
            var answer = ScriptedAnswer(302, text: String(repeating: "elsewhere ", count: 10))
            answer.fields["Location"] = objectPath + "?moved=1"
            if !hasLength { answer.framing = .chunked(10) }
            return answer.interrupted(.stall, at: .body(50))
          }
          try await expectContent(0..<100, of: source, description)
        }
      }
    }

    @Test func `times that are too long to count are no limits`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        let endless = Duration.seconds(Int64.max)
        configuration.keepAliveTimeout = endless
        configuration.connectTimeout = endless
        configuration.firstByteTimeout = endless
        configuration.idleTimeout = endless
        configuration.readTimeout = endless
        configuration.maxConnectionsPerHost = .max
        configuration.httpVersion = .http2
        try await withSource(server, configuration) { source, description in
          try await expectContent(0..<100, of: source, description)
        }
      }
    }

    @Test func `a port without a listener fails at once`() async throws {
      let port = try await LyingServer.with { $0.port }
      let source = HTTPSource("http://127.0.0.1:\(port)/x", configuration: .reading)
      let error = try await readError { _ = try await source.describe() }
      #expect(error.code == .inputOutput && error.isTransient)
      #expect(error.message.contains("refused"))
      await source.close()
    }

    @Test func `a certificate that is not trusted is an error that says so`() async throws {
      try await withServer(.tls()) { server in
        var configuration = RemoteConfiguration.reading
        configuration.additionalTrustRoots = []
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.message.contains("certificate"))
        await source.close()
      }
    }

    @Test func `settings that are impossible are refused when the source is opened`() async throws {
      func refused(_ url: String = "http://127.0.0.1/", _ change: (inout RemoteConfiguration) -> Void) async throws {
        var configuration = RemoteConfiguration.reading
        change(&configuration)
        let source = HTTPSource(url, configuration: configuration)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .invalidConfiguration, "\(error)")
        await source.close()
      }
      try await refused { $0.headers = [("Range", "bytes=0-1")] }
      try await refused { $0.headers = [("X-Name", "a\r\nHost: b")] }
      try await refused { $0.headers = [("X Name", "a")] }
      try await refused { $0.headers = (0..<129).map { ("X-\($0)", "a") } }
      try await refused { $0.headers = [("X-Long", String(repeating: "a", count: 70_000))] }
      try await refused { $0.userAgent = "a\r\nHost: b" }
      try await refused { $0.maxConnectionsPerHost = 0 }
      try await refused { $0.connectTimeout = .zero }
      try await refused { $0.blockSize = .bytes(1000) }
      try await refused { $0.proxy = .server("ftp://127.0.0.1:1") }
      try await refused { $0.additionalTrustRoots = [.pem(Array("no certificate".utf8)), .file("/no/such/file")] }
      try await refused("s3://bucket/key") { _ in }
      try await refused("no URL") { _ in }
    }
  }
#endif
