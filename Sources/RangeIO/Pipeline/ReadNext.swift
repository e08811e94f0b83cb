/// The rest of the pipeline below a stage: call it to read.
///
/// Linked once, when the reader is made. A stage may keep it for work that outlives the call. Calling it allocates
/// nothing.
public struct ReadNext: Sendable {
  @usableFromInline let link: ReadLink

  @usableFromInline init(_ link: ReadLink) { self.link = link }

  /// Starts work that need not read through this.
  package var background: BackgroundWork { link.background }
  /// The clock to use.
  public var time: ReadClock { link.time }

  /// `true` once the reader is closed: nothing can be read through this any more.
  var isClosed: Bool { link.bottom.isClosed }

  var bottom: SourceLink { link.bottom }

  /// Waits for `answer`, which another reader may bring. Fails when this reader is closed.
  func wait<Value>(for answer: Promise<Value>) async throws -> Value {
    try await link.bottom.waiting.wait(for: answer)
  }

  /// Starts work that reads through this and may outlive the read that starts it: a second try, a refill, a shared
  /// fetch.
  ///
  /// Call it within a read. The stages below stay open until the work has ended, so end it soon after the task is
  /// cancelled; what it reads ends at once when the reader is closed. Wait for times by ``sleep(until:)``.
  ///
  /// - Returns: the task, to cancel it. Cancelling the read does not.
  @discardableResult public func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    startFlight(elsewhere: false, work)
  }

  /// Like ``start(_:)``, and on another thread if `elsewhere` is set.
  func startFlight(elsewhere: Bool, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let flights = link.bottom.flights
    flights.enterAgain()
    let flight: @Sendable () async -> Void = {
      await work()
      flights.leave()
    }
    return elsewhere ? background.startElsewhere(nil, flight) : background.start(nil, flight)
  }

  /// Reads what `request` asks for from the stages and the source below.
  ///
  /// - Throws: their errors; `CancellationError` at once when the task is cancelled; `ReadError` with `closed`.
  ///   `invalidResponse` if one of them returns a wrong number of bytes, or if a range of `request` does not lie within
  ///   the source below. An empty range gives empty bytes: they do not see it.
  @inlinable @inline(__always)
  public nonisolated(nonsending) func callAsFunction(_ request: ReadRequest) async throws -> ReadResponse {
    guard link.takes(request) else { return try await readUnusual(request) }
    return try await read(request, isAsked: false)
  }

  /// - Parameters:
  ///   - request: one whose ranges are checked.
  ///   - isAsked: whether the caller knows that nothing is here without waiting.
  @inlinable @inline(__always)
  nonisolated(nonsending) func read(_ request: ReadRequest, isAsked: Bool) async throws -> ReadResponse {
    // Compiled into the stage above, so that a stage costs one asynchronous call and not another one for its link. Each
    // call takes some 20 ns, and a hit in memory takes less than the system call that it saves.
    guard link.isStage else { return try await link.read(request) }
    let stageLink = unsafeDowncast(link, to: StageLink.self)
    if !isAsked, case .here(let response) = stageLink.answer(request) { return response }
    return try await Self.pass(request, to: stageLink.stage, stageLink.next)
  }

  /// Where the bytes of `range` would come from now.
  ///
  /// - Parameter source: the source as the calling stage sees it.
  func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    link.explain(range, of: source)
  }

  /// The stage above shows the same bytes as this: it does not derive its own source.
  var showsSameBytes: Bool { !(link is BaseDescriptionLink) }

  /// Returns the response if the stages below have it now: without waiting, and without an asynchronous call. For
  /// ``ReadStage/answer(_:next:)``: elsewhere call this as a function, which asks first. To a stage that derives a description of
  /// its own it returns ``ReadAnswer/later``: what is below are not the bytes that the stage shows.
  public func answer(_ request: ReadRequest) -> ReadAnswer<ReadResponse> {
    link.takes(request) ? link.answer(request) : .later
  }

  /// Which of `ranges`, ascending and disjoint, are better requested together. Each result is the indices of ranges for
  /// one request, in order. `nil` if no stage below groups ranges: request each one separately.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? { link.groups(ranges, of: source) }

  /// The present gathering of the stage that groups ranges. `nil` if no stage below groups ranges, or a stage in between shows
  /// other bytes.
  func gathering(of source: SourceDescription) -> Gathering? { link.gathering(of: source) }

  /// The stage is borrowed: if it were copied, two tasks that read through one chain would contend for its reference
  /// count.
  @inlinable @inline(__always) static nonisolated(nonsending) func pass(
    _ request: ReadRequest, to stage: borrowing any ReadStage & ~Copyable, _ next: ReadNext
  ) async throws -> ReadResponse {
    try await stage.read(request, next: next)
  }
}

extension ReadNext {
  /// This chain with `stage` on top.
  ///
  /// - Parameters:
  ///   - changesSource: whether the stage derives a description of its own.
  ///   - caller: the type of the stage above it, if there is one.
  func under(_ stage: any ReadStage, changesSource: Bool, calledBy caller: Any.Type?) -> ReadNext {
    let below = changesSource ? ReadNext(BaseDescriptionLink(above: self, calledBy: type(of: stage))) : self
    return ReadNext(StageLink(stage, above: below, calledBy: caller))
  }
}

/// Waits for stages. They end at once when the read is cancelled or the reader is closed.
extension ReadNext {
  /// Suspends until `instant`, or until the read is cancelled or the reader is closed. Use this in your own stages:
  /// closing does not end a wait by `Task.sleep` or ``time``, and the reader then waits for that stage.
  ///
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  public nonisolated(nonsending) func sleep(until instant: ReadClock.Instant) async throws {
    try await answer { [time] in try await time.sleep(until: instant) }
  }

  /// Runs `work` in its own task and returns its result. The task is cancelled when no read waits for it any more.
  /// `work` must not read through this `ReadNext`: use ``start(_:)`` for that. Throws any error that `work` throws;
  /// `CancellationError`, `ReadError.Code.closed`.
  func answer<Value: Sendable>(of work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let answer = Promise<Value>()
    let task = background.start {
      do { answer.resolve(.success(try await work())) } catch { answer.fail(error) }
    }
    do {
      return try await wait(for: answer)
    } catch {
      task.cancel()
      throw error
    }
  }
}

extension ReadRequest {
  /// The error of this read when its deadline has passed.
  func timedOut() -> ReadError {
    ReadError(
      .timedOut, "the time for this read is over: try again, or allow more of it", isTransient: true,
      context: .init(source: source.name, offset: range.lowerBound, count: range.count))
  }
}
