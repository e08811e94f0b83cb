#if HTTP
  internal import NIOCore
  internal import NIOHPACK
  internal import NIOHTTP1
  internal import NIOHTTP2

  /// Refuses answers of HTTP/2 whose status is no number from 100 to 999: the codec above stops the process for an empty or
  /// a negative one (swift-nio-http2 1.46), and the client for one below 100. And endless interim answers.
  ///
  /// Gives each request its target (``TargetField``).
  final class StreamGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private static let maxInterim = 64
    private var interim = 0
    private var hasRefused = false

    /// Puts a guard before all else of a stream.
    ///
    /// At once: the client writes the request when this is done, and stops the process if the stream ends before
    /// (async-http-client 1.37).
    static func add(to stream: any Channel) -> EventLoopFuture<Void> {
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandler(StreamGuard(), position: .first)
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasRefused else { return }
      if case .headers(let block) = Self.unwrapInboundIn(data), let status = block.headers.first(name: ":status") {
        if status.utf8.first == UInt8(ascii: "1") { interim += 1 }
        guard Self.isStatus(status), interim <= Self.maxInterim else {
          hasRefused = true
          context.fireErrorCaught(HTTPParserError.invalidStatus)
          return context.close(promise: nil)
        }
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard case .headers(var block) = Self.unwrapOutboundIn(data),
        let target = block.headers.first(name: TargetField.name)
      else { return context.write(data, promise: promise) }
      var headers = HPACKHeaders()
      for (name, value, indexing) in block.headers where name != TargetField.name {
        headers.add(name: name, value: name == ":path" ? target : value, indexing: indexing)
      }
      block.headers = headers
      context.write(Self.wrapOutboundOut(.headers(block)), promise: promise)
    }

    /// RFC 9110, 15: three digits, the first of them not zero.
    private static func isStatus(_ text: String) -> Bool {
      text.utf8.count == 3 && text.utf8.first != UInt8(ascii: "0") && text.utf8.allSatisfy { (48...57).contains($0) }
    }
  }

  /// Closes a connection of HTTP/2 that this side has given up, for too many header bytes, pings or settings.
  ///
  /// The codec says goodbye (GOAWAY), reads no more and leaves the connection open (swift-nio-http2 1.46): all its
  /// requests would wait until their time is over.
  final class GoAwayGuard: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Puts one between the codec and the network.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: NIOHTTP2Handler.self)
        try pipeline.addHandler(GoAwayGuard(), position: .before(codec))
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .byteBuffer(let bytes) = Self.unwrapOutboundIn(data), Self.isGoAway(bytes) {
        let channel = context.channel
        // After the codec has flushed it.
        context.eventLoop.execute { channel.closeAtOnce() }
      }
      context.write(data, promise: promise)
    }

    /// RFC 9113, 4.1 and 6.8. The codec writes each frame by itself, and no body of ours looks like one.
    private static func isGoAway(_ bytes: ByteBuffer) -> Bool {
      let frame = bytes.readableBytesView.prefix(9)
      guard frame.count == 9, bytes.readableBytes >= 17 else { return false }
      return frame[frame.startIndex + 3] == 7 && frame.dropFirst(5).allSatisfy { $0 == 0 }
    }
  }
#endif
