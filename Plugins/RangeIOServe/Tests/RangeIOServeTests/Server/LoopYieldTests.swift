#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOEmbedded
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOServe

  /// Tasks that yield to their event loop.
  @Suite(.timeLimit(.minutes(5))) struct LoopYieldTests {
    @Test func `one look is asked for all who wait, and they go on in their order, some at a time`() {
      var queue = YieldQueue<Int>()
      #expect(queue.wait(0) == .ask)
      for waiter in 1..<40 { #expect(queue.wait(waiter) == .wait) }
      var came: [Int] = []
      for (count, asks) in [(16, true), (16, true), (8, false)] {
        let look = queue.looked()
        came += look.next
        #expect(look.next.count == count && look.asks == asks)
      }
      #expect(came == Array(0..<40))
      #expect(queue.wait(40) == .ask)
      #expect(queue.close() == [40])
      #expect(queue.wait(41) == .pass)
      let last = queue.looked()
      #expect(last.next.isEmpty && !last.asks)
    }

    @Test func `programs that this one starts do not inherit the pipe of the yields`() throws {
      let ends = try LoopYields.ends()
      for end in [ends.reading, ends.writing] {
        #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
        #expect(close(end) == 0)
      }
    }

    @Test func `an answer ends before its next piece when its client has left, and when the server stops`() async throws
    {
      let channel = NIOAsyncTestingChannel()
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      let client = try #require(ConnectedClient(channel, nil))
      try await client.yield()
      let stopped = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await client.yield()
      }
      await #expect(throws: CancellationError.self) { try await stopped.value }
      try await channel.close()
      await #expect(throws: ChannelError.ioOnClosedChannel) { try await client.yield() }
    }

    @Test func `a loop whose tasks yield all the time answers its connections`() async throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let loop = group.next()
      let executor = try await LoopExecutor(loop)
      let connected = NIOAsyncTestingChannel()
      try await connected.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      let client = try #require(ConnectedClient(connected, executor))
      let server = try await ServerBootstrap(group: group)
        .childChannelInitializer { $0.pipeline.addHandler(Echo()) }
        .bind(host: "127.0.0.1", port: 0).outcome()
      let isOver = Counter()
      await withTaskGroup(of: Void.self) { tasks in
        for _ in 0..<40 {
          tasks.addTask(executorPreference: executor) {
            do { while isOver.count == 0 { try await client.yield() } } catch { Issue.record(error) }
          }
        }
        for _ in 0..<20 {
          do {
            let received = try await RawClient.exchange("hello", port: server.localAddress?.port ?? 0, until: 5)
            #expect(received.text == "hello")
          } catch { Issue.record(error) }
        }
        isOver.add()
      }
      executor.close()
      // There are no looks any more, and no one waits for one.
      await executor.yield()
      try await server.close().outcome()
      try await group.shutdownGracefully()
    }

    private final class Echo: ChannelInboundHandler, Sendable {
      typealias InboundIn = ByteBuffer
      func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    }
  }
#endif
