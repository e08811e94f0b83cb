#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct SharingTests {
    @Test func `reads one after the other use one connection`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          for index in 0..<50 { _ = try await source.read(index * 100..<index * 100 + 100, of: description) }
          #expect(server.log.connections == 1)
        }
      }
    }

    @Test func `sources with equal settings share their connections`() async throws {
      try await withServer { server in
        // The key of no other test. What comes along when they are opened would keep the first connection busy for a while.
        var configuration = RemoteConfiguration.reading
        configuration.keepAliveTimeout = .seconds(61)
        let sources = (0..<4).map { _ in HTTPSource(server.url(objectPath), configuration: configuration) }
        for source in sources { _ = try await source.read(0..<10, of: source.describe()) }
        #expect(server.log.connections == 1)
        for source in sources.dropLast() { await source.close() }
        #expect(server.log.openConnections == 1)
        await sources[3].close()
        await server.log.endedConnections.reaches(1)
        #expect(server.log.openConnections == 0)
        // And anew.
        let next = HTTPSource(server.url(objectPath), configuration: configuration)
        _ = try await next.describe()
        #expect(server.log.connections == 2)
        await next.close()
      }
    }

    @Test func `a source that is dropped closes its connections, though a cache keeps its description`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.test
        configuration.keepAliveTimeout = .seconds(62)
        let kept = try await HTTPSource(server.url(objectPath), configuration: configuration).describe()
        await server.log.endedConnections.reaches(1)
        #expect(kept.byteCount == 100_000)
      }
    }

    @Test func `there are never more connections than permitted`() async throws {
      try await withServer(count: 1 << 20) { server in
        var configuration = RemoteConfiguration.test
        configuration.maxConnectionsPerHost = 3
        let first = HTTPSource(server.url(objectPath), configuration: configuration)
        let second = HTTPSource(server.url(objectPath), configuration: configuration)
        let (one, other) = (try await first.describe(), try await second.describe())
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<64 {
            let range = index * 10_000..<index * 10_000 + 9000
            group.addTask { try await expectContent(range, of: first, one) }
            group.addTask { try await expectContent(range, of: second, other) }
          }
          try await group.waitForAll()
        }
        #expect(server.log.mostOpenConnections <= 3)
        await first.close()
        await second.close()
      }
    }

    @Test(arguments: ConnectionLimit.Manner.allCases)
    func `a server that closes its connections now and then costs no read`(_ manner: ConnectionLimit.Manner)
      async throws
    {
      var configuration = LyingServer.Configuration()
      configuration.limit = ConnectionLimit(10, manner)
      try await withServer(configuration) { server in
        try await withSource(server) { source, description in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<4 {
              group.addTask {
                for index in 0..<100 {
                  let range = start * 10_000 + index * 10..<start * 10_000 + index * 10 + 500
                  try await expectContent(range, of: source, description)
                }
              }
            }
            try await group.waitForAll()
          }
        }
      }
    }
  }
#endif
