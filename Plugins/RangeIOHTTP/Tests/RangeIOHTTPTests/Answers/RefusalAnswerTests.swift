#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Answers 14 to 24: refusals, for now and for good.
  struct RefusalAnswerTests {
    @Test func `answer 14: a 416 of an empty object is its size`() async throws {
      var liar = Liar()
      liar.object = ServedObject([])
      liar.range = 0..<0
      liar.server.script = .always(.notSatisfiableOfEmpty)
      try await LyingServer.with(liar.server) { server in
        server.objects.put(liar.object, at: "/folder/object")
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        #expect(description.byteCount == 0)
        await source.close()
      }
    }

    @Test func `answer 15: a 412 is a changed source after one new description`() async throws {
      let outcome = try await Liar().read { server in
        server.objects.put(ServedObject(count: 200_000, version: 2), at: "/folder/object")
      }
      expectFailure(outcome, .sourceChanged, "since it was opened")
      #expect(outcome.requests.count == 2 && outcome.bodyBytes < 100)
      // The server only says so, and describes the same version.
      expectRight(try await Liar().read(.always(.preconditionFailed)))
    }

    @Test func `answer 16: a 401 asks for new credentials, once`() async throws {
      func provider() -> HTTPCredentials {
        HTTPCredentials { refused in refused == nil ? .bearer("old") : .bearer("new") }
      }
      var liar = Liar()
      liar.source.credentials = provider()
      let wanted = ServerScript { context in
        context.request["Authorization"] == "Bearer new" ? context.honest : NumberedAnswer.unauthorized.answer(context)!
      }
      let outcome = try await liar.read(wanted)
      expectRight(outcome)
      #expect(outcome.requests.map { $0["Authorization"] } == ["Bearer old", "Bearer new"])
      liar.source.credentials = provider()
      let refused = try await liar.read(.always(.unauthorized))
      expectFailure(refused, .permissionDenied, "401")
      #expect(refused.requests.count == 2)
      expectFailure(try await Liar().read(.always(.unauthorized)), .permissionDenied, "401")
    }

    @Test func `answer 17: a 403 to HEAD only is mended by GET`() async throws {
      let outcome = try await Liar().readAll(.always(.forbiddenHead))
      expectRight(outcome)
      #expect(outcome.description?.byteCount == 200_000)
    }

    @Test(arguments: [0, 1])
    func `answer 18: a 405 or 501 to HEAD is mended by GET`(_ form: Int) async throws {
      let outcome = try await Liar().readAll(.always(.unsupportedHead, variant: form))
      expectRight(outcome)
      #expect(outcome.description?.byteCount == 200_000)
    }

    @Test func `answer 19: a refusal after a redirect is resolved again, once`() async throws {
      let outcome = try await Liar().read(.always(.refusedAfterRedirect))
      expectRight(outcome)
      // The origin, a location that is refused, the origin, a location that is not.
      #expect(outcome.requests.map { $0.parameter("hop") } == [nil, "19-0", nil, "19-1"])
      let never = ServerScript { context in
        context.request.parameter("hop") == nil
          ? NumberedAnswer.refusedAfterRedirect.answer(context)! : ScriptedAnswer(403, text: "closed")
      }
      let refused = try await Liar().read(never)
      expectFailure(refused, .permissionDenied, "403 after a redirect")
      #expect(refused.requests.count == 4)
    }

    @Test func `answer 20: a 404 in mid-read is a changed source, unless the object is there`() async throws {
      let liar = Liar()
      let objects = liar.server.objects
      let cut = ServerScript { context in
        guard context.memory.count("cut") == 0 else { return context.honest }
        return context.honest.interrupted(.call { objects.delete("/folder/object") }, at: .body(2000))
          .interrupted(.close, at: .body(2000))
      }
      expectFailure(try await liar.read(cut), .sourceChanged, "removed")
      expectRight(try await Liar().read(.always(.goneInMidRead, times: 1)))
      let divided = ServerScript { context in
        // One server behind the name has the object, and another has not.
        context.request["Range"] == "bytes=0-0" ? context.honest : NumberedAnswer.goneInMidRead.answer(context)!
      }
      expectFailure(try await Liar().read(divided), .notFound, "404", isTransient: true)
    }

    @Test(arguments: [(0, "429"), (1, "503")])
    func `answer 21: a busy server names the wait in seconds`(_ form: Int, _ status: String) async throws {
      let outcome = try await Liar().read(
        ServerScript { context in
          var context = context
          context.variant = form
          var answer = NumberedAnswer.tooManyRequests.answer(context)!
          answer.fields["Retry-After"] = "7"
          return answer
        })
      expectFailure(outcome, .inputOutput, status, isTransient: true)
      #expect(outcome.error?.retryAfter == .seconds(7))
    }

    @Test func `answer 22: a date to wait for is judged by the server's clock`() async throws {
      let outcome = try await Liar().read(.always(.retryAtDate))
      expectFailure(outcome, .inputOutput, "503", isTransient: true)
      #expect(outcome.error?.retryAfter == .seconds(2))
    }

    @Test(arguments: [(0, "408"), (1, "500"), (2, "502"), (3, "504")])
    func `answer 23: a server that fails may be asked again`(_ form: Int, _ status: String) async throws {
      expectFailure(
        try await Liar().read(.always(.serverFailure, variant: form)), .inputOutput, status, isTransient: true)
    }

    @Test func `answer 24: a portal's page is not the object`() async throws {
      expectFailure(try await Liar().read(.always(.captivePortal)), .invalidResponse, "page of HTML")
      var liar = Liar()
      liar.server.script = ServerScript { context in
        .init(200, text: "<html>sign in</html>", type: "text/html; charset=utf-8")
      }
      expectFailure(try await liar.read(), .invalidResponse, "page of HTML")
    }
  }

#endif
