#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Listings by WebDAV over the wire.
  @Suite(.timeLimit(.minutes(2))) struct WebDAVListingTests {
    private var configuration: RemoteConfiguration {
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      return configuration
    }

    /// The answer to PROPFIND of `/d/`.
    private static func multistatus(_ names: [String]) -> ScriptedAnswer {
      let responses = ([""] + names).map { name in
        let type =
          name.isEmpty || name.hasSuffix("/") ? "<D:resourcetype><D:collection/></D:resourcetype>" : "<D:resourcetype/>"
        return
          "<D:response><D:href>/d/\(name)</D:href><D:propstat><D:prop>\(type)</D:prop><D:status>HTTP/1.1 200 OK</D:status>"
          + "</D:propstat></D:response>"
      }
      return ScriptedAnswer(
        207, text: "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>", type: "application/xml")
    }

    /// A server of WebDAV whose `/d/` has `a` and `sub/`, and that answers a GET of it as servers without an index do.
    private static func script(get: ScriptedAnswer) -> ServerScript {
      ServerScript { asked in
        guard asked.request.target == "/d/" else { return ScriptedAnswer(404, text: "") }
        return asked.request.method == "PROPFIND" ? multistatus(["a", "sub/"]) : get
      }
    }

    private func names(_ listing: RemoteListing) async throws -> [String] {
      try await listing.reduce(into: []) { $0.append($1.name) }
    }

    @Test func `a collection is listed with one request, whose body says what is wanted`() async throws {
      try await LyingServer.with { server in
        server.script = Self.script(get: ScriptedAnswer(405, text: ""))
        let found = try await names(.webDAV(server.url("/d"), configuration: configuration))
        #expect(found == ["a", "sub/"])
        let requests = server.log.requests
        #expect(requests.map(\.method) == ["PROPFIND"])
        #expect(requests[0]["Depth"] == "1" && requests[0]["Content-Length"] == "\(requests[0].body.count)")
        #expect(String(decoding: requests[0].body, as: UTF8.self).contains("<D:getcontentlength/>"))
      }
    }

    @Test(arguments: [
      ScriptedAnswer(403, text: ""), ScriptedAnswer(405, text: ""), ScriptedAnswer(501, text: ""),
      ScriptedAnswer(200, text: "This is the WebDAV interface."),
      ScriptedAnswer(200, text: "<html><title>WsgiDAV - Index of /d/</title></html>", type: "text/html"),
    ])
    func `where there is no index the server is asked by WebDAV`(get: ScriptedAnswer) async throws {
      try await LyingServer.with { server in
        server.script = Self.script(get: get)
        let found = try await names(.directory(server.url("/d/"), configuration: configuration))
        #expect(found == ["a", "sub/"])
        #expect(server.log.requests.map(\.method) == ["GET", "PROPFIND"])
      }
    }

    @Test func `a server that has an index is asked once`() async throws {
      try await LyingServer.with { server in
        let index = "<html><head><title>Index of /d/</title></head><a href=\"b\">b</a></html>"
        server.script = Self.script(get: ScriptedAnswer(200, text: index, type: "text/html"))
        let found = try await names(.directory(server.url("/d/"), configuration: configuration))
        #expect(found == ["b"])
        #expect(server.log.requests.map(\.method) == ["GET"])
      }
    }

    @Test(arguments: [200, 204, 303, 400, 404, 405, 501])
    func `a server that knows no WebDAV is told of as before`(status: Int) async throws {
      try await LyingServer.with { server in
        server.script = ServerScript { asked in
          ScriptedAnswer(asked.request.method == "GET" ? 403 : status, text: "")
        }
        let error = await #expect(throws: ReadError.self) {
          _ = try await names(.directory(server.url("/d/"), configuration: configuration))
        }
        #expect(error?.code == .permissionDenied && error?.message.contains("403") == true)
        let other = await #expect(throws: ReadError.self) {
          _ = try await names(.webDAV(server.url("/d/?sig=5ecret"), configuration: configuration))
        }
        #expect(other?.code == (status == 404 ? .notFound : .unsupportedSource))
        #expect(other?.message.contains("\(status)") == true && "\(other!)".contains("5ecret") == false)
      }
    }

    @Test(arguments: [301, 302, 307, 308]) func `a redirect keeps method, body and credentials`(status: Int)
      async throws
    {
      try await LyingServer.with { server in
        let script = Self.script(get: ScriptedAnswer(405, text: ""))
        server.script = ServerScript { asked in
          guard asked.request.target == "/old/" else { return script.answer(asked) }
          return ScriptedAnswer(status, [ServedField("Location", "/d/"), ServedField("Content-Length", "0")])
        }
        var configuration = configuration
        configuration.credentials = .bearer("t0ken")
        let found = try await names(.webDAV(server.url("/old/"), configuration: configuration))
        #expect(found == ["a", "sub/"])
        let requests = server.log.requests
        #expect(requests.map(\.method) == ["PROPFIND", "PROPFIND"] && requests[0].body == requests[1].body)
        #expect(requests.allSatisfy { $0["Authorization"] == "Bearer t0ken" && $0["Depth"] == "1" })
      }
    }

    @Test func `a page that breaks off, and a server that is busy, are asked again`() async throws {
      try await LyingServer.with { server in
        let all = (0..<2_000).map { "name-\($0)" }
        server.script = ServerScript { asked in
          if asked.request.number == 0 { return ScriptedAnswer(503, [ServedField("Retry-After", "0")], text: "") }
          var answer = Self.multistatus(all)
          if asked.request.number == 1 {
            answer.body = answer.body.prefix(50_000)
            answer.ending = .reset
          }
          return answer
        }
        let found = try await names(.webDAV(server.url("/d/"), configuration: configuration))
        #expect(found == all)
        #expect(server.log.requests.map(\.method) == ["PROPFIND", "PROPFIND", "PROPFIND"])
      }
    }
  }
#endif
