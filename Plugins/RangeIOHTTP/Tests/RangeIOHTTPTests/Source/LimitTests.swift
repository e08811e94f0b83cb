#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Time limits, and servers that cannot be reached. No test measures time: what never ends is ended by the limit of the
  /// suite.
  @Suite(.timeLimit(.minutes(5))) struct LimitTests {
    @Test func `a server that never answers is a timeout`() async throws {
      try await withServer { server in
        var configuration = HTTPSource.Configuration.test
        configuration.firstByteTimeout = .milliseconds(300)
        try await withSource(server, configuration) { source, description in
          server.script = ServerScript { $0.honest.interrupted(.stall, at: .head(0)) }
          let error = try await readError { _ = try await source.read(0..<100, of: description) }
          #expect(error.code == .timedOut && error.isTransient)
        }
      }
    }

    @Test func `a server that stops within a body is noticed`() async throws {
      try await withServer { server in
        var configuration = HTTPSource.Configuration.test
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
        var configuration = HTTPSource.Configuration.test
        configuration.readTimeout = .milliseconds(500)
        try await withSource(server, configuration) { source, description in
          server.script = ServerScript { $0.honest.dripping(1, every: 20) }
          let error = try await readError { _ = try await source.read(0..<10_000, of: description) }
          #expect(error.code == .timedOut)
        }
      }
    }

    @Test func `a port where nobody listens fails at once`() async throws {
      let port = try await LyingServer.with { $0.port }
      let source = HTTPSource("http://127.0.0.1:\(port)/x", configuration: .test)
      let error = try await readError { _ = try await source.describe() }
      #expect(error.code == .inputOutput && error.isTransient)
      #expect(error.message.contains("refused"))
      await source.close()
    }

    @Test func `a certificate that is not trusted is an error that says so`() async throws {
      try await withServer(.tls()) { server in
        var configuration = HTTPSource.Configuration.test
        configuration.additionalTrustRoots = []
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.message.contains("certificate"))
        await source.close()
      }
    }

    @Test func `settings that are impossible are refused when the source is opened`() async throws {
      func refused(_ url: String = "http://127.0.0.1/", _ change: (inout HTTPSource.Configuration) -> Void) async throws
      {
        var configuration = HTTPSource.Configuration.test
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
      try await refused { $0.userAgent = "a\r\nHost: b" }
      try await refused { $0.connectionsPerHost = 0 }
      try await refused { $0.connectTimeout = .zero }
      try await refused { $0.blockSize = .bytes(1000) }
      try await refused { $0.proxy = .server("ftp://127.0.0.1:1") }
      try await refused { $0.additionalTrustRoots = [.pem(Array("no certificate".utf8)), .file("/no/such/file")] }
      try await refused("s3://bucket/key") { _ in }
      try await refused("no URL") { _ in }
    }
  }
#endif
