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
      /// Commands that it has not answered.
      let unanswered = NIOLockedValueBox(0)
      private let isSilent: Bool
      private let most: Int
      private let server = NIOLockedValueBox<(any Channel)?>(nil)

      /// - Parameter most: connections after these are closed at once.
      init(isSilent: Bool = false, most: Int = .max) {
        self.isSilent = isSilent
        self.most = most
      }

      private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let node: Node
        private let isRefused: Bool

        init(_ node: Node, isRefused: Bool) {
          self.node = node
          self.isRefused = isRefused
        }

        func channelActive(context: ChannelHandlerContext) { if isRefused { context.close(promise: nil) } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
          let commands = String(buffer: unwrapInboundIn(data)).split(separator: "\r\n").count
          guard !node.isSilent else { return node.unanswered.withLockedValue { $0 += commands } }
          let answers = String(repeating: "EN\r\n", count: commands)
          context.writeAndFlush(NIOAny(ByteBuffer(string: answers)), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { node.ended.withLockedValue { $0 += 1 } }
      }

      func start() async throws -> SharedCacheNode {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .childChannelOption(.allowRemoteHalfClosure, value: false)
          .childChannelInitializer { [self] channel in
            let number = channels.withLockedValue { channels in
              channels.append(channel)
              return channels.count
            }
            return channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(Answering(self, isRefused: number > most))
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
      let store = try SharedCacheNodes(.memcached, [try await node.start()])
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

    @Test func `a read that is cancelled does not wait for its node`() async throws {
      let node = Node(isSilent: true)
      let store = try SharedCacheNodes(.memcached, [try await node.start()])
      for number in 1...20 {
        let task = Task { await store.get([key, key], lease: nil, within: .seconds(3600)) }
        while node.unanswered.withLockedValue({ $0 }) < 2 * number { await Task.yield() }
        task.cancel()
        let answers = await task.value
        #expect(answers.count == 2)
        guard case .missing = answers[0] else {
          Issue.record("there is a value")
          return
        }
      }
      // Some are cancelled before they are sent.
      for _ in 0..<1000 {
        let task = Task { await store.get([key], lease: nil, within: .seconds(3600)) }
        task.cancel()
        _ = await task.value
      }
      #expect(store.statistics().first?["late"] == 0)
      await store.close()
      try await node.end()
    }

    @Test func `a node that permits one connection is not asked for another one by each read`() async throws {
      let node = Node(most: 1)
      let store = try SharedCacheNodes(.memcached, [try await node.start()])
      _ = await store.get([key], lease: nil, within: .seconds(10))
      for _ in 0..<300 {
        await withDiscardingTaskGroup { group in
          for _ in 0..<16 { group.addTask { _ = await store.get([key], lease: nil, within: .seconds(10)) } }
        }
      }
      // The first try takes some with it: those that are sent until it is known to have failed.
      let counts = try #require(store.statistics().first)
      #expect(counts["misses"] ?? 0 > 100 * 16 && counts["outages"] == 0, "\(counts)")
      #expect(node.channels.withLockedValue { $0.count } < 20)
      await store.close()
      try await node.end()
    }

    @Test func `what waits for a connection is a miss when the client is closed`() async throws {
      let node = Node()
      let address = try await node.start()
      for _ in 0..<20 {
        let store = try SharedCacheNodes(.memcached, [address])
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
