#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import RangeIOTesting
  import Testing

  /// Clients that leave, read nothing or are too many, and a server that stops.
  struct LeavingClientTests {
    @Test func `a client that leaves ends what is read for it`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1 << 20))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withServer([("object", upstream)]) { port, _ in
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .connect(host: "127.0.0.1", port: port).outcome()
        // Its end is a reset.
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).outcome()
        try await channel.writeAndFlush(ByteBuffer(string: "GET /object HTTP/1.1\r\nHost: localhost\r\n\r\n"))
          .outcome()
        await source.arrivals(1)
        #expect(try await answersUnderWay(port) == 2)
        try await channel.close().outcome()
        // Only the one that asks.
        while try await answersUnderWay(port) != 1 {}
        source.open()
      }
    }

    @Test func `a client that reads nothing is sent what its connection holds, and others are answered`() async throws {
      let size = 256 << 20
      let upstream = ObjectUpstream { try await RangeReader(SyntheticSource(byteCount: size), onChange: .refresh) }
      try await withServer([("object", upstream)]) { port, _ in
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .channelOption(.autoRead, value: false)
          .connect(host: "127.0.0.1", port: port).outcome()
        try await channel.writeAndFlush(ByteBuffer(string: "GET /object HTTP/1.1\r\nHost: localhost\r\n\r\n"))
          .outcome()
        // No event tells that nothing more is sent: its count stays the same while others are answered.
        var (sent, quiet) = (0, 0)
        while sent == 0 || quiet < 50 {
          let now = try await metric("rangeio_server_body_bytes", port)
          // What it has sent to this test itself is little.
          quiet = now - sent < 65_536 ? quiet + 1 : 0
          if quiet == 0 { sent = now }
        }
        #expect(sent < 32 << 20)
        #expect(try await ask("/object", port: port, ["Range: bytes=-9"]).body.count == 9)
        try await channel.close().outcome()
      }
    }

    @Test func `a server that is told to stop lets answers end, and accepts no more`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let opened = Counter()
      let upstream = ObjectUpstream {
        opened.add()
        return try await RangeReader(source, onChange: .refresh)
      }
      var configuration = RangeServer.Configuration()
      configuration.address = .host("127.0.0.1", port: 0)
      let server = RangeServer([("object", upstream)], configuration: configuration)
      let (ports, port) = AsyncStream<Int>.makeStream()
      let running = Task { try await server.run { port.yield($0) } }
      var iterator = ports.makeAsyncIterator()
      let number = try #require(await iterator.next())
      async let answer = ask("/object", port: number)
      await source.arrivals(1)
      server.stop()
      source.open()
      let received = try await answer
      #expect(received.status == 200 && received.body.count == 1000)
      try await running.value
      #expect(source.isClosed)
      // A server of another test may have the port by now (`try?`), and this one opens nothing any more.
      _ = try? await ask("/object", port: number)
      #expect(opened.count == 1)
    }

    @Test func `a connection too many is closed, and those before it are answered`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withServer([("object", upstream)]) {
        $0.maxConnectionsPerClient = 2
      } _: { port, _ in
        async let first = ask("/object", port: port)
        async let second = ask("/object?", port: port)
        await source.arrivals(2)
        // It ends, which one that is merely not answered would not do.
        for _ in 0..<5 {
          let refused = try await ask("/object", port: port)
          #expect(refused.status == 0)
        }
        source.open()
        let answers = try await [first, second]
        #expect(answers.map(\.status) == [200, 200])
      }
    }

    @Test func `a client has so many answers and connections, and others are answered`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      let limit = { (configuration: inout RangeServer.Configuration) in
        configuration.maxRequestsPerClient = 2
        configuration.maxConnectionsPerClient = 3
      }
      try await withServer([("object", upstream)], limit) { port, _ in
        async let first = ask("/object", port: port)
        async let second = ask("/object", port: port)
        await source.arrivals(1)
        var refused: ReceivedAnswer
        repeat { refused = try await ask("/none", port: port) } while refused.status == 404
        #expect([429, 0].contains(refused.status))
        source.open()
        #expect(try await first.status == 200)
        #expect(try await second.status == 200)
        var after: ReceivedAnswer
        repeat { after = try await ask("/object", port: port) } while after.status != 200
        #expect(after.body.count == 1000)
      }
    }
  }
#endif
