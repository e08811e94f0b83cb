#if Serve
  internal import NIOCore
  internal import NIOTLS

  /// Closes a connection whose TLS is not agreed upon in time, or when the server stops. Leaves when it is agreed upon: what
  /// speaks HTTP looks after the connection from then on.
  final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let limit: TimeAmount
    private var timer: Scheduled<Void>?

    init(limit: Duration) { self.limit = TimeAmount(limit) }

    func handlerAdded(context: ChannelHandlerContext) {
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      timer?.cancel()
      timer = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      switch event {
      case is ChannelShouldQuiesceEvent, is DeadlineHandler.CutOff: context.close(promise: nil)
      // No more of it will come.
      case ChannelEvent.inputClosed: context.close(promise: nil)
      case TLSUserEvent.handshakeCompleted:
        context.fireUserInboundEventTriggered(event)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        return
      default: break
      }
      context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
#endif
