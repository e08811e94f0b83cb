#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Listings over the wire.
  @Suite(.timeLimit(.minutes(2))) struct DirectoryListingTests {
    private static func index(_ names: [String]) -> String {
      let links = names.map { "<a href=\"\($0)\">\($0)</a>  29-Nov-2026 15:47  3\r\n" }
      return "<html><head><title>Index of /d/</title></head><body><pre>\(links.joined())</pre></body></html>"
    }

    private var configuration: RemoteConfiguration {
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      return configuration
    }

    @Test(arguments: ["/d", "/d/"]) func `a directory's index, chunked and compressed by nobody`(path: String)
      async throws
    {
      try await LyingServer.with { server in
        server.script = ServerScript { asked in
          guard asked.request.target == "/d/" else { return ScriptedAnswer(404, text: "") }
          var answer = ScriptedAnswer(200, text: Self.index(["../", "a", "sub/"]), type: "text/html")
          answer.fields["Content-Length"] = nil
          answer.fields["Transfer-Encoding"] = "chunked"
          answer.framing = .chunked(7)
          return answer
        }
        let entries = try await RemoteListing.directory(server.url(path), configuration: configuration).reduce(into: [])
        {
          $0.append($1)
        }
        #expect(entries.map(\.name) == ["a", "sub/"])
        #expect(server.log.requests.allSatisfy { $0["Accept"]?.hasPrefix("application/json") == true })
      }
    }

    @Test func `a page of which the connection broke off is fetched again, once in the list`() async throws {
      try await LyingServer.with { server in
        let text = Self.index((0..<2_000).map { "name-\($0)" })
        server.script = ServerScript { asked in
          var answer = ScriptedAnswer(200, text: text, type: "text/html")
          if asked.request.number == 0 {
            answer.body = answer.body.prefix(10_000)
            answer.ending = .reset
          }
          return answer
        }
        let names = try await RemoteListing.directory(server.url("/d/"), configuration: configuration).reduce(into: [])
        {
          $0.append($1.name)
        }
        #expect(names == (0..<2_000).map { "name-\($0)" })
        #expect(server.log.requestCount == 2)
      }
    }

    @Test func `a hundred thousand names in one page`() async throws {
      try await LyingServer.with { server in
        let text = Self.index((0..<100_000).map { "name-\($0)" })
        server.script = ServerScript { _ in ScriptedAnswer(200, text: text, type: "text/html") }
        let count = try await RemoteListing.directory(server.url("/d/"), configuration: configuration).reduce(0) {
          count, _ in
          count + 1
        }
        #expect(count == 100_000)
      }
    }

    /// A page is a number; a thousand entries are made of it.
    private struct NumberedForm: ListingForm {
      let pages: Int
      func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL {
        try base.asking([("page", token ?? "0")])
      }
      func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage {
        let number = Int(String(decoding: body, as: UTF8.self)) ?? -1
        return ListingPage(
          (0..<1_000).map { ListedEntry(nameBytes: Array("\(number * 1_000 + $0)".utf8)) },
          next: number + 1 < pages ? "\(number + 1)" : nil)
      }
    }

    @Test func `a million entries in bounded memory`() async throws {
      try await LyingServer.with { server in
        server.script = ServerScript { asked in ScriptedAnswer(200, text: asked.request.parameter("page") ?? "") }
        let (url, configuration) = (server.url("/d/"), configuration)
        let listing = RemoteListing("numbers", NumberedForm(pages: 1_000)) {
          try RemoteObject(url, configuration: configuration)
        }
        var (count, wrong, mostAhead) = (0, 0, 0)
        for try await entry in listing {
          if entry.name != "\(count)" { wrong += 1 }
          count += 1
          if count.isMultiple(of: 10_000) { mostAhead = max(mostAhead, server.log.requestCount - (count - 1) / 1_000) }
        }
        #expect(count == 1_000_000 && wrong == 0)
        // One page at a time: none is fetched before it is wanted.
        #expect(mostAhead == 1)
      }
    }

    @Test func `a page that is no index, and one that is forbidden, are told`() async throws {
      try await LyingServer.with { server in
        for (answer, code) in [
          (ScriptedAnswer(200, text: "hello"), ReadError.Code.invalidResponse),
          (ScriptedAnswer(403, text: ""), .permissionDenied), (ScriptedAnswer(404, text: ""), .notFound),
        ] {
          server.script = ServerScript { _ in answer }
          let listing = RemoteListing.directory(server.url("/d/?sig=5ecret"), configuration: configuration)
          let error = await #expect(throws: ReadError.self) { for try await _ in listing {} }
          #expect(error?.code == code)
          #expect(error?.source?.contains("/d/") == true && error?.source?.contains("5ecret") == false)
        }
      }
    }
  }
#endif
