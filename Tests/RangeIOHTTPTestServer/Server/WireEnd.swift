#if HTTP

  import Foundation
  import NIOCore

  /// The end of a pipeline at the socket. Closes connections without a word of what is above it, such as TLS, and
  /// counts them.
  final class WireEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let core: ServerCore
    private var context: ChannelHandlerContext?
    /// The number of the connection.
    private(set) var number = 0

    init(_ core: ServerCore) { self.core = core }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      number = core.opened(NIOLoopBound(self, eventLoop: context.eventLoop))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      self.context = nil
      core.closed(number)
    }

    /// Closes the connection: by a reset, or by the end of the stream.
    func close(isReset: Bool) {
      guard let context else { return }
      if isReset, let socket = context.channel as? any SocketOptionProvider {
        // No lingering: the kernel drops what was not sent, and sends a reset.
        _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
      }
      context.close(mode: .all, promise: nil)
    }

    // What breaks a connection is the business of tests, not of the log.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

#endif
