#if SharedCache
  import NIOConcurrencyHelpers
  import NIOCore
  import NIOPosix
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  /// Connections that end, by either side.
  @Suite(.timeLimit(.minutes(2))) struct ClosingNodeTests {
    /// Has no value, and tells of its connections.
    private final class Node: Sendable {
      let channels = NIOLockedValueBox<[any Channel]>([])
      let ended = NIOLockedValueBox(0)
      private let server = NIOLockedValueBox<(any Channel)?>(nil)

      private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let node: Node

        init(_ node: Node) { self.node = node }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
          let commands = String(buffer: unwrapInboundIn(data)).split(separator: "\r\n").count
          let answers = String(repeating: "EN\r\n", count: commands)
          context.writeAndFlush(NIOAny(ByteBuffer(string: answers)), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { node.ended.withLockedValue { $0 += 1 } }
      }

      func start() async throws -> SharedCacheNode {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .childChannelOption(.allowRemoteHalfClosure, value: false)
          .childChannelInitializer { [self] channel in
            channels.withLockedValue { $0.append(channel) }
            return channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(Answering(self))
            }
          }
          .bind(host: "127.0.0.1", port: 0).get()
        self.server.withLockedValue { $0 = server }
        return .host("127.0.0.1", port: try #require(server.localAddress?.port))
      }

      /// Ends all connections, and waits until the other side has ended them too.
      func endConnections() async throws {
        let all = channels.withLockedValue { $0 }
        for channel in all where channel.isActive { try await channel.close(mode: .output).get() }
        while ended.withLockedValue({ $0 }) < all.count { await Task.yield() }
      }

      func end() async throws { try await server.withLockedValue { $0 }?.close().get() }
    }

    private let key = SharedBlockKey(digest: [UInt8](repeating: 1, count: 32))

    @Test func `a node that closes connections which are idle is no node that is down`() async throws {
      let node = Node()
      let store = try MemcachedStore([try await node.start()])
      for _ in 0..<5 {
        _ = await store.get([key], lease: nil, within: .seconds(10))
        try await node.endConnections()
      }
      let counts = try #require(store.statistics().first)
      #expect(counts["misses"] == 5 && counts["not asked"] == 0 && counts["outages"] == 0)
      #expect(node.channels.withLockedValue { $0.count } == 5)
      await store.close()
      try await node.end()
    }

    @Test func `what waits for a connection is a miss when the client is closed`() async throws {
      let node = Node()
      let address = try await node.start()
      for _ in 0..<20 {
        let store = try MemcachedStore([address])
        // Each would else wait for an hour.
        await withDiscardingTaskGroup { group in
          group.addTask { _ = await store.get([key], lease: nil, within: .seconds(3600)) }
          group.addTask { await store.close() }
        }
      }
      try await node.end()
    }
  }
#endif
