#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Answers 39 to 43: the object is elsewhere.
  struct RedirectAnswerTests {
    @Test func `answer 39: http leads to https, and never back`() async throws {
      var secure = Liar.tls()
      try await LyingServer.with(secure.server) { https in
        var plain = Liar.tls()
        plain.server = LyingServer.Configuration()
        plain.server.objects = https.objects
        plain.server.otherScheme = https.origin
        let outcome = try await plain.readAll(.always(.schemeRedirect))
        expectRight(outcome)
        #expect(https.log.requestCount > 0)
      }
      secure.server.otherScheme = "http://127.0.0.1:9"
      expectFailure(try await secure.readAll(.always(.schemeRedirect)), .invalidResponse, "from https to http")
    }

    @Test func `answer 40: another origin gets no header of the caller`() async throws {
      try await LyingServer.with { elsewhere in
        var liar = Liar()
        liar.server.objects = elsewhere.objects
        liar.server.elsewhere = elsewhere.origin
        liar.source.headers = [("X-Api-Key", "secret"), ("Cookie", "session=secret")]
        liar.source.credentials = .bearer("secret")
        let outcome = try await liar.readAll(.always(.originRedirect))
        expectRight(outcome)
        #expect(outcome.requests.allSatisfy { $0["X-Api-Key"] == "secret" && $0["Authorization"] == "Bearer secret" })
        let requests = elsewhere.log.requests
        #expect(!requests.isEmpty)
        for request in requests {
          #expect(!request.fields.contains { $0.value.contains("secret") }, "\(request.fields)")
        }
      }
    }

    @Test(arguments: [0, 1])
    func `answer 41: a loop fails`(_ form: Int) async throws {
      expectFailure(
        try await Liar().readAll(.always(.redirectLoop, variant: form)), .invalidResponse, "redirects in a loop")
    }

    @Test func `answer 41: a read after one that was led into a loop begins at the origin`() async throws {
      try await LyingServer.with { server in
        let liar = Liar()
        server.objects.put(liar.object, at: "/folder/object")
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        server.script = .always(.redirectLoop, times: 1)
        await #expect(throws: ReadError.self) { try await source.read(0..<100, of: description) }
        let bytes = try await source.read(0..<100, of: description)
        #expect(bytes.areContent(0..<100))
        await source.close()
      }
    }

    @Test(arguments: [0, 1])
    func `answer 42: relative and unencoded locations are followed`(_ form: Int) async throws {
      let outcome = try await Liar().readAll(.always(.oddLocation, variant: form))
      expectRight(outcome)
      #expect(outcome.requests.contains { $0.parameter("hop") == "42-0" })
      #expect(form == 0 || outcome.requests.contains { $0.parameter("note") == "%C3%A4%20b" })
    }

    @Test func `answer 43: a signed location is used until it expires, then resolved again`() async throws {
      try await LyingServer.with { server in
        let liar = Liar()
        server.objects.put(liar.object, at: "/folder/object")
        server.script = .always(.expiringLocation)
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        for start in stride(from: 0, to: 100_000, by: 10_000) {
          let bytes = try await source.read(start..<start + 100, of: description)
          #expect(Array(bytes) == Array(liar.object.bytes[start..<start + 100]))
        }
        // Each location serves two requests: it is used twice, refused once, and replaced.
        let uses = server.log.requests.count { $0.parameter("hop") != nil }
        let lookups = server.log.requests.count { $0.parameter("hop") == nil }
        #expect(lookups < uses, "\(lookups) look-ups for \(uses) uses")
        await source.close()
      }
    }

    @Test func `answer 43: a location whose time is over is not even tried`() async throws {
      let liar = Liar()
      let script = ServerScript { context in
        guard context.hop == nil else { return context.honest }
        let number = context.memory.count("location")
        // The first is from yesterday.
        let date = HTTPTime.compact(context.date - (number == 0 ? 86_400 : 0))
        let signature = "X-Amz-Date=\(date)&X-Amz-Expires=60&X-Amz-Signature=secret"
        return .init(307, [ServedField("Location", "?hop=0-\(number)&\(signature)")], text: "elsewhere")
      }
      var first = liar
      first.server.script = script
      let outcome = try await first.read(script)
      expectRight(outcome)
      #expect(outcome.requests.first?.parameter("hop") == nil)
    }
  }

#endif
