#if HTTP
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOSSL
  internal import RangeIO
  internal import Synchronization

  /// Watches a connection of HTTP/1.1 on both sides of its parser. A connection that brings what was not asked for is
  /// closed.
  ///
  /// It refuses a status below 100 too: the client takes such a head for an informational answer, waits for another one,
  /// and stops the process when the body comes first (async-http-client 1.37).
  final class AnswerGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias Watch = AnswerWatch<HTTPResponseHead>

    /// The state that the two handlers of a connection share, on its event loop.
    fileprivate final class State {
      var watch = Watch()
      /// The connection is being closed: nothing of it counts any more.
      var isOver = false
    }
    /// The state that all connections of a client share.
    final class Shared: Sendable {
      private let repeats = Locked(RepeatedAnswers<HTTPResponseHead>())
      /// An answer was refused and the request not answered again. Without it no answer needs the lock.
      private let isWaiting = Atomic<Bool>(false)
      private let alike = Atomic<Bool>(false)

      /// Objects look alike, so connections bring one answer each.
      var areAlike: Bool { alike.load(ordering: .relaxed) }

      func believes(_ head: HTTPResponseHead, to request: Watch.Request, isSuspected: Bool) -> Bool {
        guard isSuspected || isWaiting.load(ordering: .relaxed) else { return true }
        return repeats.withLock { repeats in
          defer {
            isWaiting.store(repeats.refused != nil, ordering: .relaxed)
            alike.store(repeats.areAlike, ordering: .relaxed)
          }
          return repeats.believes(head, to: request, isSuspected: isSuspected)
        }
      }
    }

    private let state: State
    private let shared: Shared
    /// The end of an answer, held back until all bytes that came with it were parsed: the client sends the next request
    /// at once, and bytes behind the end would be taken for its answer.
    private var end: InboundIn?

    private init(_ state: State, _ shared: Shared) {
      self.state = state
      self.shared = shared
    }

    /// Puts one before the parser, and one between it and the client.
    static func add(to channel: any Channel, _ shared: Shared) -> EventLoopFuture<Void> {
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        let state = State()
        try pipeline.addHandler(ByteGuard(state), position: .before(parser))
        try pipeline.addHandler(AnswerGuard(state, shared), position: .after(parser))
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !state.isOver else { return }
      switch Self.unwrapInboundIn(data) {
      case .head(let head) where head.status.code < 100:
        refuse(context, HTTPParserError.invalidStatus)
      case .head(var head) where head.status.code >= 200:
        guard isBelieved(head) else { return refuse(context, ExchangeFault(fault: .leftOver)) }
        // Nothing would show that the next answer is another one's.
        if isLast(head) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
      case .body(let bytes):
        state.watch.took(bytes.readableBytes)
        context.fireChannelRead(data)
      case .end(let trailers):
        end = .end(trailers)
      case .head:
        context.fireChannelRead(data)
      }
    }

    private func isBelieved(_ head: HTTPResponseHead) -> Bool {
      let isSuspected = state.watch.answered(head, Int(head.status.code), isStrong: head.isStrong)
      guard let request = state.watch.request else { return true }
      return shared.believes(head, to: request, isSuspected: isSuspected)
    }

    /// True if the connection ends with the answer: its bytes show nothing of the version, or it looks like another's.
    private func isLast(_ head: HTTPResponseHead) -> Bool {
      guard [200, 206].contains(head.status.code) else { return false }
      if shared.areAlike, !head.isStrong || state.watch.request?.isPinned == false { return true }
      return head.showsNoVersion && state.watch.request?.method == "GET"
    }

    private func refuse(_ context: ChannelHandlerContext, _ error: any Error) {
      state.isOver = true
      end = nil
      context.fireErrorCaught(error)
      context.channel.closeAtOnce()
    }

    // MARK: the end

    private func passEnd(_ context: ChannelHandlerContext) {
      guard let end else { return }
      self.end = nil
      // First: the client sends the next request within the call.
      state.watch.ended()
      context.fireChannelRead(Self.wrapInboundOut(end))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      passEnd(context)
      context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
      passEnd(context)
      context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      passEnd(context)
      context.fireUserInboundEventTriggered(event)
    }

    /// Refuses bytes that follow an answer unasked: the answer counts, and the connection is closed.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard end != nil else { return context.fireErrorCaught(error) }
      // The client still has bytes of the answer, which an error would drop.
      context.fireChannelReadComplete()
      refuse(context, ExchangeFault(fault: .leftOver))
    }
  }

  /// The part of an ``AnswerGuard`` before the parser, which mends heads for it.
  private final class ByteGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let state: AnswerGuard.State
    private var mender = HeadMender()

    init(_ state: AnswerGuard.State) { self.state = state }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard case .head(var head) = Self.unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
      if let target = head.headers.first(name: TargetField.name) {
        head.uri = target
        head.headers.remove(name: TargetField.name)
      }
      let range = head.headers.first(name: "Range")
      let isPinned = head.headers.contains(name: "If-Match")
      state.watch.sent(.init(method: head.method.rawValue, target: head.uri, range: range, isPinned: isPinned))
      mender.expectHead()
      context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !state.isOver else { return }
      let bytes = Self.unwrapInboundIn(data)
      switch state.watch.received(bytes.readableBytes) {
      case nil:
        if let bytes = mender.received(bytes) { context.fireChannelRead(Self.wrapInboundOut(bytes)) }
        return
      case .unasked: context.fireErrorCaught(ExchangeFault(fault: .leftOver))
      case .overhead: context.fireErrorCaught(HTTPParserError.headerOverflow)
      }
      state.isOver = true
      context.channel.closeAtOnce()
    }

    func channelInactive(context: ChannelHandlerContext) {
      if !state.isOver, let bytes = mender.ended() { context.fireChannelRead(Self.wrapInboundOut(bytes)) }
      context.fireChannelInactive()
    }
  }

  extension HTTPResponseHead {
    /// It has neither tag nor date, nor the id of a version.
    fileprivate var showsNoVersion: Bool {
      !["ETag", "Last-Modified", "x-amz-version-id"].contains { headers.first(name: $0)?.isEmpty == false }
    }

    fileprivate var isStrong: Bool {
      headers.first(name: "ETag").flatMap { EntityTag($0) }?.isWeak == false
        || headers.contains(name: "x-amz-version-id")
    }
  }

  extension Channel {
    /// Closes without TLS's goodbye, which may take a second: until then the client would give it requests.
    func closeAtOnce() {
      // `try?`: not each connection has TLS.
      let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
      if let tls { tls.close(promise: nil) } else { close(promise: nil) }
    }
  }
#endif
