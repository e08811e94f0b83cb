#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Opening an object by a GET whose bytes the first reads get.
  @Suite(.timeLimit(.minutes(5))) struct OpeningTests {
    private func configuration(_ opening: RemoteOpening = .beginning) -> RemoteConfiguration {
      var configuration = RemoteConfiguration.test
      configuration.opening = opening
      return configuration
    }

    private func ranges(_ server: LyingServer) -> [String?] {
      #expect(server.log.requests.allSatisfy { $0.method == "GET" })
      return server.log.requests.map { $0["Range"] }
    }

    @Test func `opening and the first reads are one request, in memory of their own size`() async throws {
      try await withServer { server in
        try await withSource(server, configuration()) { source, description in
          try await expectContent(0..<100, of: source, description)
          try await expectContent(5000..<9000, of: source, description)
          let bytes = try await source.read(60_000..<60_010, of: description)
          #expect(bytes == content(60_000..<60_010) && bytes.backingByteCount <= 1000)
          #expect(ranges(server) == ["bytes=0-65535"])
          // What begins there goes on from where it ends.
          try await expectContent(65_000..<70_000, of: source, description)
          try await expectContent(70_000..<70_010, of: source, description)
          #expect(ranges(server) == ["bytes=0-65535", "bytes=65536-69999", "bytes=70000-70009"])
          let counts = try #require(source.statistics().first)
          #expect(counts["reads"] == 5 && counts["requests"] == 3 && counts["bytes received"] == 65_536 + 4464 + 10)
        }
      }
    }

    @Test func `a small object is one request, through a reader with a cache too`() async throws {
      try await withServer(count: 3000) { server in
        let reader = try await RangeReader(
          HTTPSource(server.url(objectPath), configuration: configuration()),
          .remoteObject(cache: MemoryStore(limit: .mebibytes(8))))
        #expect(try await reader.read(0...) == content(0..<3000))
        #expect(try await reader.read(1000..<1010) == content(1000..<1010))
        #expect(ranges(server) == ["bytes=0-65535"])
        await reader.close()
      }
    }

    @Test func `a hint names what comes along`() async throws {
      try await withServer { server in
        for (opening, field, range) in [
          (RemoteOpening.suffix(1000), "bytes=-1000", 99_000..<100_000),
          (.range(5000..<6000), "bytes=5000-5999", 5000..<6000),
          (.suffix(1 << 20), "bytes=-1048576", 0..<100_000),
        ] {
          server.log.clear()
          try await withSource(server, configuration(opening)) { source, description in
            try await expectContent(range, of: source, description)
            #expect(ranges(server) == [field])
          }
        }
      }
    }

    @Test func `a hint that lies across blocks serves a reader with a cache, too`() async throws {
      try await withServer(count: 1_234_567) { server in
        for (opening, range) in [
          (RemoteOpening.suffix(65_536), 1_234_567 - 65_536..<1_234_567), (.suffix(65_536), 1_200_000..<1_200_100),
          (.range(100_001..<150_000), 100_001..<150_000), (.range(100_001..<150_000), 120_000..<120_001),
        ] {
          server.log.clear()
          let reader = try await RangeReader(
            HTTPSource(server.url(objectPath), configuration: configuration(opening)),
            .remoteObject(cache: MemoryStore(limit: .mebibytes(8))))
          #expect(try await reader.read(range) == content(range))
          #expect(server.log.requestCount == 1, "\(opening), \(range): \(ranges(server))")
          await reader.close()
        }
      }
    }

    @Test func `small reads of what came along, through a reader with a cache, need no other request`() async throws {
      try await withServer { server in
        let reader = try await RangeReader(
          HTTPSource(server.url(objectPath), configuration: configuration()),
          .remoteObject(cache: MemoryStore(limit: .mebibytes(8))))
        for start in stride(from: 0, to: 60_000, by: 3000) {
          #expect(try await reader.read(start..<start + 100) == content(start..<start + 100))
        }
        // What follows may be read ahead, as the reads go forward.
        #expect(ranges(server).filter { $0 != "bytes=65536-99999" } == ["bytes=0-65535"])
        await reader.close()
      }
    }

    @Test func `they are let go when a read had them all, and after eight reads`() async throws {
      try await withServer { server in
        for reads in [[0..<65_536], (0..<7).map { $0 * 10..<$0 * 10 + 10 }] {
          server.log.clear()
          try await withSource(server, configuration()) { source, description in
            if reads.count > 1 {
              // Reads count when the last byte has come: the first of these may be too early.
              for _ in 0..<2 { try await expectContent(65_535..<65_536, of: source, description) }
            }
            for range in reads.dropLast() { try await expectContent(range, of: source, description) }
            #expect(server.log.requestCount == 1)
            if let last = reads.last { try await expectContent(last, of: source, description) }
            server.log.clear()
            try await expectContent(20..<30, of: source, description)
            #expect(server.log.requestCount == 1)
          }
        }
      }
    }

    @Test func `they are of the version that was opened, and no read mixes them with another`() async throws {
      for tag in [ServedObject.Tag.strong("v1"), .weak("v1")] {
        try await withServer { server in
          var object = ServedObject(count: 100_000)
          object.tag = tag
          server.objects.put(object, at: objectPath)
          try await withSource(server, configuration()) { source, description in
            var other = ServedObject(count: 100_000, version: 2)
            if case .weak = tag { other.tag = .weak("v2") }
            server.objects.put(other, at: objectPath)
            try await expectContent(0..<1000, of: source, description)
            let error = try await readError { _ = try await source.read(60_000..<70_000, of: description) }
            #expect(error.code == .sourceChanged)
            // From then on it is known to be gone.
            let again = try await readError { _ = try await source.read(0..<1000, of: description) }
            #expect(again.code == .sourceChanged)
            let new = try await source.describe()
            try await expectContent(0..<1000, of: source, new, version: 2)
          }
        }
      }
    }

    @Test func `closed and cancelled reads get none`() async throws {
      try await withServer { server in
        let source = HTTPSource(server.url(objectPath), configuration: configuration())
        let description = try await source.describe()
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await source.read(0..<10, of: description)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await source.close()
        let error = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(error.code == .closed)
      }
    }

    @Test func `to see whether it has changed costs a byte`() async throws {
      try await withServer { server in
        try await withSource(server, configuration()) { source, first in
          // What came along is counted when it has been sent.
          while server.log.bodyBytes < 65_536 { await Task.yield() }
          server.log.clear()
          let again = try await source.describe()
          #expect(again === first)
          // Counted when it has been sent, which the server may learn after the client has read it.
          while server.log.bodyBytes == 0 { await Task.yield() }
          #expect(ranges(server) == ["bytes=0-0"] && server.log.bodyBytes == 1)
        }
      }
    }

    // MARK: what HEAD cannot tell

    /// A server that answers HEAD as `head` says, and ranges or not.
    private func script(
      ignoresRanges: Bool = false, _ head: @escaping @Sendable (AnswerContext) -> ScriptedAnswer = { $0.honest }
    ) -> ServerScript {
      ServerScript { context in
        if context.request.method == "HEAD" {
          var answer = head(context)
          answer.isBodyless = true
          return answer
        }
        guard ignoresRanges, let object = context.object else { return context.honest }
        return .whole(object)
      }
    }

    @Test(arguments: [400, 401, 403, 404, 405, 408, 410, 429, 500, 501, 502, 503, 504])
    func `an object whose HEAD is refused is read, also if HEAD is asked first`(_ status: Int) async throws {
      try await withServer { server in
        server.script = script { _ in ScriptedAnswer(status, text: "no") }
        for opening in [RemoteOpening.beginning, .head] {
          server.log.clear()
          try await withSource(server, configuration(opening)) { source, description in
            try await expectContent(1000..<2000, of: source, description)
            // It is remembered.
            _ = try await source.describe()
            #expect(server.log.requests.count { $0.method == "HEAD" } == (opening == .head ? 1 : 0))
          }
        }
      }
    }

    @Test func `a HEAD that is never answered is decided by GET`() async throws {
      try await withServer { server in
        server.script = script { $0.honest.interrupted(.stall, at: .head(0)) }
        var configuration = configuration(.head)
        configuration.firstByteTimeout = .milliseconds(300)
        try await withSource(server, configuration) { source, description in
          try await expectContent(1000..<2000, of: source, description)
        }
      }
    }

    @Test(arguments: ["W/\"abc\"", "\"xyz\"", nil])
    func `where HEAD and GET show other tags GET counts`(_ tag: String?) async throws {
      try await withServer { server in
        server.script = ServerScript { context in
          var request = context.request
          request.fields["If-Match"] = nil
          var answer = ScriptedAnswer.honest(request, context.object, date: context.date)
          answer.fields["ETag"] = request.method == "HEAD" ? "\"abc\"" : tag
          return answer
        }
        try await withSource(server, configuration()) { source, description in
          try await expectContent(1000..<2000, of: source, description)
          try await expectContent(70_000..<80_000, of: source, description)
        }
        // Asked by HEAD, a reader that may turn to another version does so, once.
        let reader = try await RangeReader(
          HTTPSource(server.url(objectPath), configuration: configuration(.head)), [],
          onChange: .refresh)
        server.log.clear()
        for _ in 0..<3 {
          if tag == nil { break }
          #expect(try await reader.read(70_000..<80_000) == content(70_000..<80_000))
        }
        #expect(server.log.requestCount <= 8, "\(server.log.requests.map(\.method))")
        await reader.close()
      }
    }
  }
#endif
