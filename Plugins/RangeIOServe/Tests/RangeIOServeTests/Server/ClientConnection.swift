#if Serve && HTTP
  import NIOCore
  import NIOPosix
  import RangeIOHTTPTestServer

  /// A connection that a test writes to as it likes.
  final class ClientConnection: Sendable {
    let channel: any Channel
    private let ended: EventLoopFuture<[UInt8]>

    private init(_ channel: any Channel, _ ended: EventLoopFuture<[UInt8]>) {
      (self.channel, self.ended) = (channel, ended)
    }

    static func open(_ port: Int) async throws -> ClientConnection {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let ended = loop.makePromise(of: [UInt8].self)
      let channel = try await ClientBootstrap(group: loop)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer { $0.pipeline.addHandler(Collecting(ended)) }
        .connect(host: "127.0.0.1", port: port).outcome()
      return ClientConnection(channel, ended.futureResult)
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).outcome() }

    /// Waits until the server has ended its side, or the connection, and tells all that came.
    func end() async -> [UInt8] {
      // `try?`: it does not fail.
      let bytes = (try? await ended.outcome()) ?? []
      channel.close(promise: nil)
      return bytes
    }

    private final class Collecting: ChannelInboundHandler, @unchecked Sendable {
      typealias InboundIn = ByteBuffer
      private let ended: EventLoopPromise<[UInt8]>
      // `@unchecked Sendable`: used on the event loop only.
      private var bytes: [UInt8] = []

      init(_ ended: EventLoopPromise<[UInt8]>) { self.ended = ended }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
      }
      func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { ended.succeed(bytes) }
      }
      func channelInactive(context: ChannelHandlerContext) { ended.succeed(bytes) }
      func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
  }
#endif
