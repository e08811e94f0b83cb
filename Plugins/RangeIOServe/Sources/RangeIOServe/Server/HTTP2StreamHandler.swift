#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import NIOHTTP2
  internal import NIOHTTPTypes
  internal import NIOHTTPTypesHTTP2

  /// Makes a stream of HTTP/2 look to the handlers behind it like a connection with one request.
  final class HTTP2StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The request has come to its end.
    private var isWhole = false
    /// The answer has begun, and not come to its end.
    private var isAnswering = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(var head):
        head.takeHost()
        context.fireChannelRead(wrapInboundOut(.head(head)))
      case .end:
        isWhole = true
        context.fireChannelRead(data)
      case .body: context.fireChannelRead(data)
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      switch unwrapOutboundIn(data) {
      case .head(var head):
        isAnswering = true
        // The connection is for other streams too.
        head.headerFields[.connection] = nil
        context.write(wrapOutboundOut(.head(head)), promise: promise)
      case .body: context.write(data, promise: promise)
      case .end:
        isAnswering = false
        let isSent = promise ?? context.eventLoop.makePromise()
        if !isWhole {
          // The client need not send the rest (RFC 9113, section 8.1). Not before it has the answer, which this would drop.
          isSent.futureResult.assumeIsolated().whenSuccess { _ in
            if !self.isWhole { self.reset(.noError, context, nil) }
          }
        }
        context.write(data, promise: isSent)
      }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      // An answer that is cut off must not look like one that the server was asked to end.
      guard isAnswering, context.channel.isActive else { return context.close(mode: mode, promise: promise) }
      isAnswering = false
      reset(.internalError, context, promise)
    }

    private func reset(
      _ code: NIOHTTP2.HTTP2ErrorCode, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
      context.triggerUserOutboundEvent(NIOHTTP2FramePayloadToHTTPEvent.reset(code: code), promise: promise)
    }
  }

  extension HTTPRequest {
    /// Takes the authority from `Host` if it is there alone. Two that differ are left for the answer to refuse (RFC 9113, section
    /// 8.3.1).
    fileprivate mutating func takeHost() {
      let hosts = headerFields[values: .host]
      guard hosts.count == 1, authority == nil || authority?.lowercased() == hosts[0].lowercased() else { return }
      authority = authority ?? hosts[0]
      headerFields[.host] = nil
    }
  }
#endif
