#if HTTP
  internal import NIOCore
  internal import NIOHPACK
  internal import NIOHTTP1
  internal import NIOHTTP2

  /// Refuses answers of HTTP/1.1 whose status is below 100.
  ///
  /// The client takes such a head for an informational answer, waits for another one, and stops the process when the body
  /// comes first (async-http-client 1.37). A server must not be able to do that.
  final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var hasRefused = false

    /// Puts a guard between the parser and the client.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(StatusGuard(), position: .after(parser))
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasRefused else { return }
      if case .head(let head) = Self.unwrapInboundIn(data), head.status.code < 100 {
        hasRefused = true
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        return context.close(promise: nil)
      }
      context.fireChannelRead(data)
    }
  }

  /// Refuses answers of HTTP/2 whose status is no number from 100 to 999: the codec above stops the process for an empty or
  /// a negative one (swift-nio-http2 1.46), and the client for one below 100.
  final class StreamStatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var hasRefused = false

    /// Puts a guard before all else of a stream.
    ///
    /// At once: the client writes the request when this is done, and stops the process if the stream ends before
    /// (async-http-client 1.37).
    static func add(to stream: any Channel) -> EventLoopFuture<Void> {
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandler(StreamStatusGuard(), position: .first)
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasRefused else { return }
      if case .headers(let block) = Self.unwrapInboundIn(data), let status = block.headers.first(name: ":status"),
        !Self.isStatus(status)
      {
        hasRefused = true
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        return context.close(promise: nil)
      }
      context.fireChannelRead(data)
    }

    /// RFC 9110, 15: three digits, the first of them not zero.
    private static func isStatus(_ text: String) -> Bool {
      text.utf8.count == 3 && text.utf8.first != UInt8(ascii: "0") && text.utf8.allSatisfy { (48...57).contains($0) }
    }
  }
#endif
