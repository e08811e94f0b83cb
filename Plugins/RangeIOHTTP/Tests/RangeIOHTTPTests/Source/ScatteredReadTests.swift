#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Many ranges in one call, over a link that is slower than is assumed of one that is not known yet.
  @Suite(.timeLimit(.minutes(5))) struct ScatteredReadTests {
    private static let ranges = (0..<100).map { $0 * 400_000..<$0 * 400_000 + 4096 }

    /// Calls `body` with a reader over the link, and with the server.
    private func withReader(
      _ store: any ChunkStore, bytesPerSecond: Double = 1e6,
      _ body: (RangeReader, LyingServer, LinkProxy) async throws -> Void
    ) async throws {
      try await withServer(count: 40_000_000) { server in
        let link = LinkProxy.Link(roundTrip: .milliseconds(60), bytesPerSecond: bytesPerSecond)
        try await LinkProxy.with(to: server.port, link) { proxy in
          let url = "http://127.0.0.1:\(proxy.port)\(objectPath)"
          let reader = try await RangeReader(contentsOf: url, configuration: .test, cache: store)
          do { try await body(reader, server, proxy) } catch {
            await reader.close()
            throw error
          }
          await reader.close()
        }
      }
    }

    @Test func `what the first answers took decides which of the rest are read together`() async throws {
      try await withReader(MemoryStore(limit: .mebibytes(64))) { reader, server, proxy in
        let pieces = try await reader.read(Self.ranges)
        #expect(zip(Self.ranges, pieces).allSatisfy { content($0) == $1 })
        // By what is assumed of the link, 1.5 MB are read as quickly as another request begins: that would be 13 MB for
        // these ranges. By what is true, 60 KB are.
        #expect(proxy.bytesDown < 9_500_000)
        #expect(proxy.connections <= 8)
        server.log.clear()
        #expect(try await reader.read(Self.ranges) == pieces)
        #expect(server.log.requestCount == 0)
      }
    }

    @Test func `over a slow link one range comes alone, and blocks have the same size in every process`() async throws {
      // So slow that a busy machine, where round trips seem longer, changes nothing.
      try await withReader(MemoryStore(limit: .mebibytes(64)), bytesPerSecond: 1e5) { reader, server, _ in
        #expect(reader.source.preferredBlockSize == .kibibytes(64))
        // What came along is counted when it has been sent.
        while server.log.bodyBytes < 65_536 { await Task.yield() }
        server.log.clear()
        // Past what came with the opening.
        let first = try await reader.read(655_460..<655_560)
        let neighbour = try await reader.read(715_360..<715_460)
        #expect(first == content(655_460..<655_560) && neighbour == content(715_360..<715_460))
        // A block would take longer than the round trip that it may spare.
        #expect(
          server.log.requestCount == 2 && server.log.bodyBytes == 200,
          "\(server.log.requests.map { $0["Range"] }): \(server.log.bodyBytes) bytes")
      }
    }
  }
#endif
