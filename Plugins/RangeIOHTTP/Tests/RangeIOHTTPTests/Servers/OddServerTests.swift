#if HTTP

  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import RangeIORemote
  import RangeIORemoteTesting
  import Testing

  /// `OddServer` as others use it: with a client that is not RangeIO's.
  @Suite(.timeLimit(.minutes(5))) struct OddServerTests {
    private let contents = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }

    /// What a client received: a whole answer.
    private struct Received: Sendable {
      var status: UInt
      var headers: HTTPHeaders
      var body: [UInt8]
    }

    /// Runs `body` with a client that trusts the server, and ends it.
    @discardableResult private func withClient<Result>(_ body: (HTTPClient) async throws -> Result) async throws
      -> Result
    {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(OddServer.certificate.utf8)))
      let client = HTTPClient(configuration: .init(tlsConfiguration: tls, redirectConfiguration: .disallow))
      do {
        let result = try await body(client)
        try await client.shutdown()
        return result
      } catch {
        try await client.shutdown()
        throw error
      }
    }

    /// One request; without a range for the whole object.
    private func get(
      _ client: HTTPClient, _ url: String, _ range: Range<Int>? = nil, _ headers: HTTPHeaders = [:]
    ) async throws -> Received {
      var request = HTTPClientRequest(url: url)
      request.headers = headers
      if let range { request.headers.add(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
      let response = try await client.execute(request, timeout: .minutes(1))
      let body = try await response.body.collect(upTo: 1 << 20)
      return Received(status: response.status.code, headers: response.headers, body: Array(body.readableBytesView))
    }

    @Test(arguments: OddServer.Connection.allCases)
    func `an honest server has its bytes at every path, and counts`(_ connection: OddServer.Connection) async throws {
      try await withOddServer(serving: contents, over: connection) { server in
        try await withClient { client in
          let whole = try await get(client, server.url)
          #expect(whole.status == 200 && whole.body == contents)
          let part = try await get(client, server.origin + "/another/path?query", 100..<300)
          #expect(part.status == 206 && part.body == Array(contents[100..<300]))
        }
        #expect(server.requests.map(\.method) == ["GET", "GET"])
        #expect(server.requests.map(\.target) == ["/object", "/another/path?query"])
        #expect(server.requests.last?.fields["range"] == "bytes=100-299")
        #expect(server.connectionCount == 1 && server.sentByteCount == 5200)
      }
    }

    @Test func `an answer comes so many times, then the right one`() async throws {
      try await withOddServer(serving: contents, .status(503, retryAfter: 7), times: 2) { server in
        try await withClient { client in
          for _ in 0..<2 {
            let refused = try await get(client, server.url)
            #expect(refused.status == 503 && refused.headers.first(name: "Retry-After") == "7")
          }
          #expect(try await get(client, server.url).body == contents)
        }
        #expect(server.count(of: .status(503, retryAfter: 7)) == 2 && server.requests.count == 3)
      }
    }

    @Test func `a connection breaks after so many bytes, and a download that goes on there is whole`() async throws {
      for answer in [OddServer.Answer.resets(after: 1000), .closes(after: 1000), .shortBody, .truncates] {
        let server = try await OddServer.start(serving: contents, answer, times: 1)
        try await withClient { client in
          // What this package is for: a client of yours that asks again.
          await #expect(throws: (any Error).self) { try await get(client, server.url, 0..<4000) }
          #expect(server.count(of: answer) == 1, "\(answer)")
          let again = try await get(client, server.url, 0..<4000)
          #expect(again.body == Array(contents[..<4000]))
        }
        await server.stop()
      }
    }

    @Test func `a closed connection has sent just so many bytes`() async throws {
      try await withOddServer(serving: contents, .closes(after: 17)) { server in
        try await withClient { client in
          await #expect(throws: (any Error).self) { try await get(client, server.url) }
        }
        #expect(server.sentByteCount == 17 * server.requests.count)
      }
    }

    @Test(arguments: [OddServer.Answer.silent, .stalls(after: 10), .slow(bytes: 1, every: .seconds(60))])
    func `stopping ends an answer that does not end`(_ answer: OddServer.Answer) async throws {
      let server = try await OddServer.start(serving: contents, answer)
      try await withClient { client in
        let received = Task { try await get(client, server.url) }
        while server.requests.isEmpty { await Task.yield() }
        await server.stop()
        await #expect(throws: (any Error).self) { try await received.value }
      }
    }

    @Test func `slow and late answers are whole`() async throws {
      for answer in [
        OddServer.Answer.slow(bytes: 1000, every: .milliseconds(1)), .late(by: .milliseconds(1)), .chunked,
      ] {
        try await withOddServer(serving: contents, answer) { server in
          try await withClient { client in
            let whole = try await get(client, server.url, 0..<5000)
            #expect(whole.body == contents, "\(answer)")
          }
          #expect(server.count(of: answer) == 1, "\(answer)")
        }
      }
    }

    @Test func `answers come in turn, then the right one`() async throws {
      try await withOddServer(serving: contents, .inTurn([.ignoresRange, nil, .wrongRange, .notSatisfiable])) {
        server in
        let answers = try await withClient { client in
          var answers: [Received] = []
          for _ in 0..<5 { answers.append(try await get(client, server.url, 10..<20)) }
          return answers
        }
        #expect(answers.map(\.status) == [200, 206, 206, 416, 206])
        #expect(answers[0].body == contents && answers[1].body == Array(contents[10..<20]))
        #expect(answers[2].headers.first(name: "Content-Range") == "bytes 11-20/5000")
        #expect(answers[2].body == Array(contents[11..<21]) && answers[4].body == Array(contents[10..<20]))
      }
    }

    @Test func `the object changes between requests, and conditions are heeded`() async throws {
      try await withOddServer(serving: contents, .changesBetween) { server in
        try await withClient { client in
          let first = try await get(client, server.url, 0..<10)
          let tag = try #require(first.headers.first(name: "ETag"))
          let second = try await get(client, server.url, 0..<10)
          #expect(second.body == contents[..<10].map { ~$0 } && second.headers.first(name: "ETag") != tag)
          #expect(try await get(client, server.url, 0..<10, ["If-Match": tag]).body == first.body)
          #expect(try await get(client, server.url, 0..<10, ["If-Match": tag]).status == 412)
          _ = try await get(client, server.url)
          let whole = try await get(client, server.url, 0..<10, ["If-Range": tag])
          #expect(whole.status == 200 && whole.body == contents.map { ~$0 })
        }
      }
    }

    @Test func `what the server has is replaced, and a stale cache shows the version before`() async throws {
      try await withOddServer(serving: contents) { server in
        try await withClient { client in
          let old = try await get(client, server.url)
          server.serve([1, 2, 3])
          let new = try await get(client, server.url)
          #expect(new.body == [1, 2, 3] && new.headers.first(name: "ETag") != old.headers.first(name: "ETag"))
          server.answer(.stale)
          #expect(try await get(client, server.url).body == contents)
          #expect(try await get(client, server.url, nil, ["Cache-Control": "no-cache"]).body == [1, 2, 3])
        }
      }
    }

    @Test func `redirects lead to servers that have the same bytes`() async throws {
      for answer in [OddServer.Answer.redirectsElsewhere, .redirectsToOtherScheme, .relativeRedirect] {
        try await withOddServer(serving: contents, answer) { server in
          try await withClient { client in
            let redirected = try await get(client, server.url, 0..<10)
            #expect((300..<400).contains(Int(redirected.status)), "\(answer)")
            let place = try #require(redirected.headers.first(name: "Location"))
            let url = place.hasPrefix("http") ? place : server.origin + "/object?hop=42-0"
            #expect(try await get(client, url, 0..<10).body == Array(contents[..<10]), "\(answer)")
          }
        }
      }
    }

    @Test func `the same seed gives the same answers`() async throws {
      func statuses(_ seed: UInt64) async throws -> [UInt] {
        let answers: [OddServer.Answer] = [.ignoresRange, .notSatisfiable, .gone, .status(500)]
        return try await withOddServer(serving: contents, .random(seed: seed, share: 0.5, of: answers)) { server in
          try await withClient { client in
            var statuses: [UInt] = []
            for _ in 0..<60 { statuses.append(try await get(client, server.url, 0..<10).status) }
            #expect(answers.allSatisfy { server.count(of: $0) > 0 })
            return statuses
          }
        }
      }
      let first = try await statuses(7)
      #expect(try await statuses(7) == first)
      #expect(try await statuses(8) != first)
      #expect(first.count { $0 == 206 } > 15 && first.count { $0 != 206 } > 15)
    }

    @Test func `a share of nothing is honest`() async throws {
      for script in [OddServer.Script.random(seed: 1, share: 0), .random(seed: 1, of: []), .inTurn([])] {
        try await withOddServer(serving: contents, script) { server in
          let status = try await withClient { try await get($0, server.url, 0..<10).status }
          #expect(status == 206)
        }
      }
    }

    @Test func `each answer has a name, and those without a number are among all`() {
      let named: [OddServer.Answer] = [
        .ignoresRange, .ignoresRangeAtStart, .partAsWhole, .noContentRange, .wrongRange, .shorterRange, .longerRange,
        .unknownTotal, .wrongTotal, .multipart, .notSatisfiable, .deniesRanges, .shortBody, .longBody, .twoLengths,
        .chunked, .gzip, .gzipHead, .headWithoutLength, .bytesAfterBody, .hugeField, .manyFields, .gone, .unauthorized,
        .forbidsHead, .noHead, .preconditionFailed, .refusesConditions, .noContent, .notModified, .busyUntil,
        .signInPage, .noTag, .noVersion, .weakTag, .changingTag, .unquotedTag, .changedJustNow, .stale, .changingVary,
        .redirectsElsewhere, .redirectsToOtherScheme, .redirectLoop, .relativeRedirect, .expiringRedirect,
        .refusesAfterRedirect, .resetsKeptConnection, .lastOfConnection, .truncates, .resetsStream,
      ]
      #expect(Set(named.map(\.name)).count == named.count)
      for answer in named { #expect(OddServer.Answer.named(answer.name) != nil, "\(answer)") }
      #expect(OddServer.Answer.named("no such answer")?.name == nil)
    }
  }

#endif
