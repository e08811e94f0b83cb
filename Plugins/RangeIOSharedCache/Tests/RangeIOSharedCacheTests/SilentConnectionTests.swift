#if SharedCache
  import NIOConcurrencyHelpers
  import NIOCore
  import NIOPosix
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  /// A node with two connections, one of which falls silent.
  @Suite(.timeLimit(.minutes(2))) struct SilentConnectionTests {
    /// Answers that there is no value, unless it is the silent one.
    private final class Answering: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      private let number: Int
      private let silent: NIOLockedValueBox<Int?>

      init(_ number: Int, _ silent: NIOLockedValueBox<Int?>) {
        self.number = number
        self.silent = silent
      }

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard silent.withLockedValue({ $0 }) != number else { return }
        let commands = String(buffer: unwrapInboundIn(data)).split(separator: "\r\n").count
        let answers = String(repeating: "EN\r\n", count: commands)
        context.writeAndFlush(NIOAny(ByteBuffer(string: answers)), promise: nil)
      }
    }

    @Test func `when a silent connection ends, its node is asked by the other one`() async throws {
      let (accepted, silent) = (NIOLockedValueBox(0), NIOLockedValueBox<Int?>(nil))
      let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          let number = accepted.withLockedValue { count in
            count += 1
            return count
          }
          return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Answering(number, silent))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let port = try #require(server.localAddress?.port)
      let store = try SharedCacheNodes(.memcached, [.host("127.0.0.1", port: port)])
      let key = SharedBlockKey(digest: [UInt8](repeating: 1, count: 32))
      func ask() async { _ = await store.get([key], lease: nil, within: .milliseconds(100)) }
      func count(_ what: String) -> Int { store.statistics().first?[what] ?? 0 }

      // The second connection is made while the first is busy.
      while accepted.withLockedValue({ $0 }) < 2 {
        await withDiscardingTaskGroup { group in
          for _ in 0..<32 { group.addTask { await ask() } }
        }
      }
      silent.withLockedValue { $0 = 1 }
      let late = count("late")
      while count("late") == late { await ask() }
      // No read waits for the node now. When its connection has been given up, the other one answers.
      let before = count("misses")
      while count("misses") < before + 10 { await ask() }
      await store.close()
      try await server.close().get()
    }
  }
#endif
