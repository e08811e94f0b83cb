#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPTypes
  internal import Synchronization

  /// Answers on the event loop, without a task, what needs no waiting: a range of an object that is open and whose bytes a
  /// cache or the page cache has. Passes all else on, what comes while a client has as many answers under way as it may, and
  /// what is more than a share of requests that come at once: what is passed on waits for its turn.
  final class ReadyHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let responder: Responder
    /// Requests that were passed on, and whose answers have not ended: what comes after them must wait for its turn.
    private var passedOn = 0
    /// The rest of a request that was answered here is still to come.
    private var isSkipping = false
    /// What came was no request: it is refused once, and the connection closed.
    private var isUnreadable = false
    /// An answer given here waits for its client, and so counts as one under way.
    private var isWaiting = false
    /// The head that comes was looked at already.
    private var isPassingOn = false
    private var lately: ReadyTarget?
    private let turn: LoopTurn
    /// The handler of the connection, and not this one of a stream, begins the turns.
    private let isTurnShared: Bool
    private let connection: ConnectedClient
    private var client: String { connection.network }

    /// - Parameter turn: that of the connection, for a stream of HTTP/2.
    init(_ responder: Responder, client: ConnectedClient, sharing turn: LoopTurn? = nil) {
      self.responder = responder
      connection = client
      self.turn = turn ?? LoopTurn()
      isTurnShared = turn != nil
    }

    func handlerRemoved(context: ChannelHandlerContext) { isTaken() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        if !isPassingOn, answer(head, context.channel, by: { send($0, isHead: head.method == .head, context) }) {
          isSkipping = true
          return
        }
        passedOn += 1
      case .body where isSkipping: return
      case .end where isSkipping:
        isSkipping = false
        return
      case .body, .end: break
      }
      context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      if !isTurnShared { turn.begin() }
      context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if error is HTTPParserError, !isUnreadable {
        isUnreadable = true
        responder.refusedUnread(connection)
      }
      context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) { passedOn -= 1 }
      context.write(data, promise: promise)
    }

    /// Passes on the head that `read` brings, which was looked at before.
    func passOn(_ read: () -> Void) {
      isPassingOn = true
      read()
      isPassingOn = false
    }

    /// Answers a request by `send`, if nothing must be waited for; `false`: it is to be passed on.
    func answer(_ head: HTTPRequest, _ channel: any Channel, by send: (Answer) -> Void) -> Bool {
      // A client that takes nothing, or has left, gets nothing more either.
      guard passedOn == 0, turn.hasRoom, channel.isActive, channel.isWritable, responder.clients.permits(client) else {
        return false
      }
      let began = responder.logTime
      guard let answer = responder.readyAnswer(to: head, lately: &lately) else { return false }
      var count = 0
      if head.method != .head, case .buffer(let buffer) = answer.body {
        count = buffer.readableBytes
        responder.counters.sent(count)
      }
      send(answer)
      turn.answered(count)
      if !channel.isWritable, !isWaiting {
        isWaiting = true
        responder.clients.beganAnyway(client)
      }
      responder.log(head, answer.status, bodyBytes: count, since: began, of: connection)
      return true
    }

    private func send(_ answer: Answer, isHead: Bool, _ context: ChannelHandlerContext) {
      let head = HTTPResponse(status: answer.status, headerFields: answer.fields)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      if !isHead, case .buffer(let buffer) = answer.body {
        context.write(wrapOutboundOut(.body(buffer)), promise: nil)
      }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if context.channel.isWritable { isTaken() }
      context.fireChannelWritabilityChanged()
    }

    /// The client has taken what was sent here.
    private func isTaken() {
      guard isWaiting else { return }
      isWaiting = false
      responder.ended(client)
    }
  }

  /// What a connection was answered since its event loop looked at all connections. Used on that loop only; atomic because streams
  /// are made by what may be sent to any.
  final class LoopTurn: Sendable {
    private let answers = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    private static let maxAnswers = 16

    var hasRoom: Bool {
      answers.load(ordering: .relaxed) < Self.maxAnswers
        && bytes.load(ordering: .relaxed) < RangeServer.Configuration.pieceSize
    }

    func answered(_ count: Int) {
      answers.add(1, ordering: .relaxed)
      bytes.add(count, ordering: .relaxed)
    }

    /// The loop has looked.
    func begin() {
      answers.store(0, ordering: .relaxed)
      bytes.store(0, ordering: .relaxed)
    }
  }
#endif
