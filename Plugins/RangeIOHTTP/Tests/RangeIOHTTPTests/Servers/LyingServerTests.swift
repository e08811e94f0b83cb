#if HTTP

  import RangeIOHTTPTestServer
  import Testing

  /// The server as it is when it does not lie.
  struct LyingServerTests {
    private let object = ServedObject(count: 10_000)

    /// The answer to `text` of an honest server with the object.
    private func answer(
      _ text: String, _ configuration: LyingServer.Configuration = .init(), _ object: ServedObject? = nil
    ) async throws -> RawClient.Received {
      try await LyingServer.with(configuration) { server in
        server.objects.put(object ?? self.object, at: "/object")
        // All honest answers but this are kept alive: the script ends the connection after it.
        server.script = ServerScript { $0.honest.closing }
        return try await RawClient.exchange(text, port: server.port, isTLS: configuration.isTLS)
      }
    }

    @Test func `a range comes with its place and the total`() async throws {
      let answer = try await answer(Wire.range(100..<300))
      #expect(answer.status == 206 && answer.end == .closed)
      #expect(answer.has("Content-Range: bytes 100-299/10000") && answer.has("Content-Length: 200"))
      #expect(answer.has("ETag: \"v1\"") && answer.has("Accept-Ranges: bytes"))
      #expect(answer.parts.body == Array(object.bytes[100..<300]))
    }

    @Test func `suffixes and open ranges end with the object`() async throws {
      for (asked, got) in [("-7", 9_993..<10_000), ("9990-", 9_990..<10_000), ("9990-20000", 9_990..<10_000)] {
        let answer = try await answer(Wire.request("GET", "/object", ["Range: bytes=\(asked)"]))
        #expect(answer.parts.body == Array(object.bytes[got]), "\(asked)")
      }
    }

    @Test func `HEAD has the length and no body`() async throws {
      let answer = try await answer(Wire.request("HEAD"))
      #expect(answer.status == 200 && answer.has("Content-Length: 10000") && answer.parts.body.isEmpty)
    }

    @Test func `a range beyond the end is not satisfiable`() async throws {
      let answer = try await answer(Wire.range(10_000..<10_001))
      #expect(answer.status == 416 && answer.has("Content-Range: bytes */10000"))
    }

    @Test func `another tag is a failed precondition, and a weak one never matches`() async throws {
      #expect(try await answer(Wire.range(0..<10, ["If-Match: \"v1\""])).status == 206)
      #expect(try await answer(Wire.range(0..<10, ["If-Match: \"v2\""])).status == 412)
      var weak = object
      weak.tag = .weak("v1")
      #expect(try await answer(Wire.range(0..<10, ["If-Match: W/\"v1\""]), .init(), weak).status == 412)
    }

    @Test func `an If-Range of another version gets the whole object`() async throws {
      #expect(try await answer(Wire.range(0..<10, ["If-Range: \"v1\""])).status == 206)
      #expect(try await answer(Wire.range(0..<10, ["If-Range: \"v2\""])).parts.body == object.bytes)
    }

    @Test func `what is not there is not found`() async throws {
      #expect(try await answer(Wire.request("GET", "/other")).status == 404)
      #expect(try await answer(Wire.request("PUT", "/object")).status == 405)
    }

    @Test func `paths are decoded, and queries do not belong to them`() async throws {
      try await LyingServer.with { server in
        server.objects.put(object, at: "/a b+ü")
        server.script = ServerScript { $0.honest.closing }
        let answer = try await RawClient.exchange(Wire.request("HEAD", "/a%20b+%c3%BC?x=1"), port: server.port)
        #expect(answer.status == 200)
        #expect(server.log.requests.first?.parameter("x") == "1")
      }
    }

    @Test func `with TLS it says the same`() async throws {
      let answer = try await answer(Wire.range(0..<5_000), .tls())
      #expect(answer.parts.body == Array(object.bytes[0..<5_000]) && answer.end == .closed)
    }

    @Test func `requests of one connection are numbered, and bytes counted`() async throws {
      try await LyingServer.with { server in
        server.objects.put(object, at: "/object")
        server.script = ServerScript { $0.request.numberOnConnection == 2 ? $0.honest.closing : $0.honest }
        let three = Wire.range(0..<10) + Wire.range(10..<30) + Wire.request("HEAD")
        _ = try await RawClient.exchange(three, port: server.port)
        #expect(server.log.requests.map(\.numberOnConnection) == [0, 1, 2])
        #expect(server.log.requests.map(\.range) == [.from(0, through: 9), .from(10, through: 29), nil])
        #expect(server.log.bodyBytes == 30 && server.log.connections == 1)
      }
    }

    @Test func `the version before is known after a replacement`() async throws {
      let objects = ServedObjects()
      objects.put(object, at: "/object")
      objects.put(ServedObject(count: 5, version: 2), at: "/object")
      #expect(objects["/object"]?.tag == .strong("v2") && objects.previous("/object")?.tag == .strong("v1"))
      objects.delete("/object")
      #expect(objects["/object"] == nil && objects.previous("/object")?.tag == .strong("v2"))
    }

    @Test func `content differs by place and version, and does not depend on the range`() {
      let whole = ServedObject.content(0..<1000)
      #expect(ServedObject.content(333..<700) == Array(whole[333..<700]))
      #expect(ServedObject.content(0..<1000, version: 2) != whole)
      #expect(Set(stride(from: 0, to: 992, by: 8).map { Array(whole[$0..<$0 + 8]) }).count == 124)
    }

    @Test func `times are those of RFC 9110`() {
      #expect(HTTPTime.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
      #expect(HTTPTime.text(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
      #expect(HTTPTime.compact(784_111_777) == "19941106T084937Z")
    }
  }

#endif
