#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// The bytes that come with a description go on coming after it: reads join them.
  @Suite(.timeLimit(.minutes(5))) struct OpeningFlightTests {
    private func configuration(_ opening: RemoteOpening = .beginning) -> RemoteConfiguration {
      var configuration = RemoteConfiguration.test
      configuration.opening = opening
      return configuration
    }

    /// A source whose opening waits at `gate` after `count` bytes of its body; then `action`.
    private func withOpening(
      after count: Int, _ opening: RemoteOpening = .beginning, _ action: Interruption.Action? = nil,
      idle: Duration = .seconds(20),
      _ body: (LyingServer, HTTPSource, SourceDescription, ServerGate) async throws -> Void
    ) async throws {
      try await withServer { server in
        let gate = ServerGate()
        server.script = ServerScript { context in
          guard gate.arrivals == 0 else { return context.honest }
          let answer = context.honest.interrupted(.wait(gate), at: .body(count))
          return action.map { answer.interrupted($0, at: .body(count)) } ?? answer
        }
        var configuration = configuration(opening)
        configuration.idleTimeout = idle
        try await withSource(server, configuration) { source, description in
          #expect(description.byteCount == 100_000)
          try await body(server, source, description, gate)
        }
        gate.open()
      }
    }

    private func expect(_ task: Task<Bytes, any Error>, _ range: Range<Int>) async throws {
      let bytes = try await task.value
      #expect(bytes == content(range))
    }

    private func ranges(_ server: LyingServer) -> [String?] { server.log.requests.map { $0["Range"] } }

    @Test func `describing does not wait for the body, and reads wait for their bytes only`() async throws {
      try await withOpening(after: 5000) { server, source, description, gate in
        try await expectContent(0..<100, of: source, description)
        try await expectContent(4900..<5000, of: source, description)
        let late = Task { try await source.read(4900..<60_000, of: description) }
        let beyond = Task { try await source.read(65_000..<70_000, of: description) }
        // Elsewhere no read waits.
        try await expectContent(90_000..<90_010, of: source, description)
        #expect(ranges(server) == ["bytes=0-65535", "bytes=90000-90009"])
        gate.open()
        try await expect(late, 4900..<60_000)
        try await expect(beyond, 65_000..<70_000)
        #expect(ranges(server) == ["bytes=0-65535", "bytes=90000-90009", "bytes=65536-69999"])
      }
    }

    @Test func `what lies before the end that comes is asked for without it`() async throws {
      try await withOpening(after: 10, .suffix(10_000)) { server, source, description, gate in
        let task = Task { try await source.read(80_000..<95_000, of: description) }
        await server.log.arrivals.reaches(2)
        gate.open()
        try await expect(task, 80_000..<95_000)
        #expect(ranges(server) == ["bytes=-10000", "bytes=80000-89999"])
      }
    }

    @Test(arguments: [Interruption.Action.close, .reset, .stall])
    func `reads of a body that breaks ask for what they lack, of the same version`(_ fault: Interruption.Action)
      async throws
    {
      try await withOpening(after: 5000, .beginning, fault, idle: .milliseconds(300)) {
        server, source, description, gate in
        let tasks = [0..<6000, 3000..<65_536, 7000..<8000].map { range in
          Task { (range, try await source.read(range, of: description)) }
        }
        gate.open()
        for task in tasks {
          let (range, bytes) = try await task.value
          #expect(bytes == content(range))
        }
        let asked = server.log.requests.dropFirst()
        #expect(asked.count == 3 && asked.allSatisfy { $0["If-Match"] != nil }, "\(ranges(server))")
        let counts = try #require(source.statistics().first)
        #expect(counts["answers continued"] == 1 && counts["requests"] == 4)
      }
    }

    @Test func `a version that ends while its first bytes come is not mixed with the next one`() async throws {
      try await withOpening(after: 5000, .beginning, .reset) { server, source, description, gate in
        try await expectContent(0..<5000, of: source, description)
        let task = Task { try await source.read(0..<10_000, of: description) }
        server.objects.put(ServedObject(count: 100_000, version: 2), at: objectPath)
        gate.open()
        let error = try await readError { _ = try await task.value }
        #expect(error.code == .sourceChanged)
        let new = try await source.describe()
        try await expectContent(0..<10_000, of: source, new, version: 2)
      }
    }

    @Test func `a cancelled read leaves at once, and the others have their bytes of the same request`() async throws {
      try await withOpening(after: 5000) { server, source, description, gate in
        let tasks = (0..<4).map { index in Task { try await source.read(index..<10_000, of: description) } }
        for task in tasks.dropLast() {
          task.cancel()
          await #expect(throws: CancellationError.self) { try await task.value }
        }
        gate.open()
        try await expect(tasks[3], 3..<10_000)
        #expect(ranges(server) == ["bytes=0-65535"])
      }
    }

    @Test func `a cancelled read does not stop what comes`() async throws {
      try await withOpening(after: 5000) { server, source, description, gate in
        let task = Task { try await source.read(0..<10_000, of: description) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        try await expectContent(0..<10_000, of: source, description)
        #expect(ranges(server) == ["bytes=0-65535"])
      }
    }

    @Test func `closing ends the body and the reads that wait for it`() async throws {
      try await withOpening(after: 5000) { server, source, description, _ in
        let task = Task { try await source.read(0..<10_000, of: description) }
        await source.close()
        let error = try await readError { _ = try await task.value }
        #expect(error.code == .closed)
        await server.log.endedConnections.reaches(1)
      }
    }

    @Test func `a source that is let go ends the body`() async throws {
      try await withServer { server in
        let gate = ServerGate()
        server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: .body(5000)) }
        var configuration = configuration(.range(0..<100_000))
        // The key of no other test.
        configuration.keepAliveTimeout = .seconds(1031)
        _ = try await HTTPSource(server.url(objectPath), configuration: configuration).describe()
        await server.log.endedConnections.reaches(1)
        gate.open()
      }
    }

    @Test func `a read waits no longer than its limit`() async throws {
      try await withServer { server in
        server.script = ServerScript { $0.honest.interrupted(.stall, at: .body(5)) }
        var configuration = configuration()
        configuration.readTimeout = .seconds(2)
        try await withSource(server, configuration) { source, description in
          let error = try await readError { _ = try await source.read(0..<10_000, of: description) }
          #expect(error.code == .timedOut)
        }
      }
    }

    @Test func `objects described twice at once, and over HTTP 2, are read rightly`() async throws {
      for isHTTP2 in [false, true] {
        try await withServer(isHTTP2 ? .tls(http2: true) : .init()) { server in
          var configuration = configuration()
          configuration.httpVersion = isHTTP2 ? .http2 : .http1
          let source = HTTPSource(server.url(objectPath), configuration: configuration)
          let tasks = (0..<4).map { _ in Task { try await source.describe() } }
          for task in tasks { try await expectContent(0..<65_536, of: source, try await task.value) }
          await source.close()
        }
      }
    }

    @Test func `a reader with a cache reads the first bytes as they come, and then keeps their block`() async throws {
      try await withServer { server in
        let gate = ServerGate()
        server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: .body(5000)) }
        let reader = try await RangeReader(
          HTTPSource(server.url(objectPath), configuration: configuration()),
          .remoteObject(cache: MemoryStore(limit: .mebibytes(8))))
        let first = try await reader.read(0..<100)
        #expect(first == content(0..<100) && ranges(server) == ["bytes=0-65535"])
        gate.open()
        for start in stride(from: 0, to: 60_000, by: 3000) {
          let bytes = try await reader.read(start..<start + 100)
          #expect(bytes == content(start..<start + 100))
        }
        #expect(ranges(server).filter { $0 != "bytes=65536-99999" } == ["bytes=0-65535"])
        await reader.close()
      }
    }
  }
#endif
