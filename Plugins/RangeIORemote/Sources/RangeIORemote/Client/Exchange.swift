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
    // Unchecked: `start` sets `ended`, `silent` and `arrived` before the client gets the request. The client calls a delegate on one
    // event loop, which alone touches `mode`, `follower`, `times` and the counts of bytes. All else is constant, atomic or locked.
    typealias Response = Void

    /// The use of a body.
    enum BodyUse: Sendable {
      case take(BodyPlan)
      /// It is taken after the waiter has gone on, which ``Outcome/follows`` tells; this one is told when it ends.
      case follow(BodyPlan, OpeningBody)
      /// The first `most` bytes are collected, for what they say about an error.
      case collect(most: Int)
      case none
      /// The answer contradicts its request: not a byte of its connection is believed any more.
      case refuse
    }

    /// The result of the exchange.
    enum Outcome: Sendable {
      case noHead(TransportFault)
      /// A head, whose body was not wanted.
      case head
      /// A head, whose body is taken from now on.
      case follows
      case body(BodyEnd, taken: Int)
      /// What was collected of the body: all of it, or as much as was wanted, unless there is a fault that it broke off with.
      case collected([UInt8], TransportFault?)
      /// The receiver of the bytes, or the memory for them, failed.
      case sinkFailed(any Error)

      /// The server said nothing for too long, so its connection may be dead.
      var isSilence: Bool {
        switch self {
        case .noHead(.headTimeout), .noHead(.connectTimeout), .body(.fault(.stalled), _), .collected(_, .stalled): true
        default: false
        }
      }
    }

    /// Points of time, in nanoseconds of the watch's clock, zero for what did not happen; and the bytes received.
    struct Times: Sendable {
      var sent: Int64 = 0
      var head: Int64 = 0
      var end: Int64 = 0
      var received = 0
    }

    /// The request, as far as its answer needs it.
    struct Sent: Sendable {
      let isHead: Bool
      /// The bytes that the answer should have.
      let expected: Int
      /// A proxy answers for the server.
      var isForwarded = false
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
      let isHTTP2: Bool
      let minBytesPerSecond: Int
      let rateWindow: Duration
    }

    enum Phase: UInt8, AtomicRepresentable {
      /// Waiting for its turn.
      case queued
      case connecting, sent, body
    }

    enum Mode {
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
    let request: Sent
    let sink: BodySink?
    let limits: Limits
    let judge: @Sendable (ResponseHead) -> BodyUse
    /// Called once, when the request uses its connection no more.
    private var ended: @Sendable () -> Void = {}
    /// Called before the waiter is resumed, if the server said nothing for too long.
    private(set) var silent: @Sendable () -> Void = {}
    /// Called with the count of each part of the body as it comes.
    private(set) var arrived: @Sendable (Int) -> Void = { _ in }

    /// What is told how the body ends, if the waiter has gone on before.
    var follower: OpeningBody?
    var mode = Mode.head
    var times = Times()
    var taken = 0
    var extra = 0
    var collected: [UInt8] = []
    private var hasEnded = false

    private let control = Locked(Control())
    let phase = Atomic<Phase>(.queued)
    /// The client is given the request just now.
    private let isStarting = Atomic<Bool>(false)
    /// When the phase began, or the last byte came.
    let since = Atomic<Int64>(Watch.now)
    let received = Atomic<Int>(0)
    /// When the waiter left; zero while it waits.
    let leftAt = Atomic<Int64>(0)
    /// When all that is wanted was there, so that only the end of the answer is awaited; zero before.
    let servedAt = Atomic<Int64>(0)
    /// The bytes of the body that are still to come, as far as is known; -1 if not.
    let toCome = Atomic<Int>(-1)

    /// - Parameters:
    ///   - sink: where the wanted bytes go.
    ///   - judge: called with the head, once, on the event loop.
    init(
      _ request: Sent, into sink: BodySink?, limits: Limits, judge: @escaping @Sendable (ResponseHead) -> BodyUse
    ) {
      self.request = request
      self.sink = sink
      self.limits = limits
      self.judge = judge
      toCome.store(request.expected, ordering: .relaxed)
    }

    /// Sends `request` with `client`.
    ///
    /// - Parameters:
    ///   - silent: called before the waiter is resumed, if the server said nothing for too long.
    ///   - arrived: called with the count of each part of the body as it comes, on the event loop.
    ///   - ended: called once, when the request uses its connection no more, usually on the event loop.
    func start(
      _ request: HTTPClient.Request, with client: HTTPClient, on loop: HTTPClient.EventLoopPreference,
      silent: @escaping @Sendable () -> Void = {}, arrived: @escaping @Sendable (Int) -> Void = { _ in },
      ended: @escaping @Sendable () -> Void
    ) {
      self.ended = ended
      self.silent = silent
      self.arrived = arrived
      since.store(Watch.now, ordering: .relaxed)
      phase.store(.connecting, ordering: .releasing)
      isStarting.store(true, ordering: .relaxed)
      defer { isStarting.store(false, ordering: .relaxed) }
      let task = client.execute(request: request, delegate: self, eventLoop: loop)
      let fault = control.withLock { control -> TransportFault? in
        control.task = task
        return control.fault
      }
      if let fault { task.fail(reason: ExchangeFault(fault: fault)) }
      // A client that was shut down since tells only its task. Only those of HTTP/2 are retired in use.
      if limits.isHTTP2 { task.futureResult.whenFailure { [self] in didReceiveError(task: task, $0) } }
    }

    /// The request is ended with `fault`, unless it has ended before.
    func fail(_ fault: TransportFault) {
      let task = control.withLock { control -> HTTPClient.Task<Void>? in
        if control.fault == nil { control.fault = fault }
        return control.task
      }
      task?.fail(reason: ExchangeFault(fault: fault))
    }

    /// Why ``fail(_:)`` ended the request; `nil` if it did not.
    var stopped: TransportFault? { control.withLock { $0.fault } }

    /// The request uses its connection no more.
    func end(on loop: any EventLoop) {
      guard !hasEnded else { return }
      hasEnded = true
      let ended = ended
      self.ended = {}
      // The end of one request sends the next. If each of them failed at once, the stack would grow with the queue.
      if isStarting.load(ordering: .relaxed) { loop.execute(ended) } else { ended() }
    }

    // MARK: from other threads

    func stop() { fail(.closed) }

    /// The answer is not waited for any more.
    func leave() {
      // In one order with what `didSendRequestHead` does, so that one of the two sees the other and cancels.
      leftAt.store(Watch.now, ordering: .sequentiallyConsistent)
      let rest: Int
      switch phase.load(ordering: .sequentiallyConsistent) {
      // The client counts a stream that is cancelled before its head is sent as in use for ever (async-http-client
      // 1.37), so `didSendRequestHead` cancels it.
      case .queued, .connecting: rest = limits.isHTTP2 ? 0 : .max
      case .sent, .body: rest = toCome.load(ordering: .relaxed)
      }
      if rest < 0 || rest > limits.drain { stop() }
    }

    func check(at now: Int64) {
      // Before `since`, which is set first: a request that begins just now must not be taken for one that began when it was
      // queued.
      let phase = phase.load(ordering: .acquiring)
      let since = since.load(ordering: .relaxed)
      let (left, served) = (leftAt.load(ordering: .relaxed), servedAt.load(ordering: .relaxed))
      if left > 0 || served > 0 {
        // Draining is for the sake of time: it must not take long.
        if now - max(left, served) > 1_000_000_000 { stop() }
        return
      }
      if now > limits.deadline {
        guard phase == .queued else { return fail(.deadline) }
        return answer.fail(
          Failure.late("other reads of this server came first; permit more connections, or more time"))
      }
      switch phase {
      case .queued: break
      case .connecting:
        // The client has a limit of its own for connecting, which a few of its waits do not count to.
        if (now - since) / 2 > limits.connect { fail(.connectTimeout) }
      case .sent:
        if now - since > limits.head { fail(.headTimeout) }
      case .body:
        // Its reader wants no more for now.
        if since == .max { return }
        if now - since > limits.idle { return fail(.stalled) }
        checkRate(now)
      }
    }

    /// The rate is measured from now on.
    func forgetRate() { control.withLock { $0.floor = nil } }

    private func checkRate(_ now: Int64) {
      let count = received.exchange(0, ordering: .relaxed)
      let time = Duration.nanoseconds(now)
      let isTooSlow = control.withLock { control -> Bool in
        var floor =
          control.floor
          ?? RateFloor(
            bytesPerSecond: limits.minBytesPerSecond, window: limits.rateWindow, at: time)
        floor.received(count, at: time)
        let isTooSlow = floor.isTooSlow(at: time)
        control.floor = floor
        return isTooSlow
      }
      if isTooSlow { fail(.tooSlow) }
    }
  }
#endif
