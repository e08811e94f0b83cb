#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Heads that are not by the letter: those that are read, and those that stay refused.
  @Suite(.timeLimit(.minutes(5))) struct OddHeadTests {
    /// A change to a head, as text in Latin-1.
    struct Change: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let apply: @Sendable (String) -> String

      init(_ name: String, _ apply: @escaping @Sendable (String) -> String) {
        (testDescription, self.apply) = (name, apply)
      }

      /// More lines before the empty one.
      init(adding lines: String) { self.init(lines.debugDescription) { String($0.dropLast()) + lines + "\r\n\r\n" } }

      func answer(to context: AnswerContext) -> ScriptedAnswer {
        var answer = context.honest
        // Characters of Latin-1 are bytes. Swift sees CR LF as one.
        answer.head = apply(String(decoding: answer.headBytes, as: UTF8.self)).unicodeScalars.map {
          UInt8(truncatingIfNeeded: $0.value)
        }
        return answer
      }
    }

    private static func length(_ head: String) -> String {
      head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length") }.map(String.init) ?? ""
    }

    static let plain = [
      Change("no space after colons") { $0.replacing(": ", with: ":") },
      Change("a tab after colons") { $0.replacing(": ", with: ":\t") },
      Change(adding: "Content-Disposition: attachment; filename=d\u{e9}j\u{e0}.bin"),
      Change("an interim head before") { "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + $0 },
    ]
    static let mended = [
      Change(adding: "X-Long: a\r\n  b"), Change(adding: "X-Note : 1"),
      Change("lines end in LF alone") { $0.replacing("\r\n", with: "\n") },
      Change("interim heads with LF alone") { "HTTP/1.1 100 Continue\n\n" + $0.replacing("\r\n", with: "\n") },
      Change("a length twice") { String($0.dropLast()) + length($0) + "\r\n\r\n" },
      Change("a length in a list") { $0.replacing(length($0), with: length($0) + ", " + length($0).dropFirst(16)) },
    ]
    static let refused = [
      Change("another length") { String($0.dropLast()) + length($0) + "0\r\n\r\n" }, Change(adding: "X Note: 1"),
      Change(adding: "X: a\u{0}b"), Change(adding: "X: a\u{1}b"), Change(adding: "X: a\rContent-Length: 0"),
      Change(adding: "X: a\nContent-Length: 0"), Change(adding: "X: a\n\nHTTP/1.1 200 OK"),
      Change("the last line ends in LF alone") { String($0.dropLast()) + "\n" },
      Change("no HTTP") { $0.replacing("HTTP/1.1", with: "ICY") },
      Change("a length beside other codings") { String($0.dropLast()) + "Transfer-Encoding: gzip, chunked\r\n\r\n" },
    ]

    /// Describes the object and reads two ranges of it.
    private func read(_ liar: Liar, _ change: Change, _ body: (LyingServer) -> Void = { _ in }) async throws {
      try await LyingServer.with(liar.server) { server in
        server.objects.put(liar.object, at: "/folder/object")
        server.script = ServerScript { change.answer(to: $0) }
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        for range in [1000..<5000, 0..<200_000] {
          #expect(try await source.read(range, of: description) == content(range))
        }
        body(server)
        await source.close()
      }
    }

    @Test(arguments: plain) func `plain heads are read, on one connection`(_ change: Change) async throws {
      try await read(Liar(), change) { #expect($0.log.connections == 1) }
    }

    @Test(arguments: mended) func `heads that can be mended are read, each on a connection of its own`(
      _ change: Change
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

    @Test(arguments: refused) func `what may be an attack stays refused`(_ change: Change) async throws {
      let outcome = try await Liar().read(ServerScript { change.answer(to: $0) })
      expectFailure(outcome, .invalidResponse, "not HTTP")
    }

    @Test func `a Location is followed byte for byte`() async throws {
      try await withServer { server in
        let change = Change("Latin-1") { $0.replacing("PLACE", with: "/d\u{e9}j\u{c3}\u{a0} [1]%20%.bin") }
        server.script = ServerScript { context in
          guard context.request.target == objectPath else { return context.honest }
          var answer = ScriptedAnswer(302, [ServedField("Location", "PLACE"), ServedField("Content-Length", "0")])
          answer.head = change.apply(String(decoding: answer.headBytes, as: UTF8.self)).unicodeScalars.map {
            UInt8(truncatingIfNeeded: $0.value)
          }
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
