#if Serve
  internal import NIOCore
  internal import NIOHTTPTypes

  /// Closes a connection, or a stream of HTTP/2, of which nothing comes: see ``ConnectionDeadline``. One that is closed by the server, because it
  /// stops, first takes what it was sent.
  ///
  /// There is one timer for each connection, which is not moved by each event but looks again when it ends.
  final class DeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A client that is slow but reads is seen to do so, each time it has taken so many bytes.
    private static let maxAtOnce = 32 * 1024

    private let headTimeout: Duration
    private let stallTimeout: Duration
    private var state: ConnectionDeadline?
    private var timer: Scheduled<Void>?
    /// Parts of bodies that the connection has not taken.
    private var pendingWrites = 0
    /// The client has closed its side, and may wait for the rest.
    private var hasClientClosed = false
    /// Those who wait until it is closed, once it has taken them.
    private var closing: EventLoopPromise<Void>?
    /// What is asked from here on is not answered.
    private(set) var isClosing = false

    /// Sent up the pipeline: the connection is closed at once, whatever it has still to take.
    struct CutOff: Sendable {}

    init(headTimeout: Duration, stallTimeout: Duration) {
      self.headTimeout = headTimeout
      self.stallTimeout = stallTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
      state = ConnectionDeadline(headTimeout: headTimeout, stallTimeout: stallTimeout, now: now(context))
      look(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      stop()
      // The connection is closed, in whatever way.
      isClosing = false
      closing?.succeed(())
      closing = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
      stop()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isClosing else { return }
      if case .head = unwrapInboundIn(data) { state?.headArrived() }
      context.fireChannelRead(data)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      // Closing drops what is not yet sent. Of a connection whose other side is closed, so does closing the output.
      guard mode == .all || mode == .output && hasClientClosed, pendingWrites > 0, context.channel.isActive else {
        return context.close(mode: mode, promise: promise)
      }
      isClosing = true
      closing.setOrCascade(to: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is CutOff {
        context.close(promise: nil)
        return
      }
      if case ChannelEvent.inputClosed = event {
        hasClientClosed = true
        state?.clientClosed(now: now(context))
        timer?.cancel()
        look(context)
      }
      context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      switch unwrapOutboundIn(data) {
      case .head: context.write(data, promise: promise)
      // Only bodies are ever too much for a connection.
      case .body(var body):
        while let part = Self.next(of: &body) {
          context.write(wrapOutboundOut(.body(part)), promise: began(context, context.eventLoop.makePromise()))
        }
        context.write(wrapOutboundOut(.body(body)), promise: began(context, promise ?? context.eventLoop.makePromise()))
      case .end:
        state?.answerEnded(now: now(context))
        context.write(data, promise: promise)
      }
    }

    /// Answers a request that the handler of `context`, nearer to the socket, has read.
    func answer(with bytes: (head: ByteBuffer, body: ByteBuffer?), before context: ChannelHandlerContext) {
      state?.headArrived()
      context.write(NIOAny(bytes.head), promise: nil)
      if var body = bytes.body {
        while let part = Self.next(of: &body) {
          context.write(NIOAny(part), promise: began(context, context.eventLoop.makePromise()))
        }
        context.write(NIOAny(body), promise: began(context, context.eventLoop.makePromise()))
      }
      state?.answerEnded(now: now(context))
      context.flush()
      // Most connections have taken a short answer by now. If not, nothing more is told when they have.
      guard bytes.body == nil, context.channel.isActive, Self.waits(context) else { return }
      context.writeAndFlush(NIOAny(ByteBuffer()), promise: began(context, context.eventLoop.makePromise()))
    }

    /// The connection has not taken all that was written.
    private static func waits(_ context: ChannelHandlerContext) -> Bool {
      // `try?`: of another kind of channel it is not known.
      (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) != 0
    }

    /// A part of a body that is too long to be written at once.
    private static func next(of body: inout ByteBuffer) -> ByteBuffer? {
      body.readableBytes > maxAtOnce ? body.readSlice(length: maxAtOnce) : nil
    }

    /// A part of an answer is about to be written. This is told by `taken` when the connection has taken it.
    private func began(_ context: ChannelHandlerContext, _ taken: EventLoopPromise<Void>) -> EventLoopPromise<Void> {
      state?.writeBegan(now: now(context))
      pendingWrites += 1
      taken.futureResult.assumeIsolated().whenComplete { _ in
        self.state?.writeEnded(now: self.now(context))
        self.pendingWrites -= 1
        if self.pendingWrites == 0, self.isClosing { self.endClosing(context) }
      }
      return taken
    }

    private func endClosing(_ context: ChannelHandlerContext) {
      let promise = closing
      closing = nil
      context.close(promise: promise)
    }

    private func now(_ context: ChannelHandlerContext) -> Duration { context.eventLoop.now.sinceStart }

    private func stop() {
      timer?.cancel()
      timer = nil
      state = nil
    }

    /// Closes the connection if its time is over, and otherwise looks again when it will be.
    private func look(_ context: ChannelHandlerContext) {
      timer = nil
      guard let state else { return }
      let now = now(context)
      if let deadline = state.deadline, deadline <= now {
        context.close(promise: nil)
        return
      }
      // A nearer one may begin soon.
      let soon = min(headTimeout, stallTimeout)
      let wait = state.deadline.map { min($0 - now, soon) } ?? soon
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.look(context) }
    }
  }
#endif
