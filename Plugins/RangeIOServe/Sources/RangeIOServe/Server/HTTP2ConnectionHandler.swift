#if Serve
  internal import NIOCore
  internal import NIOHTTP2

  /// Ends a connection of HTTP/2 as ``HTTP2Lifetime`` says, and at once if it breaks the rules.
  ///
  /// SwiftNIO's own handler for this closes a connection only when the client has answered a PING: one that does not would
  /// keep its descriptor for good.
  final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let turn: LoopTurn
    private var lifetime: HTTP2Lifetime
    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    /// The client has broken the rules of the connection, and was told so.
    private var isBroken = false
    private let sign = HTTP2PingData(withInteger: .random(in: 0 ... .max))

    init(idleTimeout: Duration, _ turn: LoopTurn, on loop: any EventLoop) {
      self.turn = turn
      self.loop = loop
      lifetime = HTTP2Lifetime(idleTimeout: idleTimeout, now: loop.now.sinceStart)
    }

    /// Counts the streams, and sees what ends the connection.
    struct Observer: NIOHTTP2StreamDelegate, NIOHTTP2FrameDelegate {
      let handler: NIOLoopBound<HTTP2ConnectionHandler>

      init(_ handler: HTTP2ConnectionHandler) { self.handler = NIOLoopBound(handler, eventLoop: handler.loop) }

      func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { handler.value.isBroken = true }
      }

      func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { handler.value.opened(Int(id)) }

      func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { handler.value.closed() }
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      look(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      self.context = nil
      timer?.cancel()
      timer = nil
    }

    private func opened(_ stream: Int) { lifetime.streamOpened(stream) }

    private func closed() {
      guard let context else { return }
      act(lifetime.streamClosed(now: loop.now.sinceStart), context)
      // There is a timer, unless streams were the only thing to wait for.
      if timer == nil { look(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .ping(sign, ack: true) = unwrapInboundIn(data).payload { act(lifetime.signCame(), context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      turn.begin()
      context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      switch event {
      case is ChannelShouldQuiesceEvent:
        act(lifetime.stops(now: loop.now.sinceStart), context)
        timer?.cancel()
        look(context)
      // A client that says no more cannot make room for what it is sent either.
      case is DeadlineHandler.CutOff, ChannelEvent.inputClosed: context.close(promise: nil)
      default: context.fireUserInboundEventTriggered(event)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      // An error of one stream comes here too. It has ended that stream, and the others go on.
      if isBroken { context.close(promise: nil) }
    }

    private func act(_ action: HTTP2Lifetime.Action, _ context: ChannelHandlerContext) {
      switch action {
      case .none: break
      case .announceEnd:
        goAway(after: .maxID, context)
        context.writeAndFlush(
          wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: .ping(sign, ack: false))), promise: nil)
      case .refuseAfter(let last): goAway(after: HTTP2StreamID(last), context)
      case .endAfter(let last):
        goAway(after: HTTP2StreamID(last), context)
        context.close(promise: nil)
      case .close:
        // The end of the last stream is written, and goes out when those who wrote it return.
        context.eventLoop.assumeIsolated().execute { context.close(promise: nil) }
      }
    }

    private func goAway(after last: HTTP2StreamID, _ context: ChannelHandlerContext) {
      let frame = HTTP2Frame(
        streamID: .rootStream, payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil))
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    /// Looks whether it is time, and again when it will be.
    private func look(_ context: ChannelHandlerContext) {
      timer = nil
      let now = loop.now.sinceStart
      act(lifetime.look(now: now), context)
      guard self.context != nil, let deadline = lifetime.deadline else { return }
      timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(deadline - now)) { self.look(context) }
    }
  }

  extension NIODeadline {
    /// The time since a fixed moment.
    var sinceStart: Duration { .nanoseconds(Int64(clamping: uptimeNanoseconds)) }
  }
#endif
