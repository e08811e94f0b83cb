#if NIO
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIONIO

  /// Streams over real sockets on 127.0.0.1.
  @Suite(.timeLimit(.minutes(5))) struct LoopbackTests {
    /// Answers each request with a range of the reader as the body, and closes.
    private final class Responder: ChannelInboundHandler, Sendable {
      typealias InboundIn = HTTPServerRequestPart
      let stream: ByteStream
      let byteCount: Int

      init(_ stream: ByteStream, byteCount: Int) {
        self.stream = stream
        self.byteCount = byteCount
      }

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let (channel, stream) = (context.channel, stream)
        let headers = HTTPHeaders([("content-length", "\(byteCount)"), ("connection", "close")])
        Task {
          do {
            let head = HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: headers))
            try await channel.writeAndFlush(head).get()
            try await channel.writeStream(stream) { HTTPServerResponsePart.body(.byteBuffer($0)) }
            try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
          } catch {
            // The client sees too few bytes.
          }
          channel.close(promise: nil)
        }
      }
    }

    @Test func `a stream is the body of a response`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 20_000_000))
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let range = 1_000..<19_000_000
      let server = try await ServerBootstrap(group: group)
        .childChannelInitializer { channel in
          channel.pipeline.configureHTTPServerPipeline().flatMap {
            channel.pipeline.addHandler(Responder(reader.stream(range), byteCount: range.count))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let port = try #require(server.localAddress?.port)
      let client = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
      let answer = try await client.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"))
        var answer = ByteBuffer()
        for try await var buffer in inbound { answer.writeBuffer(&buffer) }
        return answer
      }
      let body = Bytes(try #require(answer.getSlice(at: answer.writerIndex - range.count, length: range.count)))
      #expect(body == SyntheticSource.bytes(range))
      try await server.close().get()
      try await group.shutdownGracefully()
      await reader.close()
    }

    @Test func `a client that does not read stops the reading`() async throws {
      let source = SyntheticSource(byteCount: 1 << 30)
      let reader = try await RangeReader(source)
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let server = try await ServerBootstrap(group: group)
        .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
        .bind(host: "127.0.0.1", port: 0) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      let port = try #require(server.channel.localAddress?.port)
      let client = try await ClientBootstrap(group: group)
        .channelOption(.autoRead, value: false)
        .channelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
        .connect(host: "127.0.0.1", port: port).get()
      try await server.executeThenClose { connections in
        var connections = connections.makeAsyncIterator()
        let connection = try #require(try await connections.next())
        let writing = Task {
          try await connection.executeThenClose { _, outbound in try await outbound.writeStream(reader.stream()) }
        }
        // As much work as the writer would have without a client that is slow. It is over long before.
        let other = try await RangeReader(SyntheticSource(byteCount: 1 << 28))
        for try await _ in other.stream() {}
        await other.close()
        // What the sockets and the channel hold, and what the stream reads ahead.
        #expect(source.bytesRead <= 32 << 20)
        try await client.close().get()
        await #expect(throws: (any Error).self) { try await writing.value }
      }
      try await group.shutdownGracefully()
      await reader.close()
    }
  }
#endif
