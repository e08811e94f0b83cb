#if HTTP

  import NIOCore

  /// One direction of a connection through a link: holds what is under way, and passes it on when it is due. Used on
  /// one event loop.
  final class LinkDirection {
    private let source: any Channel
    private let target: any Channel
    private let notBefore: Int
    private let limit: Int
    /// Takes a count and the time; returns when these bytes come out.
    private let pass: (Int, Int) -> Int
    /// Takes the count of bytes that the receiver's system has taken.
    private let delivered: @Sendable (Int) -> Void
    /// Bytes with the time at which they come out; none: the end.
    private var queue: [(due: Int, bytes: ByteBuffer?)] = []
    private var first = 0
    private var held = 0
    private var isPaused = false
    private var isTimed = false
    private var hasEnded = false
    private var lastDue = 0

    init(
      from source: any Channel, to target: any Channel, notBefore: Int, limit: Int,
      pass: @escaping (Int, Int) -> Int, delivered: @escaping @Sendable (Int) -> Void
    ) {
      self.source = source
      self.target = target
      self.notBefore = notBefore
      self.limit = limit
      self.pass = pass
      self.delivered = delivered
    }

    /// Takes bytes that have arrived now.
    func receive(_ bytes: ByteBuffer) {
      let now = max(NIODeadline.now().nanoseconds, notBefore)
      held += bytes.readableBytes
      lastDue = max(lastDue, pass(bytes.readableBytes, now))
      queue.append((lastDue, bytes))
      if held > limit, !isPaused { setPaused(true) }
      schedule()
    }

    /// The sender has ended the connection.
    func receiveEnd() {
      guard !hasEnded else { return }
      hasEnded = true
      let now = max(NIODeadline.now().nanoseconds, notBefore)
      lastDue = max(lastDue, pass(0, now))
      queue.append((lastDue, nil))
      schedule()
    }

    private func setPaused(_ isPaused: Bool) {
      self.isPaused = isPaused
      source.setOption(.autoRead, value: !isPaused).whenFailure { _ in }
    }

    private func schedule() {
      guard !isTimed, first < queue.count else { return }
      isTimed = true
      let due = NIODeadline.uptimeNanoseconds(UInt64(queue[first].due))
      target.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
        self.isTimed = false
        self.deliver()
        self.schedule()
      }
    }

    private func deliver() {
      let now = NIODeadline.now().nanoseconds
      while first < queue.count, queue[first].due <= now {
        let (_, bytes) = queue[first]
        queue[first].bytes = nil
        first += 1
        if let bytes {
          let count = bytes.readableBytes
          held -= count
          target.write(bytes).whenSuccess { [delivered] in delivered(count) }
        } else {
          end()
        }
      }
      target.flush()
      if first > 256 {
        queue.removeFirst(first)
        first = 0
      }
      if isPaused, held < limit / 2 { setPaused(false) }
    }

    /// Closes the other side once everything before is written.
    private func end() {
      let target = target
      target.writeAndFlush(ByteBuffer()).whenComplete { _ in target.close(promise: nil) }
    }
  }

  /// Brings what a connection receives to its direction of the link, in parts that are short at the link's rate.
  final class LinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let direction: LinkDirection
    private let quantum: Int

    init(_ direction: LinkDirection, quantum: Int) {
      self.direction = direction
      self.quantum = quantum
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var bytes = unwrapInboundIn(data)
      while let part = bytes.readSlice(length: min(quantum, bytes.readableBytes)), part.readableBytes > 0 {
        direction.receive(part)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { direction.receiveEnd() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

#endif
