#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Statuses that no answer can have. Without a guard the client stops the process.
  @Suite(.timeLimit(.minutes(5))) struct ImpossibleStatusTests {
    private func expectRefusal(_ liar: Liar, _ answer: ScriptedAnswer) async throws {
      try await LyingServer.with(liar.server) { server in
        server.objects.put(liar.object, at: "/folder/object")
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        server.script = ServerScript { _ in answer }
        let error = try await readError { _ = try await source.read(0..<100, of: description) }
        #expect(error.code == .invalidResponse && error.message.contains("not HTTP"), "\(error)")
        let other = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        await #expect(throws: ReadError.self) { _ = try await other.describe() }
        await other.close()
        server.script = .honest
        #expect(try await source.read(0..<100, of: description) == content(0..<100))
        await source.close()
      }
    }

    @Test(arguments: [0, 1, 99], [0, 5]) func `a status below 100 is an error`(_ status: Int, _ count: Int) async throws
    {
      let body = [UInt8](repeating: 7, count: count)[...]
      let answer = ScriptedAnswer(status, [ServedField("Content-Length", "\(count)")], body: body)
      try await expectRefusal(Liar(), answer)
      try await expectRefusal(.tls(), answer)
      var chunked = answer
      chunked.framing = .chunked(2)
      try await expectRefusal(Liar(), chunked)
    }

    @Test(arguments: [-1, 0, 99, 1000, .min]) func `over HTTP/2, too`(_ status: Int) async throws {
      try await expectRefusal(.tls(http2: true), ScriptedAnswer(status, body: [1, 2, 3]))
      try await expectRefusal(.tls(http2: true), ScriptedAnswer(status))
    }
  }

#endif
