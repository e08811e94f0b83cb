#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTestSupport
  import Synchronization
  import Testing

  /// New URLs that cannot be had, that are refused, and that lead elsewhere.
  @Suite(.timeLimit(.minutes(5))) struct RenewingFailureTests {
    private struct NoService: Error { let url = "https://service/?key=hunter2" }

    @Test func `what the closure throws reaches the reads that need a URL, with words, and the next asks again`()
      async throws
    {
      try await SigningService.with { service in
        let asked = Mutex(0)
        let isTransient = Mutex(false)
        let source = HTTPSource(service.url(1), configuration: .reading) {
          asked.withLock { $0 += 1 }
          if isTransient.withLock({ $0 }) { throw ReadError(.inputOutput, "the service is away", isTransient: true) }
          throw NoService()
        }
        let description = try await source.describe()
        service.accept(2)
        let error = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(error.code == .permissionDenied && error.message.contains("no new URL could be had"))
        #expect(error.message.contains("NoService") && error.cause is NoService && error.range == 0..<10)
        #expect(!"\(error)".contains("hunter"))
        isTransient.withLock { $0 = true }
        let other = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(other.message == "the service is away" && other.isTransient && other.source == source.name)
        #expect(asked.withLock { $0 } == 2)
        await source.close()
      }
    }

    @Test func `a new URL that is refused too is said, and the closure is asked once a read`() async throws {
      try await SigningService.with { service in
        let source = service.source()
        let description = try await source.describe()
        service.accept(99)
        service.server.log.clear()
        for count in 1...3 {
          let error = try await readError { _ = try await source.read(0..<10, of: description) }
          #expect(error.code == .permissionDenied && !error.isTransient && error.message.contains("403"))
          #expect(error.message.contains("refuses the new") && !"\(error)".contains("hunter"), "\(error)")
          #expect(service.asked == count && service.server.log.requestCount == 2 * count)
        }
        let error = try await readError { _ = try await service.source().describe() }
        #expect(error.message.contains("refuses the new"), "\(error)")
        await source.close()
      }
    }

    @Test func `a new URL that is refused is told from a first one that has ended`() async throws {
      try await SigningService.with { service in
        let ended = service.url(1).replacing("2099", with: "2001")
        let source = HTTPSource(ended, configuration: .reading, renewing: service.renewing)
        let description = try await source.describe()
        service.accept(99)
        let error = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(error.code == .permissionDenied && error.message.contains("refuses the new"), "\(error)")
        await source.close()
      }
    }

    @Test func `the same URL again is said, and not sent again`() async throws {
      try await SigningService.with { service in
        let source = HTTPSource(service.url(1), configuration: .reading) { service.url(1) }
        let description = try await source.describe()
        service.accept(2)
        service.server.log.clear()
        let error = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(error.code == .permissionDenied && error.message.contains("the same again"), "\(error)")
        #expect(service.server.log.requestCount == 1 && !"\(error)".contains("hunter"))
        await source.close()
      }
    }

    @Test(arguments: [false, true]) func `another object under the new URL is a change, and is never mixed`(
      breaks: Bool
    ) async throws {
      try await SigningService.with { service in
        service.server.objects.put(ServedObject(count: 100_000, version: 2), at: "/other")
        let source = service.source()
        let description = try await source.describe()
        service.move(to: "/other")
        if breaks {
          service.server.script = service.script { context in
            service.accept(2)
            guard context.request.method == "GET", context.memory.count("GET") == 0 else { return context.honest }
            return context.honest.interrupted(.close, at: .body(50_000))
          }
        } else {
          service.accept(2)
        }
        let error = try await readError { _ = try await source.read(0..<100_000, of: description) }
        #expect(error.code == .sourceChanged, "\(error)")
        let newer = try await source.describe()
        #expect(newer.id == description.id)
        try await expectContent(0..<100_000, of: source, newer, version: 2)
        await source.close()
      }
    }

    @Test func `an object that is not under the new URL was removed`() async throws {
      try await SigningService.with { service in
        let source = service.source()
        let description = try await source.describe()
        service.move(to: "/none")
        service.accept(2)
        let failure = try await readError { _ = try await source.read(0..<10, of: description) }
        #expect(failure.code == .sourceChanged)
        #expect(service.asked == 1)
        await source.close()
      }
    }

    @Test(arguments: [
      ("hunter2 is no URL", "http"), ("ftp://host/hunter2", "http"), ("", "http"), ("https://:hunter2/", "port"),
    ])
    func `what is no URL is said, without its text`(text: String, words: String) async throws {
      let source = HTTPSource(configuration: .test) { text }
      let error = try await readError { _ = try await source.describe() }
      #expect(error.code == .invalidConfiguration && error.message.contains("brought as the new URL"), "\(error)")
      #expect(error.message.contains(words) && !"\(error)".contains("hunter2"), "\(error)")
      await source.close()
    }

    @Test func `http does not take the place of https`() async throws {
      try await withServer(.tls()) { server in
        server.script = ServerScript { _ in ScriptedAnswer(403, text: "no\n") }
        let source = HTTPSource(server.url(objectPath), configuration: .test) {
          "http://127.0.0.1:1/object?sig=hunter2"
        }
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .invalidConfiguration && error.message.contains("of https"), "\(error)")
        await source.close()
      }
    }

    @Test func `closing ends the waits, and cancels the question`() async throws {
      try await SigningService.with { service in
        let provider = GatedProvider<String>()
        let (ended, hasEnded) = AsyncStream.makeStream(of: Void.self)
        let source = HTTPSource(configuration: .reading) {
          try await withTaskCancellationHandler(operation: provider.value) { hasEnded.finish() }
        }
        let task = Task { try await source.describe() }
        await provider.asked(1)
        await source.close()
        let failure = try await readError { _ = try await task.value }
        #expect(failure.code == .closed)
        for await _ in ended {}
        provider.answer(.success(service.url(1)))
        let later = try await readError { _ = try await source.describe() }
        #expect(later.code == .closed)
      }
    }

    @Test func `the first URL too is waited for no longer than a read may take`() async throws {
      let provider = GatedProvider<String>()
      var configuration = RemoteConfiguration.test
      configuration.readTimeout = .milliseconds(300)
      let source = HTTPSource(configuration: configuration, renewing: provider.value)
      let error = try await readError { _ = try await source.describe() }
      #expect(error.code == .timedOut && error.message.contains("renews the URL"), "\(error)")
      await source.close()
      provider.answer(.failure(CancellationError()))
    }

    @Test func `settings that cannot be are said at the first use`() async throws {
      var configuration = RemoteConfiguration.test
      configuration.credentials = .bearer("hunter2")
      let source = HTTPSource("http://h/x", configuration: configuration) { "http://h/x" }
      let error = try await readError { _ = try await source.describe() }
      #expect(error.code == .invalidConfiguration && error.message.contains("credentials"), "\(error)")
      let nameless = HTTPSource(identifiedBy: "", configuration: .test) { "http://h/x" }
      let later = try await readError { _ = try await nameless.describe() }
      #expect(later.message.contains("empty"))
    }

    @Test func `nothing shows a signature`() async throws {
      try await SigningService.with { service in
        let source = service.source(.test)
        let description = try await source.describe()
        service.accept(2)
        let reader = try await RangeReader(service.source(.test))
        var text = "\(source) \(source.name) \(description.id) \(description.name) \(source.statistics()) \(reader)"
        dump(source, to: &text)
        dump(reader, to: &text)
        dump(try await source.object, to: &text)
        dump(description, to: &text)
        #expect(!text.contains("hunter"), "\(text)")
        await source.close()
        await reader.close()
      }
    }
  }
#endif
