#if HTTP

  import NIOCore

  /// A connection of HTTP/1.1: takes one request after the other and plays what the script answers.
  final class ConnectionHandler: ChannelInboundHandler, StepOutput {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let largestWrite = 1 << 16
    private let core: ServerCore
    private let end: WireEnd
    private let eventLoop: any EventLoop
    private var parser = RequestParser()
    private var context: ChannelHandlerContext?
    private var player: StepPlayer?
    private var ending = ScriptedAnswer.Ending.keepAlive
    private var answered = 0

    init(_ core: ServerCore, _ end: WireEnd, on eventLoop: any EventLoop) {
      self.core = core
      self.end = end
      self.eventLoop = eventLoop
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
      self.context = nil
      player?.stop()
      player = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      parser.add(unwrapInboundIn(data))
      answerNext()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answerNext() {
      guard player == nil, context != nil else { return }
      do throws(RequestParser.Failure) {
        guard var request = try parser.next() else { return }
        request.connection = end.number
        request.numberOnConnection = answered
        play(core.answer(&request))
      } catch {
        let answer = ScriptedAnswer(400, [ServedField("Connection", "close")], text: "\(error)\n")
        play(answer)
        ending = .close
      }
    }

    private func play(_ answer: ScriptedAnswer) {
      var answer = answer
      ending = answer.ending
      answered += 1
      if let limit = core.configuration.limit, answered >= limit.requests {
        limit.apply(to: &answer, &ending, answered)
      }
      let player = StepPlayer(answer.wireSteps, to: self, on: eventLoop)
      self.player = player
      player.resume()
    }

    func send(_ bytes: ArraySlice<UInt8>, isBody: Bool, flushes: Bool) -> EventLoopFuture<Void> {
      guard let context else { return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
      let sent = context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)))
      if flushes { context.flush() }
      let (log, count) = (core.log, bytes.count)
      if isBody { sent.whenSuccess { log.sent(count) } }
      return sent
    }

    func perform(_ action: Interruption.Action) -> Bool {
      switch action {
      case .reset, .resetStream, .refuseStream: end.close(isReset: true)
      case .closeWithoutNotify: end.close(isReset: false)
      case .close: context?.close(promise: nil)
      default: return true
      }
      return false
    }

    func finish() {
      player = nil
      switch ending {
      case .keepAlive: answerNext()
      case .close: _ = perform(.close)
      case .closeWithoutNotify: _ = perform(.closeWithoutNotify)
      case .reset: _ = perform(.reset)
      }
    }
  }

  extension ConnectionLimit {
    fileprivate func apply(to answer: inout ScriptedAnswer, _ ending: inout ScriptedAnswer.Ending, _ answered: Int) {
      switch manner {
      case .announced:
        answer.fields["Connection"] = "close"
        ending = .close
      case .silent: ending = .close
      case .resetsNext:
        if answered > requests { answer.interruptions = [Interruption(.reset, at: .head(0))] }
      }
    }
  }

#endif
