#if HTTP
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import NIOHTTP1
  internal import RangeIO
  internal import Synchronization

  /// One request and its answer.
  ///
  /// The head is judged on the event loop, before any byte of the body. Wanted bytes are copied to a ``BodySink``. One
  /// waiter is resumed, once, with the ``Outcome``.
  ///
  /// A waiter that goes away calls ``leave()``. Then the rest of a short body runs out, and the connection is kept;
  /// otherwise it is closed.
  final class Exchange: HTTPClientResponseDelegate, Watched, @unchecked Sendable {
    // Unchecked: the client calls a delegate on one event loop, which alone touches `body`, `mode` and `times`. All else is
    // constant, atomic or locked.
    typealias Response = Void

    /// What to do with a body.
    enum BodyUse: Sendable {
      case take(BodyPlan)
      /// The first `most` bytes are collected, for what they say about an error.
      case collect(most: Int)
      case none
    }

    /// What came of it.
    enum Outcome: Sendable {
      case noHead(TransportFault)
      /// A head, whose body was not wanted.
      case head
      case body(BodyEnd, taken: Int)
      case collected([UInt8])
      /// The receiver of the bytes, or the memory for them, failed.
      case sinkFailed(any Error)
    }

    /// How long it took, in nanoseconds of the watch's clock; zero for what did not happen.
    struct Times: Sendable {
      var sent: Int64 = 0
      var head: Int64 = 0
      var end: Int64 = 0
      var received = 0
    }

    /// The limits of one request.
    struct Limits: Sendable {
      let connect: Int64
      let head: Int64
      let idle: Int64
      /// When the whole read is late.
      let deadline: Int64
      /// The bytes that are read to the end rather than that the connection is closed.
      let drain: Int
      let leastBytesPerSecond: Int
      let rateWindow: Duration
    }

    enum Phase: UInt8, AtomicRepresentable {
      case connecting, sent, body
    }

    private enum Mode {
      case head
      case taking(skip: Int, take: Int, rest: Int?)
      case collecting(most: Int)
      /// Nothing is wanted any more; more bytes than these close the connection.
      case dropping(left: Int)
    }

    private struct Control {
      var task: HTTPClient.Task<Void>?
      var fault: TransportFault?
      var floor: RateFloor?
    }

    /// Resumes the waiter.
    let answer = Promise<(outcome: Outcome, times: Times)>()
    private let target: String
    private let isHead: Bool
    private let sink: BodySink?
    private let limits: Limits
    private let judge: @Sendable (ResponseHead) -> BodyUse
    private let ended: @Sendable (Exchange) -> Void

    private var mode = Mode.head
    private var times = Times()
    private var taken = 0
    private var extra = 0
    private var collected: [UInt8] = []
    private var hasEnded = false

    private let control = Locked(Control())
    private let phase = Atomic<Phase>(.connecting)
    /// When the phase began, or the last byte came.
    private let since = Atomic<Int64>(Watch.now)
    private let received = Atomic<Int>(0)
    /// When the waiter left; zero while it waits.
    private let leftAt = Atomic<Int64>(0)
    /// The bytes of the body that are still to come, as far as is known; -1 if not.
    private let toCome = Atomic<Int>(-1)

    /// - Parameters:
    ///   - target: the path and query that must be on the wire.
    ///   - sink: where the wanted bytes go.
    ///   - judge: called with the head, once, on the event loop.
    ///   - ended: called once, when the request uses its connection no more.
    init(
      target: String, isHead: Bool, sink: BodySink?, limits: Limits,
      judge: @escaping @Sendable (ResponseHead) -> BodyUse, ended: @escaping @Sendable (Exchange) -> Void
    ) {
      self.target = target
      self.isHead = isHead
      self.sink = sink
      self.limits = limits
      self.judge = judge
      self.ended = ended
    }

    /// Sends `request` with `client`.
    func start(_ request: HTTPClient.Request, with client: HTTPClient) {
      let task = client.execute(request: request, delegate: self)
      let fault = control.withLock { control -> TransportFault? in
        control.task = task
        return control.fault
      }
      if let fault { task.fail(reason: ExchangeFault(fault: fault)) }
    }

    /// The request is ended with `fault`, unless it has ended before.
    private func fail(_ fault: TransportFault) {
      let task = control.withLock { control -> HTTPClient.Task<Void>? in
        if control.fault == nil { control.fault = fault }
        return control.task
      }
      task?.fail(reason: ExchangeFault(fault: fault))
    }

    // MARK: from other threads

    func stop() { fail(.other("the source was closed")) }

    /// Nobody waits for the answer any more.
    func leave() {
      leftAt.store(Watch.now, ordering: .relaxed)
      let rest: Int
      switch phase.load(ordering: .acquiring) {
      case .connecting: rest = .max
      case .sent, .body: rest = toCome.load(ordering: .relaxed)
      }
      if rest < 0 || rest > limits.drain { stop() }
    }

    /// Says how many bytes the answer will have, if it is right. Call it before ``start(_:with:)``.
    func expect(_ count: Int) { toCome.store(count, ordering: .relaxed) }

    func check(at now: Int64) {
      let since = since.load(ordering: .relaxed)
      let left = leftAt.load(ordering: .relaxed)
      if left > 0 {
        // Draining is for the sake of time: it must not take long.
        if now - left > 1_000_000_000 { stop() }
        return
      }
      if now > limits.deadline { return fail(.deadline) }
      switch phase.load(ordering: .acquiring) {
      case .connecting:
        // The client has a limit of its own for each step of connecting. This one is for all of them.
        if now - since > 2 * limits.connect { fail(.connectTimeout) }
      case .sent:
        if now - since > limits.head { fail(.headTimeout) }
      case .body:
        if now - since > limits.idle { return fail(.stalled) }
        checkRate(now)
      }
    }

    private func checkRate(_ now: Int64) {
      let count = received.exchange(0, ordering: .relaxed)
      let time = Duration.nanoseconds(now)
      let isTooSlow = control.withLock { control -> Bool in
        var floor =
          control.floor
          ?? RateFloor(
            bytesPerSecond: limits.leastBytesPerSecond, window: limits.rateWindow, at: time)
        floor.received(count, at: time)
        let isTooSlow = floor.isTooSlow(at: time)
        control.floor = floor
        return isTooSlow
      }
      if isTooSlow { fail(.tooSlow) }
    }

    // MARK: from the event loop

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
      times.sent = Watch.now
      since.store(times.sent, ordering: .relaxed)
      phase.store(.sent, ordering: .releasing)
      // Foundation's URL may encode again what is encoded: then it is another object, or the signature does not match.
      if head.uri != target {
        fail(.other("the client cannot send this path as it is: percent-encode all but letters, digits and / in it"))
      }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
      times.head = Watch.now
      since.store(times.head, ordering: .relaxed)
      phase.store(.body, ordering: .releasing)
      var fields = HeaderFields()
      for (name, value) in head.headers {
        do { try fields.append(name, value) } catch { return close(task, .noHead(.giantHeaders)) }
      }
      let response = ResponseHead(status: Int(head.status.code), fields: fields)
      let length = isHead ? 0 : fields["Content-Length"].flatMap { Int($0) }
      toCome.store(length ?? -1, ordering: .relaxed)
      guard leftAt.load(ordering: .relaxed) == 0 else { return drop(task, length) }
      switch judge(response) {
      case .take(let plan):
        mode = .taking(skip: plan.skip, take: plan.take, rest: plan.rest)
      case .collect(let most):
        mode = .collecting(most: most)
      case .none:
        // A short body is awaited, so that the next request finds the connection free.
        if let length, length <= 16_384 {
          mode = .dropping(left: length)
          return task.eventLoop.makeSucceededVoidFuture()
        }
        finish(.head)
        return drop(task, length)
      }
      return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
      let count = buffer.readableBytes
      times.received += count
      received.wrappingAdd(count, ordering: .relaxed)
      since.store(Watch.now, ordering: .relaxed)
      if toCome.load(ordering: .relaxed) >= 0 { toCome.wrappingSubtract(count, ordering: .relaxed) }
      if leftAt.load(ordering: .relaxed) > 0, !isDropping { mode = .dropping(left: limits.drain) }
      switch mode {
      case .head: return close(task, .noHead(.malformed("a body comes before its head")))
      case .taking(let skip, let take, let rest): return takePart(task, buffer, skip, take, rest)
      case .collecting(let most):
        collected += buffer.readableBytesView.prefix(most - collected.count)
        return collected.count < most ? task.eventLoop.makeSucceededVoidFuture() : close(task, .collected(collected))
      case .dropping(let left):
        guard count <= left else { return close(task, .head) }
        mode = .dropping(left: left - count)
        return task.eventLoop.makeSucceededVoidFuture()
      }
    }

    private func takePart(
      _ task: HTTPClient.Task<Void>, _ buffer: ByteBuffer, _ skip: Int, _ take: Int, _ rest: Int?
    ) -> EventLoopFuture<Void> {
      let count = buffer.readableBytes
      let skipped = min(skip, count)
      let wanted = min(take - taken, count - skipped)
      mode = .taking(skip: skip - skipped, take: take, rest: rest)
      if wanted > 0 {
        do {
          try buffer.withUnsafeReadableBytes { bytes in
            try sink?.write(UnsafeRawBufferPointer(rebasing: bytes[skipped..<skipped + wanted]))
          }
        } catch {
          return close(task, .sinkFailed(error))
        }
        taken += wanted
      }
      extra += count - skipped - wanted
      if let rest, extra > rest { return close(task, .body(.overran, taken: taken)) }
      // All is there. With nothing to follow the end is awaited, so that the next request finds the connection free.
      guard taken == take, rest != 0 else { return task.eventLoop.makeSucceededVoidFuture() }
      finish(.body(.stopped, taken: taken))
      return drop(task, rest.map { $0 - extra })
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
      switch mode {
      case .head: finish(.noHead(.malformed("it ends before its head")))
      case .taking: finish(.body(.complete, taken: taken))
      case .collecting: finish(.collected(collected))
      case .dropping: finish(.head)
      }
      end()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
      let fault = TransportFault(error, isSent: times.sent > 0)
      switch mode {
      case .head: finish(.noHead(fault))
      case .taking(_, let take, _): finish(.body(taken == take ? .stopped : .fault(fault), taken: taken))
      case .collecting: finish(.collected(collected))
      case .dropping: finish(.head)
      }
      end()
    }

    private var isDropping: Bool {
      if case .dropping = mode { true } else { false }
    }

    // MARK: ending

    /// Resumes the waiter, unless it was before.
    private func finish(_ outcome: Outcome) {
      if times.end == 0 { times.end = Watch.now }
      answer.resolve(.success((outcome, times)))
    }

    private func end() {
      guard !hasEnded else { return }
      hasEnded = true
      ended(self)
    }

    /// Resumes the waiter and closes the connection.
    private func close(_ task: HTTPClient.Task<Void>, _ outcome: Outcome) -> EventLoopFuture<Void> {
      finish(outcome)
      mode = .dropping(left: 0)
      return task.eventLoop.makeFailedFuture(ExchangeFault(fault: .other("the rest of the answer is not wanted")))
    }

    /// Lets a rest run out that is short, and closes the connection for a longer one. `nil`: its length is not known.
    private func drop(_ task: HTTPClient.Task<Void>, _ rest: Int?) -> EventLoopFuture<Void> {
      guard rest ?? 0 <= limits.drain else { return close(task, .head) }
      mode = .dropping(left: limits.drain)
      return task.eventLoop.makeSucceededVoidFuture()
    }
  }
#endif
