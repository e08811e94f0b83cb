#if Serve && HTTP
  import NIOCore
  import NIOEmbedded
  import NIOHTTPTypes
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// The end of answers on their way to slow clients when the server stops.
  @Suite(.timeLimit(.minutes(2))) struct StoppingTests {
    /// Runs a server of one object until it has been told to stop while a client waits that has taken nothing.
    ///
    /// - Parameter body: is given the client, after that.
    private func stop(
      _ count: Int, drainTimeout: Duration, _ body: (any Channel, SlowReading) async throws -> Void
    ) async throws {
      let upstream = ObjectUpstream { try await RangeReader(SyntheticSource(byteCount: count), onChange: .refresh) }
      var configuration = RangeServer.Configuration()
      configuration.address = .host("127.0.0.1", port: 0)
      configuration.drainTimeout = drainTimeout
      configuration.stallTimeout = .seconds(3600)
      let server = RangeServer([("object", upstream)], configuration: configuration)
      let (ports, port) = AsyncStream<Int>.makeStream()
      let running = Task { try await server.run { port.yield($0) } }
      var iterator = ports.makeAsyncIterator()
      let number = try #require(await iterator.next())
      let reading = SlowReading()
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.autoRead, value: false)
        .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
        .channelInitializer { channel in channel.pipeline.addHandler(reading) }
        .connect(host: "127.0.0.1", port: number).outcome()
      try await channel.writeAndFlush(ByteBuffer(string: "GET /object HTTP/1.1\r\nHost: localhost\r\n\r\n")).outcome()
      // The answer has begun.
      channel.read()
      var events = reading.events.makeAsyncIterator()
      _ = await events.next()
      let closing = Task { await server.close() }
      try await body(channel, reading)
      await closing.value
      // Cut off, it says so.
      _ = await running.result
      channel.close(promise: nil)
    }

    @Test func `a client that reads slowly gets the end of its answer`() async throws {
      let count = 24 << 20
      try await stop(count, drainTimeout: .seconds(3600)) { channel, reading in
        channel.read()
        for await _ in reading.events { channel.read() }
        // With its head.
        #expect(reading.byteCount.withLock { $0 } > count + 100)
      }
    }

    @Test func `a client that reads nothing is cut off when the time for that is over`() async throws {
      try await stop(64 << 20, drainTimeout: .milliseconds(50)) { _, _ in }
    }

    @Test func `a connection is closed when it has taken what it was sent, unless it is cut off`() throws {
      for isCutOff in [false, true] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
          DeadlineHandler(headTimeout: .seconds(10), stallTimeout: .seconds(10)))
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let sent = Locked<Bool?>(nil)
        let closed = Locked(false)
        channel.write(HTTPResponsePart.body(ByteBuffer(bytes: [1, 2, 3]))).whenComplete { result in
          sent.withLock { $0 = (try? result.get()) != nil }
        }
        channel.close().whenComplete { _ in closed.withLock { $0 = true } }
        #expect(channel.isActive && !closed.withLock { $0 })
        // What the client asks for now is not answered.
        try channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        if isCutOff {
          channel.pipeline.fireUserInboundEventTriggered(DeadlineHandler.CutOff())
        } else {
          channel.flush()
        }
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive && closed.withLock { $0 })
        #expect(sent.withLock { $0 } == (isCutOff ? nil : true))
        // This kind of channel keeps what it has not sent.
        channel.flush()
        _ = try channel.finish(acceptAlreadyClosed: true)
      }
    }
  }
#endif
