#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Heads that are not by the letter: those that are read, and those that stay refused.
  @Suite(.timeLimit(.minutes(5))) struct OddHeadTests {
    /// Describes the object and reads two ranges of it.
    private func read(_ liar: Liar, _ change: OddAnswer, _ body: (LyingServer) -> Void = { _ in }) async throws {
      try await LyingServer.with(liar.server) { server in
        server.objects.put(liar.object, at: "/folder/object")
        server.script = .always(change)
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        for range in [1000..<5000, 0..<200_000] {
          #expect(try await source.read(range, of: description) == content(range))
        }
        body(server)
        await source.close()
      }
    }

    @Test(arguments: OddAnswer.plainHeads) func `plain heads are read, on one connection`(_ change: OddAnswer)
      async throws
    {
      try await read(Liar(), change) { #expect($0.log.connections == 1) }
    }

    @Test(arguments: OddAnswer.mendedHeads) func `heads that can be mended are read, each on a connection of its own`(
      _ change: OddAnswer
    ) async throws {
      try await read(Liar(), change) { #expect($0.log.connections == 3) }
      try await read(.tls(), change)
    }

    @Test func `a length beside chunks does not count`() async throws {
      let outcome = try await Liar().read(
        ServerScript { context in
          var answer = context.honest
          let lengths = String(decoding: answer.headBytes, as: UTF8.self)
          answer.framing = .chunked(1000)
          answer.head = Array((String(lengths.dropLast()) + "Transfer-Encoding: chunked\r\n\r\n").utf8)
          return answer
        })
      expectRight(outcome)
    }

    @Test(arguments: OddAnswer.refusedHeads) func `what may be an attack stays refused`(_ change: OddAnswer)
      async throws
    {
      let outcome = try await Liar().read(.always(change))
      expectFailure(outcome, .invalidResponse, "not HTTP")
    }

    @Test func `a Location is followed byte for byte`() async throws {
      try await withServer { server in
        let place = "/d\u{e9}j\u{c3}\u{a0} [1]%20%.bin"
        server.script = ServerScript { context in
          guard context.request.target == objectPath else { return context.honest }
          var answer = ScriptedAnswer(302, [ServedField("Location", "PLACE"), ServedField("Content-Length", "0")])
          let head = String(decoding: answer.headBytes, as: UTF8.self)
          answer.head = OddAnswer.latin1(head.replacing("PLACE", with: place))
          return answer
        }
        let source = HTTPSource(server.url(objectPath), configuration: .test)
        let error = try await readError { _ = try await source.describe() }
        #expect(error.code == .notFound)
        #expect(server.log.requests.last?.target == "/d%E9j%C3%A0%20%5B1%5D%20%25.bin")
        await source.close()
      }
    }

    @Test func `what a URL may not have is sent encoded, once`() async throws {
      try await withServer { server in
        for (given, sent) in [
          ("/My%20Show%20[1080p].mkv?filter[name]=a%20b", "/My%20Show%20%5B1080p%5D.mkv?filter%5Bname%5D=a%20b"),
          ("/a%20b`\"<>\\^{|}%.bin?p=%2F&q=100%", "/a%20b%60%22%3C%3E%5C%5E%7B%7C%7D%25.bin?p=%2F&q=100%25"),
        ] {
          server.script = ServerScript { context in
            var answer = ScriptedAnswer.whole(ServedObject(count: 5))
            answer.isBodyless = context.request.method == "HEAD"
            return answer
          }
          let source = HTTPSource(server.url(given), configuration: .test)
          let size = try await source.describe().byteCount
          #expect(size == 5 && server.log.requests.last?.target == sent)
          await source.close()
        }
      }
    }
  }

#endif
