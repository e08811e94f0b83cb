#if HTTP

  import NIOCore
  import NIOHPACK
  import NIOHTTP2

  /// A stream of HTTP/2: one request, and what the script answers.
  final class StreamHandler: ChannelInboundHandler, StepOutput {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    let largestWrite = 1 << 14
    private let core: ServerCore
    /// The end of the connection's pipeline. On the same event loop.
    private let end: NIOLoopBound<WireEnd>
    private var context: ChannelHandlerContext?
    private var request: ServerRequest?
    private var player: StepPlayer?
    private var answer = ScriptedAnswer(200)

    init(_ core: ServerCore, _ end: NIOLoopBound<WireEnd>) {
      self.core = core
      self.end = end
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
      self.context = nil
      player?.stop()
      player = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .headers(let headers) where request == nil:
        request = Self.request(of: headers.headers)
        if headers.endStream { play() }
      case .data(let data):
        if case .byteBuffer(let buffer) = data.data, let count = request?.body.count, count < 1 << 20 {
          request?.body += buffer.readableBytesView
        }
        if data.endStream { play() }
      default: break
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private static func request(of headers: HPACKHeaders) -> ServerRequest {
      var request = ServerRequest(method: "", target: "/")
      for (name, value, _) in headers {
        switch name {
        case ":method": request.method = value
        case ":path": request.target = value
        case let name where name.hasPrefix(":"): break
        default: request.fields.append(ServedField(name, value))
        }
      }
      request.isHTTP2 = true
      return request
    }

    private func play() {
      guard var request, player == nil, let context else { return }
      request.connection = end.value.number
      request.numberOnConnection = (streamNumber - 1) / 2
      answer = core.answer(&request)
      let player = StepPlayer(answer.streamSteps, to: self, on: context.eventLoop)
      self.player = player
      player.resume()
    }

    /// The number of this stream: 1, 3, 5.
    private var streamNumber: Int {
      // `try?`: the option of a stream that has its number, as each does that brought a request.
      let id = try? context?.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
      return id.map { Int($0) } ?? 1
    }

    /// The headers come as one step, since HTTP/2 has them compressed in one frame.
    func send(_ bytes: ArraySlice<UInt8>, isBody: Bool, flushes: Bool) -> EventLoopFuture<Void> {
      guard let context else { return end.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
      guard isBody else {
        let sent = context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: endsWithHead))))
        if flushes { context.flush() }
        return sent
      }
      let sent = context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes))))))
      let (log, count) = (core.log, bytes.count)
      sent.whenSuccess { log.sent(count) }
      return sent
    }

    private var headers: HPACKHeaders {
      var headers = HPACKHeaders([(":status", "\(answer.status)")])
      let forbidden = ["connection", "transfer-encoding", "keep-alive", "upgrade"]
      for field in answer.fields where !forbidden.contains(field.name.lowercased()) {
        headers.add(name: field.name.lowercased(), value: field.value)
      }
      return headers
    }

    private var endsWithHead: Bool {
      (answer.isBodyless || answer.body.isEmpty) && answer.interruptions.isEmpty && answer.ending == .keepAlive
    }

    func perform(_ action: Interruption.Action) -> Bool {
      switch action {
      case .reset: end.value.close(isReset: true)
      case .closeWithoutNotify: end.value.close(isReset: false)
      case .close: context?.channel.parent?.close(promise: nil)
      case .resetStream: context?.writeAndFlush(wrapOutboundOut(.rstStream(.internalError)), promise: nil)
      case .goAway:
        goAway(last: streamNumber)
        return true
      case .refuseStream: goAway(last: streamNumber - 2)
      case .pings(let count):
        flood(count, .ping(HTTP2PingData(withInteger: 1), ack: false))
        return true
      case .settings(let count):
        flood(count, .settings(.settings([])))
        return true
      default: return true
      }
      return false
    }

    private func flood(_ count: Int, _ payload: HTTP2Frame.FramePayload) {
      guard let connection = context?.channel.parent else { return }
      for _ in 0..<count { connection.write(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil) }
      connection.flush()
    }

    private func goAway(last stream: Int) {
      let frame = HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(lastStreamID: HTTP2StreamID(max(0, stream)), errorCode: .noError, opaqueData: nil))
      context?.channel.parent?.writeAndFlush(frame, promise: nil)
    }

    func finish() {
      guard let context else { return }
      switch answer.ending {
      case .keepAlive:
        guard !endsWithHead else { return }
        let last = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))
        context.writeAndFlush(wrapOutboundOut(last), promise: nil)
      case .close: _ = perform(.close)
      case .closeWithoutNotify: _ = perform(.closeWithoutNotify)
      case .reset: _ = perform(.reset)
      }
    }
  }

  extension ScriptedAnswer {
    /// The answer as steps of a stream of HTTP/2: the head is one step, which stands for the frame.
    fileprivate var streamSteps: [WireStep] {
      let before = interruptions.compactMap { one -> WireStep? in
        if case .head = one.place { .act(one.action) } else { nil }
      }
      let content = cut(isBodyless ? [] : body, isBody: true) { if case .body(let offset) = $0 { offset } else { nil } }
      return before + [.send([], isBody: false)] + content
    }
  }

#endif
