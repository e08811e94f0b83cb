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

    /// A server of one object, whose source tells when it is closed.
    private func serverOfOne() -> (RangeServer, GatedSource<SyntheticSource>) {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      source.open()
      var configuration = RangeServer.Configuration()
      configuration.address = .host("127.0.0.1", port: 0)
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      return (RangeServer([("", upstream)], configuration: configuration), source)
    }

    /// How a server ends.
    enum Ending: CaseIterable { case closedTwice, cancelled }

    @Test(arguments: Ending.allCases) func `when a server has ended, its readers are closed`(_ ending: Ending)
      async throws
    {
      let (server, source) = serverOfOne()
      let (ports, port) = AsyncStream<Int>.makeStream()
      let running = Task { try await server.run { port.yield($0) } }
      var iterator = ports.makeAsyncIterator()
      let number = try #require(await iterator.next())
      #expect(try await ask("/", port: number).status == 200)
      // A second one begins nothing, and ends nothing.
      let error = await #expect(throws: ReadError.self) { try await server.run { port.yield($0) } }
      #expect(error?.code == .inUse && !source.isClosed)
      #expect(try await ask("/", port: number).status == 200)
      switch ending {
      case .closedTwice:
        async let other: Void = server.close()
        await server.close()
        #expect(source.isClosed)
        await other
      case .cancelled: running.cancel()
      }
      _ = await running.result
      // In a cancelled task, closing does not wait.
      while !source.isClosed { await Task.yield() }
    }

    @Test func `a server that is closed before it runs, or as it begins, ends without an error`() async throws {
      for round in 0..<100 {
        let (server, _) = serverOfOne()
        if round % 4 == 0 { await server.close() }
        let running = Task { try await server.run() }
        for _ in 0..<round { await Task.yield() }
        await server.close()
        // It may have begun after that.
        await server.close()
        try await running.value
        await server.close()
      }
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
