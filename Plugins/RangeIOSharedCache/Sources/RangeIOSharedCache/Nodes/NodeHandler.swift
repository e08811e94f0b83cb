#if SharedCache
  internal import NIOCore
  internal import RangeIO

  /// One connection to a node: matches replies with commands by their order. On its event loop only.
  final class NodeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Called with a reply; with `nil` if the connection has ended before it.
    typealias Answered = (NodeReply?) -> Void

    private var parser: any ReplyParser
    private var waiting = CircularBuffer<Answered>()
    private var context: ChannelHandlerContext?
    private var isEnded = false
    private var isFlushDue = false
    /// Why it was ended, if the node is to blame.
    private(set) var fault: ProtocolFault?
    /// When the last bytes came, or the first command was sent.
    private(set) var lastSign: NIODeadline = .now()
    /// When the last whole reply came, or the first command was sent.
    private(set) var lastReply: NIODeadline = .now()
    /// The whole replies so far.
    private(set) var replyCount = 0
    /// When the last bytes came, as ``NodeBatch/now`` tells it; zero before there were any.
    private(set) var lastBytes: Int64 = 0
    /// A timer will look at ``lastSign``.
    var isWatched = false
    /// Called once, when the connection is not used any more.
    var ended: () -> Void = {}

    init(_ parser: any ReplyParser) { self.parser = parser }

    /// Memory to write commands to.
    func buffer(for count: Int) -> ByteBuffer {
      context?.channel.allocator.buffer(capacity: count) ?? ByteBuffer()
    }

    /// The number of replies that are awaited.
    var waitingCount: Int { waiting.count }

    /// Sends commands, one for each of `answered`.
    func send(_ buffer: ByteBuffer, _ answered: [Answered]) {
      guard let context, !isEnded else {
        for one in answered { one(nil) }
        return
      }
      if waiting.isEmpty {
        lastSign = .now()
        lastReply = lastSign
      }
      waiting.append(contentsOf: answered)
      context.write(NIOAny(buffer), promise: nil)
      // Together with what else is asked for in this turn of the loop: one call of the system for all.
      guard !isFlushDue else { return }
      isFlushDue = true
      context.eventLoop.assumeIsolated().execute { [self] in
        isFlushDue = false
        self.context?.flush()
      }
    }

    /// Closes the connection. All that wait are told.
    func end(_ fault: ProtocolFault? = nil) {
      guard !isEnded else { return }
      isEnded = true
      self.fault = fault
      ended()
      ended = {}
      context?.close(promise: nil)
      let all = waiting
      waiting = []
      for one in all { one(nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
      self.context = nil
      end()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isEnded else { return }
      lastSign = .now()
      lastBytes = NodeBatch.now
      do {
        try unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
          try parser.consume(bytes) { reply in
            guard let answered = waiting.popFirst() else { throw ProtocolFault("an answer that was not asked for") }
            lastReply = lastSign
            replyCount += 1
            answered(reply)
          }
        }
      } catch {
        end(error as? ProtocolFault ?? ProtocolFault("\(error)"))
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      end()
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      end(waiting.isEmpty ? nil : ProtocolFault(FaultText.of(error)))
    }
  }
#endif
