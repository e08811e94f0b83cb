#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTestSupport
  import Testing

  /// URLs that end, and are renewed.
  @Suite(.timeLimit(.minutes(5))) struct RenewingTests {
    @Test func `a stream goes on where its URL ends`() async throws {
      try await SigningService.with(count: 12 << 20) { service in
        let reader = try await RangeReader(
          contentsOf: service.url(1), configuration: .test, cache: MemoryStore(limit: .mebibytes(1)),
          renewing: service.renewing)
        var position = 0
        for try await piece in reader.stream(0...) {
          #expect(piece == content(position..<position + piece.count))
          position += piece.count
          service.accept(2)
        }
        #expect(position == 12 << 20 && service.asked == 1 && service.refused > 0)
        await reader.close()
      }
    }

    @Test func `a read that breaks off goes on under a new URL, from where it was`() async throws {
      try await SigningService.with { service in
        let source = service.source()
        let description = try await source.describe()
        service.server.script = service.script { context in
          guard context.request.method == "GET", context.memory.count("GET") == 0 else { return context.honest }
          service.accept(2)
          return context.honest.interrupted(.close, at: .body(50_000))
        }
        service.server.log.clear()
        try await expectContent(0..<100_000, of: source, description)
        // From where the body has broken off, wherever that was.
        let requests = service.requests.map { $0.split(separator: " ") }
        #expect(requests.map(\.last) == ["hunter1", "hunter1", "hunter2"] && requests[1].first == requests[2].first)
        #expect(requests[1].first?.hasPrefix("bytes=0-") == false && requests[1].first?.hasSuffix("-99999") == true)
        #expect(service.asked == 1)
        await source.close()
      }
    }

    @Test func `one read outlives several URLs`() async throws {
      try await SigningService.with { service in
        let source = service.source()
        let description = try await source.describe()
        service.server.script = service.script { context in
          guard context.request.method == "GET" else { return context.honest }
          // Each brings 20,000 bytes, and ends its URL.
          service.accept(context.memory.count("GET") + 2)
          return context.honest.interrupted(.close, at: .body(20_000))
        }
        try await expectContent(0..<100_000, of: source, description)
        #expect(service.asked == 4)
        await source.close()
      }
    }

    @Test func `a hundred reads that are refused ask once`() async throws {
      try await SigningService.with(count: 1 << 20) { service in
        let source = service.source()
        let description = try await source.describe()
        service.accept(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<100 {
            group.addTask {
              try await expectContent(index * 10_000..<(index + 1) * 10_000, of: source, description)
            }
          }
          try await group.waitForAll()
        }
        #expect(service.asked == 1 && service.refused > 0)
        await source.close()
      }
    }

    @Test(arguments: [
      ScriptedAnswer(401, text: "no\n"), ScriptedAnswer(410, text: "gone\n"),
      ScriptedAnswer(400, text: "<Error><Code>ExpiredToken</Code></Error>"),
    ])
    func `answers to a URL that has ended bring a new one`(_ refusal: ScriptedAnswer) async throws {
      try await SigningService.with { service in
        service.refuse(by: refusal)
        let source = service.source()
        let description = try await source.describe()
        service.accept(2)
        try await expectContent(0..<10, of: source, description)
        service.accept(3)
        #expect(try await source.describe().byteCount == 100_000 && service.asked == 2)
        await source.close()
      }
    }

    @Test func `an answer that breaks off before it says that the URL has ended is asked for again`() async throws {
      try await SigningService.with { service in
        let whole = ScriptedAnswer(400, text: "<Error><Code>ExpiredToken</Code></Error>")
        let source = service.source()
        let description = try await source.describe()
        for (asked, place) in [0, 10, 25].enumerated() {
          service.refuse(by: whole.interrupted(.close, at: .body(place)), whole)
          service.accept(asked + 2)
          let before = service.refused
          try await expectContent(90_000..<90_010, of: source, description)
          #expect(service.asked == asked + 1 && service.refused == before + 2)
        }
        await source.close()
      }
    }

    @Test func `where answers always break off the status counts`() async throws {
      try await SigningService.with { service in
        service.refuse(by: ScriptedAnswer(403, text: "no such luck\n").interrupted(.close, at: .body(3)))
        let source = service.source()
        let description = try await source.describe()
        service.accept(2)
        try await expectContent(90_000..<90_010, of: source, description)
        #expect(service.asked == 1 && service.refused == 2)
        await source.close()
      }
    }

    @Test(arguments: [400, 404, 409, 429, 500, 503]) func `other answers bring none`(_ status: Int) async throws {
      try await SigningService.with { service in
        let source = service.source(.test)
        service.refuse(by: ScriptedAnswer(status, text: "no\n"))
        let description = try await source.describe()
        service.accept(2)
        _ = try await readError { _ = try await source.read(90_000..<90_010, of: description) }
        _ = try await readError { _ = try await source.describe() }
        #expect(service.asked == 0)
        await source.close()
      }
    }

    @Test func `a URL that is for GET only is not renewed since HEAD is refused`() async throws {
      try await SigningService.with { service in
        service.server.script = ServerScript { context in
          guard context.request.method == "HEAD" else { return context.honest }
          var answer = ScriptedAnswer(403, text: "no\n")
          answer.isBodyless = true
          return answer
        }
        let source = service.source()
        try await expectContent(0..<10, of: source, source.describe())
        #expect(service.asked == 0)
        await source.close()
      }
    }

    @Test func `without a first URL one is asked for, once`() async throws {
      try await SigningService.with { service in
        service.accept(2)
        let source = HTTPSource(configuration: .test, renewing: service.renewing)
        #expect(source.name == "" && source.openedObject == nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<16 { group.addTask { _ = try await source.describe() } }
          try await group.waitForAll()
        }
        #expect(service.asked == 1 && source.name == service.server.url(objectPath) + "?…")
        await source.close()
        let reader = try await RangeReader(configuration: .test) { service.url(2) }
        #expect(try await reader.read(0..<10) == content(0..<10))
        await reader.close()
      }
    }

    @Test func `a read that is cancelled leaves, and the others get the URL`() async throws {
      try await SigningService.with { service in
        let provider = GatedProvider<String>()
        let source = HTTPSource(service.url(1), configuration: .reading, renewing: provider.value)
        let description = try await source.describe()
        service.accept(2)
        let left = Task { try await source.read(0..<10, of: description) }
        await provider.asked(1)
        let stays = Task { try await source.read(10..<20, of: description) }
        left.cancel()
        await #expect(throws: CancellationError.self) { _ = try await left.value }
        provider.answer(.success(service.url(2)))
        #expect(try await stays.value == content(10..<20) && provider.askedCount == 1)
        await source.close()
      }
    }

    @Test func `headers and a user in the URL go to the new server, and a relative redirect leads on there`()
      async throws
    {
      try await SigningService.with { service in
        try await withServer { elsewhere in
          elsewhere.script = ServerScript { context in
            guard context.request.path == "/moved" else { return context.honest }
            return ScriptedAnswer(
              302, [ServedField("Location", objectPath), ServedField("Content-Length", "0")])
          }
          var configuration = RemoteConfiguration.reading
          configuration.headers = [("X-Key", "a")]
          let source = HTTPSource(service.url(1), configuration: configuration) {
            elsewhere.url("/moved").replacing("http://", with: "http://Aladdin:open%20sesame@")
          }
          let description = try await source.describe()
          service.accept(2)
          try await expectContent(0..<10, of: source, description)
          let moved = try #require(elsewhere.log.requests.first { $0.path == "/moved" })
          #expect(moved["X-Key"] == "a" && moved["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
          #expect(elsewhere.log.requests.last?.path == objectPath)
          await source.close()
        }
      }
    }
  }
#endif
