#if SharedCache
  import NIOConcurrencyHelpers
  import NIOCore
  import NIOPosix
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  /// A node that accepts, and says something now and then, but never a whole answer.
  @Suite(.timeLimit(.minutes(2))) struct DrippingNodeTests {
    /// Sends the beginning of a value, and then a byte of it now and then, for as long as the connection stays.
    private final class Drip: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      private var isDripping = false

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDripping else { return }
        isDripping = true
        context.writeAndFlush(NIOAny(ByteBuffer(string: "VA 100000 O0\r\n")), promise: nil)
        drip(context.channel)
      }

      private func drip(_ channel: any Channel) {
        guard channel.isActive else { return }
        channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
        channel.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) { [self] in drip(channel) }
      }
    }

    @Test func `is given up, and connected to anew`() async throws {
      let accepted = NIOLockedValueBox(0)
      let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          accepted.withLockedValue { $0 += 1 }
          return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Drip())
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let port = try #require(server.localAddress?.port)
      let store = try SharedCacheNodes(.memcached, [.host("127.0.0.1", port: port)])
      let key = SharedBlockKey(digest: [UInt8](repeating: 1, count: 32))
      // It is a miss all the time, and each connection ends at last.
      while accepted.withLockedValue({ $0 }) < 3 {
        let answers = await store.get([key], lease: nil, within: .milliseconds(1))
        guard case .missing = answers[0] else {
          Issue.record("it has a value")
          break
        }
      }
      await store.close()
      try await server.close().get()
    }
  }
#endif
