#if Serve
  internal import NIOCore
  internal import NIOHTTP1

  /// Decides which request is the last of its connection (RFC 9112, sections 9.3 and 9.6): one of HTTP/1.0, or whose
  /// `Connection` says so, in whichever case and list.
  ///
  /// Handlers behind it see `Connection: close` in this request and no such field in others. Its answer says the same,
  /// and what follows it on the connection is dropped.
  final class PersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Reading {
      case requests
      /// The last one, up to its end.
      case last
      case nothing
    }
    private var reading = Reading.requests
    /// Requests whose answer has not begun.
    private var unanswered = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch (unwrapInboundIn(data), reading) {
      case (_, .nothing): return
      case (.head(var head), _):
        let isKept = head.isKeepAlive && head.version == .http1_1
        head.headers.remove(name: "Connection")
        if !isKept {
          head.headers.add(name: "Connection", value: "close")
          reading = .last
        }
        unanswered += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
      case (.end, .last):
        reading = .nothing
        context.fireChannelRead(data)
      case (.body, _), (.end, _): context.fireChannelRead(data)
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
      unanswered -= 1
      let isLast = unanswered == 0 && reading != .requests
      if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
  }
#endif
