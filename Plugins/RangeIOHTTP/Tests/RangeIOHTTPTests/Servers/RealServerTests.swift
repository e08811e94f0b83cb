#if HTTP

  import RangeIOHTTPTestServer
  import Testing

  /// That the servers of others start, answer and end.
  struct RealServerTests {
    @Test(arguments: [RealServer.Kind.nginx, .apache])
    func `files are served, replaced, and there after a restart`(_ kind: RealServer.Kind) async throws {
      guard kind.isUsable else { return }
      try await RealServer.with(kind) { server in
        let bytes = ServedObject.content(0..<5_000)
        try server.replace("object", with: bytes)
        let first = try await RawClient.exchange(Wire.range(10..<20), port: server.port)
        #expect(first.status == 206 && first.parts.body == Array(bytes[10..<20]))
        try server.replace("object", with: Array(bytes.prefix(15)))
        try await server.restart()
        let second = try await RawClient.exchange(Wire.range(10..<20), port: server.port)
        #expect(second.parts.body == Array(bytes[10..<15]) && second.has("Content-Range: bytes 10-14/15"))
      }
    }

    @Test func `moto answers`() async throws {
      guard RealServer.Kind.moto.isUsable else { return }
      try await RealServer.with(.moto) { server in
        let answer = try await RawClient.exchange(Wire.request("GET", "/"), port: server.port)
        #expect(answer.status == 200)
      }
    }

    @Test func `a server that has ended does not accept connections`() async throws {
      guard RealServer.Kind.nginx.isUsable else { return }
      let server = try await RealServer.start(.nginx)
      await server.stop()
      await #expect(throws: (any Error).self) { try await RawClient.exchange(Wire.request(), port: server.port) }
    }
  }

#endif
