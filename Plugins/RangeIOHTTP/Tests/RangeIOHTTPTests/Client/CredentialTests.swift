#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Synchronization
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct CredentialTests {
    /// A server that accepts requests with the current `value`.
    private static func guarded(_ value: @escaping @Sendable () -> String) -> ServerScript {
      ServerScript { context in
        context.request["Authorization"] == value() ? context.honest : ScriptedAnswer(401, text: "who are you?\n")
      }
    }

    @Test func `a user in the URL is sent, and basic credentials are`() async throws {
      try await withServer { server in
        server.script = Self.guarded { "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" }  // RFC 7617, 2.
        let url = server.url(objectPath).replacingPrefix("http://", by: "http://Aladdin:open%20sesame@")
        let source = HTTPSource(url, configuration: .reading)
        #expect(try await source.read(0..<10, of: source.describe()) == content(0..<10))
        #expect(!source.name.contains("sesame") && !source.name.contains("Aladdin"))
        await source.close()
        var configuration = RemoteConfiguration.reading
        configuration.credentials = .basic(user: "Aladdin", password: "open sesame")
        try await withSource(server, configuration) { source, description in
          try await expectContent(0..<10, of: source, description)
        }
      }
    }

    @Test func `a provider is asked again after 401, once for many reads`() async throws {
      try await withServer { server in
        let token = Mutex("one")
        server.script = Self.guarded { "Bearer " + token.withLock { $0 } }
        let asked = Mutex<[String]>([])
        var configuration = RemoteConfiguration.reading
        configuration.credentials = HTTPCredentials { refused in
          asked.withLock { $0.append(refused?.description ?? "none") }
          await Task.yield()
          return .bearer(token.withLock { $0 })
        }
        try await withSource(server, configuration) { source, description in
          #expect(asked.withLock { $0 } == ["none"])
          token.withLock { $0 = "two" }
          try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<16 {
              group.addTask {
                try await expectContent(index..<index + 10, of: source, description)
              }
            }
            try await group.waitForAll()
          }
          #expect(asked.withLock { $0 } == ["none", "Bearer …"])
        }
      }
    }

    @Test func `credentials that stay wrong are asked for once a read, and the read is not permitted`() async throws {
      try await withServer { server in
        server.script = Self.guarded { "Bearer never" }
        let asked = Mutex(0)
        var configuration = RemoteConfiguration.reading
        configuration.credentials = HTTPCredentials { _ in
          .bearer("wrong\(asked.withLock { asked -> Int in asked += 1; return asked })")
        }
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .permissionDenied && !error.isTransient)
        #expect(asked.withLock { $0 } == 2)
        #expect(!"\(error)".contains("wrong"))
        await source.close()
      }
    }

    @Test func `without other credentials a 401 is final at once`() async throws {
      try await withServer { server in
        server.script = Self.guarded { "Bearer never" }
        var configuration = RemoteConfiguration.test
        configuration.credentials = .bearer("fixed")
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .permissionDenied)
        #expect(server.log.requestCount == 1)
        await source.close()
      }
    }

    @Test func `what a provider throws is thrown`() async throws {
      struct NoVault: Error {}
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.credentials = HTTPCredentials { _ in throw NoVault() }
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        await #expect(throws: NoVault.self) { _ = try await source.describe() }
        #expect(server.log.requestCount == 0)
        await source.close()
      }
    }

    @Test func `a wait for a provider ends when it is cancelled, and when the source is closed`() async throws {
      try await withServer { server in
        let gate = ServerGate()
        let isAsked = Mutex<CheckedContinuation<Void, Never>?>(nil)
        var configuration = RemoteConfiguration.reading
        configuration.credentials = HTTPCredentials { _ in
          isAsked.withLock { $0.take() }?.resume()
          // Never answers, and takes no notice of cancellation.
          await gate.arrival(1)
          return nil
        }
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        for closes in [false, true] {
          var task: Task<SourceDescription, any Error>?
          await withCheckedContinuation { continuation in
            isAsked.withLock { $0 = continuation }
            task = Task { try await source.describe() }
          }
          if closes { await source.close() } else { task?.cancel() }
          let result = await task?.result
          #expect(throws: (any Error).self) { _ = try result?.get() }
        }
      }
    }

    @Test func `a provider that reads through its own source fails in time`() async throws {
      try await withServer { server in
        let own = Mutex<HTTPSource?>(nil)
        var configuration = RemoteConfiguration.reading
        configuration.readTimeout = .milliseconds(300)
        configuration.credentials = HTTPCredentials { _ in
          _ = try await own.withLock { $0 }?.describe()
          return .bearer("never")
        }
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        own.withLock { $0 = source }
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .timedOut && error.message.contains("provider"))
        #expect(server.log.requestCount == 0)
        own.withLock { $0 = nil }
        await source.close()
      }
    }

    @Test(arguments: ["s3cret\r\nX-Evil: 1", "s3cret\n", "s3cret\u{0}", "s3cret\u{7f}"])
    func `credentials that cannot stand in a head are refused, and neither sent nor shown`(_ token: String) async throws
    {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.credentials = .bearer(token)
        let source = HTTPSource(server.url(objectPath), configuration: configuration)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .permissionDenied && !error.isTransient, "\(error)")
        #expect(error.message.contains("Authorization") && !"\(error)".contains("s3cret"), "\(error)")
        #expect(server.log.requestCount == 0)
        await source.close()
      }
    }

    @Test func `headers and credentials go to the origin only`() async throws {
      try await withServer { elsewhere in
        try await withServer { server in
          let target = elsewhere.url(objectPath)
          server.script = ServerScript { _ in
            ScriptedAnswer(302, [ServedField("Location", target), ServedField("Content-Length", "0")])
          }
          var configuration = RemoteConfiguration.reading
          configuration.headers = [("X-Secret", "abc"), ("Cookie", "id=1")]
          configuration.credentials = .bearer("token")
          try await withSource(server, configuration) { source, description in
            try await expectContent(0..<10, of: source, description)
          }
          let first = try #require(server.log.requests.first)
          #expect(first["X-Secret"] == "abc" && first["Cookie"] == "id=1" && first["Authorization"] == "Bearer token")
          #expect(!elsewhere.log.requests.isEmpty)
          for request in elsewhere.log.requests {
            #expect(request["X-Secret"] == nil && request["Cookie"] == nil && request["Authorization"] == nil)
          }
        }
      }
    }
  }

  extension String {
    fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String { other + dropFirst(prefix.count) }
  }
#endif
