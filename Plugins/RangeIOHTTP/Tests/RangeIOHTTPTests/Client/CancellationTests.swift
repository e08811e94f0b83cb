#if HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  @Suite(.timeLimit(.minutes(20))) struct CancellationTests {
    @Test func `a cancelled read returns while the server hangs`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          let gate = ServerGate()
          for place in [Interruption.Place.head(0), .head(20), .body(0), .body(50)] {
            server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: place) }
            let seen = gate.arrivals
            let task = Task { try await source.read(0..<100, of: description) }
            await gate.arrival(seen + 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
          }
          gate.open()
          server.script = .honest
          try await expectContent(0..<100, of: source, description)
        }
      }
    }

    @Test func `closing answers reads in flight, and waits for nothing`() async throws {
      try await withServer { server in
        let source = HTTPSource(server.url(objectPath), configuration: .reading)
        let description = try await source.describe()
        let gate = ServerGate()
        server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: .body(50)) }
        // More than there are connections, so that some wait for one.
        let tasks = (0..<20).map { _ in Task { try await source.read(0..<100, of: description) } }
        await gate.arrival(8)
        await source.close()
        for task in tasks {
          let error = try await readError { _ = try await task.value }
          #expect(error.code == .closed)
        }
        let late = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(late.code == .closed)
        await server.log.endedConnections.reaches(8)
        gate.open()
      }
    }

    @Test func `the rest of a short answer keeps the connection, that of a long one closes it`() async throws {
      try await withServer(count: 64 << 20) { server in
        try await withSource(server) { source, description in
          let gate = ServerGate()
          server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: .body(10)) }
          await leave(0..<1000, of: source, description)
          gate.open()
          server.script = .honest
          try await expectContent(0..<100, of: source, description)
          #expect(server.log.endedConnections.now == 0)

          let next = ServerGate()
          server.script = ServerScript { $0.honest.interrupted(.wait(next), at: .body(1000)) }
          await leave(0..<64 << 20, of: source, description)
          await server.log.endedConnections.reaches(1)
          next.open()
        }
      }
    }

    /// Cancels a read after its first bytes have come.
    private func leave(_ range: Range<Int>, of source: HTTPSource, _ description: SourceDescription) async {
      let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
      let task = Task { try await source.read(range, of: description) { _ in arrived.yield() } }
      for await _ in arrivals { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// 2,000 reads, or `RANGEIO_CANCELS`.
    @Test(arguments: [false, true]) func `cancelled reads leave no connection and no descriptor`(_ isHTTP2: Bool)
      async throws
    {
      let count = ProcessInfo.processInfo.environment["RANGEIO_CANCELS"].flatMap { Int($0) } ?? 2000
      try await withServer(isHTTP2 ? .tls(http2: true) : .init(), count: 4 << 20) { server in
        var configuration = RemoteConfiguration.reading
        configuration.keepAliveTimeout = .seconds(isHTTP2 ? 64 : 63)
        configuration.httpVersion = isHTTP2 ? .http2 : .http1
        configuration.firstByteTimeout = .seconds(5)
        try await withSource(server, configuration) { source, description in
          _ = try await source.read(0..<10, of: description)
        }
        await server.log.endedConnections.reaches(1)
        let before = try descriptorCount()
        try await withSource(server, configuration) { source, description in
          var random = SystemRandomNumberGenerator()
          for start in stride(from: 0, to: count, by: 16) {
            let tasks = (start..<min(start + 16, count)).map { index in
              let size = [100, 10_000, 1 << 20][index % 3]
              return Task { try await source.read(index % 1000..<index % 1000 + size, of: description) }
            }
            for _ in 0..<Int.random(in: 0..<40, using: &random) { await Task.yield() }
            for task in tasks { task.cancel() }
            for task in tasks {
              do { _ = try await task.value } catch is CancellationError {}
            }
          }
          do {
            try await expectContent(5..<500, of: source, description)
          } catch let error as ReadError where isHTTP2 && error.code == .timedOut {
            // Of thousands of streams that are cancelled, some leave a connection on which nothing is sent any more
            // (async-http-client 1.37, swift-nio-http2 1.46). It is left then.
            try await expectContent(5..<500, of: source, description)
          }
          #expect(server.log.mostOpenConnections <= 64)
        }
        // The server may yet accept a connection that the client has left.
        repeat {
          await server.log.endedConnections.reaches(server.log.connections)
          for _ in 0..<1000 { await Task.yield() }
        } while server.log.openConnections > 0
        // The server's side of the connections has ended, so those of this process have.
        #expect(try descriptorCount() <= before + 2)
      }
    }
  }
#endif
