#if Serve && HTTP
  import NIOCore
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// Connections of HTTP/2 that end.
  @Suite(.timeLimit(.minutes(2))) struct HTTP2StoppingTests {
    /// A server of one object whose reads wait.
    private func withGate(
      _ configure: (inout RangeServer.Configuration) -> Void = { _ in },
      _ body: (_ port: Int, RangeServer, GatedSource<SyntheticSource>) async throws -> Void
    ) async throws {
      let source = GatedSource(SyntheticSource(byteCount: 100_000))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withTLSServer(upstream, configure) { port, server in try await body(port, server, source) }
    }

    @Test(arguments: [true, false])
    func `a server that stops says so, ends what is under way, and waits for no sign of the client`(gives: Bool)
      async throws
    {
      try await withGate { port, server, source in
        let idle = try await RawHTTP2(port)
        #expect(try await idle.get("/-/healthz", on: 1).status == "200")
        let client = try await RawHTTP2(port)
        try await client.send(client.head("/", on: 1))
        await source.arrivals(1)
        server.stop()
        #expect(try await idle.untilEnd()?.lastStream == 1)
        let first = try #require(try await client.next())
        #expect(first.kind == .goAway && first.lastStream == Int(Int32.max) && first.code == 0)
        let ping = try #require(try await client.next())
        #expect(ping.kind == .ping && ping.payload.count == 8)
        // Begun before the client has heard: it may send this request again, to another server.
        try await client.send(client.head("/", on: 3))
        let refusal = try #require(try await client.next())
        #expect(refusal.kind == .reset && refusal.stream == 3 && refusal.code == 7)
        if gives {
          try await client.send(RawHTTP2.Frame(kind: .ping, flags: RawHTTP2.Frame.acknowledges, payload: ping.payload))
        }
        let second = try #require(try await client.next())
        #expect(second.kind == .goAway && second.lastStream == 1 && second.code == 0)
        source.open()
        #expect(try await client.answers([1])[1]?.body.count == 100_000)
        #expect(try await client.next() == nil)
      }
    }

    @Test func `a client that does not end is cut off when the time for that is over`() async throws {
      try await withGate {
        $0.drainTimeout = .milliseconds(50)
      } _: { port, server, source in
        let client = try await RawHTTP2(port)
        try await client.send(client.head("/", on: 1))
        await source.arrivals(1)
        server.stop()
        _ = try await client.untilEnd()
        // The read does not end by itself, and its reader waits for it.
        source.open()
        await server.close()
      }
    }

    @Test func `a connection that does nothing ends, whether it has agreed upon TLS, greeted, or asked before`()
      async throws
    {
      try await withGate {
        $0.headTimeout = .seconds(1)
      } _: { port, _, _ in
        let silent = try await RawHTTP2(port, greets: false)
        #expect(try await silent.untilEnd()?.code == 0)
        let greeting = try await RawHTTP2(port)
        #expect(try await greeting.untilEnd()?.lastStream == 0)
        let asking = try await RawHTTP2(port)
        #expect(try await asking.get("/-/healthz", on: 1).status == "200")
        // No sign is waited for.
        let last = try #require(try await asking.untilEnd())
        #expect(last.lastStream == 1 && last.code == 0)
        // A head that does not end is none.
        let slow = try await RawHTTP2(port)
        var head = try slow.head("/-/healthz", on: 1)
        head.flags = RawHTTP2.Frame.ends
        try await slow.send(head)
        _ = try await slow.untilEnd()
        // No word of TLS.
        let mute = try await ClientConnection.open(port)
        #expect(await mute.end() == [])
      }
    }

    @Test func `a stream that takes nothing is cut off, and the others are not`() async throws {
      try await withGate {
        $0.stallTimeout = .milliseconds(200)
      } _: { port, _, source in
        source.open()
        let client = try await RawHTTP2(port, window: 1000)
        try await client.send(client.head("/", on: 1))
        let answer = try #require(try await client.stalled(1))
        #expect(answer == 2)
        #expect(try await client.get("/-/healthz", on: 3).status == "200")
        client.channel.close(promise: nil)
      }
    }
  }

  extension RawHTTP2 {
    /// Reads a stream without granting more, and tells the code of its reset.
    fileprivate func stalled(_ stream: Int) async throws -> UInt32? {
      while let frame = try await next() { if frame.kind == .reset, frame.stream == stream { return frame.code } }
      return nil
    }
  }
#endif
