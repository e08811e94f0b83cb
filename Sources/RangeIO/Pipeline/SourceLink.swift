import Synchronization

/// The bottom of a pipeline. It calls the source and checks the number of bytes. No read waits for a source that does
/// not answer.
///
/// A source that does not answer cancellation itself is read by a separate task; a caller that is cancelled or closed leaves
/// it behind.
final class SourceLink: Sendable {
  let source: any RangeSource
  fileprivate let background: BackgroundWork
  /// The source reports changes now, as far as is known.
  let isTold = Atomic<Bool>(false)
  /// Reads of the source in flight, whether or not their callers still wait.
  fileprivate let gate = ShutdownGate()
  /// Work in flight that reads for several readers, and so may outlive the reads of this one.
  let flights = ShutdownGate()
  private let misses = Stripes()
  /// Waits in this reader, for the source or for what another reader fetches. Closing answers them at once.
  let waiting = WaiterRegistry()

  init(_ source: any RangeSource, background: BackgroundWork) {
    self.source = source
    self.background = background
  }

  /// The reader's reads that its cache alone could not answer, as far as they have returned bytes.
  var cacheMisses: Int { misses.sum() }

  func countCacheMiss() { misses.add(1) }

  var isClosed: Bool { gate.isClosed }

  /// This link as the end of a chain of stages.
  ///
  /// - Parameter caller: the type of the lowest stage, if there is one.
  func next(_ time: ReadClock, calledBy caller: Any.Type?) -> ReadNext {
    ReadNext(EndLink(self, time, caller))
  }

  /// Describes the source as it is now. If cancelled or closed, returns to the caller at once.
  ///
  /// - Parameter known: what it was before. `nil` at opening: how it answers cancellation is not known yet.
  func describe(after known: SourceDescription?) async throws -> SourceDescription {
    guard known?.answersCancellation != true else { return try await source.describe().checked() }
    return try await leavingBehind { [source] in try await source.describe().checked() }
  }

  /// Describes the source that the name refers to now. If cancelled or closed, returns to the caller at once.
  ///
  /// - Parameter known: what it was before.
  func renew(after known: SourceDescription) async throws -> SourceDescription {
    guard !known.answersCancellation else { return try await source.renew().checked() }
    return try await leavingBehind { [source] in try await source.renew().checked() }
  }

  /// Waits until the source may have changed since `seen`, or the interval is over. The interval is the longer one if
  /// the source reports changes by the end of the shorter one. Only trying shows whether it can: it throws if not.
  func waitForChange(
    after seen: SourceDescription, within interval: Duration, ifTold longInterval: Duration, _ time: ReadClock
  ) async throws {
    let answer = Promise<Void>()
    isTold.store(seen.reportsChanges, ordering: .relaxed)
    let watch = background.start { [self] in
      do {
        try await source.waitForChange(after: seen)
        answer.resolve(.success(()))
      } catch {
        // Polled instead, unless this wait has only come to its end.
        if !(error is CancellationError) { isTold.store(false, ordering: .relaxed) }
      }
    }
    defer { watch.cancel() }
    let start = time.now
    try await wait(
      for: answer, until: start.advanced(by: interval), orLater: start.advanced(by: longInterval), time)
  }

  /// Waits for `answer`, or until `soon`. If the source reports changes by then, waits until `later` instead.
  func wait(
    for answer: Promise<Void>, until soon: ReadClock.Instant, orLater later: ReadClock.Instant?, _ time: ReadClock
  ) async throws {
    let timer = background.start { [self] in
      // `try?`, twice: a sleep fails only when the timer is cancelled, and then it is no longer needed.
      guard (try? await time.sleep(until: soon)) != nil else { return }
      if let later, isTold.load(ordering: .relaxed) {
        guard (try? await time.sleep(until: later)) != nil else { return }
      }
      answer.resolve(.success(()))
    }
    defer { timer.cancel() }
    try await waiting.wait(for: answer)
  }

  /// Waits until nothing goes through the stages any more. Call it once no read is in flight and none can begin.
  func stagesAreQuiet() async {
    _ = flights.close()
    // `try?`: cancellation is the only error, and closing is not cancelled.
    try? await flights.drained()
  }

  /// Ends the source. Answers every waiter with `closed` now; returns when nothing is in flight.
  ///
  /// - Parameter known: what the source was; `nil` if it was never described.
  func close(after known: SourceDescription?) async {
    // From here on no read begins, including reads that outlive the reader's own. A caller that gets an answer sees the
    // reader closed.
    _ = gate.close()
    waiting.failAll(ReadError.closed)
    // A source that answers cancellation also ends its reads when it is closed. With any other, the last must have returned.
    if known?.answersCancellation != true { do { try await gate.drained() } catch { return } }
    await source.close()
  }

  fileprivate static func read(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    guard let urgency = request.urgency, urgency.purpose == .prefetch else {
      return try await readNow(source, request)
    }
    return try await ReadUrgency.$served.withValue(urgency) { try await readNow(source, request) }
  }

  private static func readNow(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    let response: ReadResponse
    if let grid = request.grid, request.moreRanges.isEmpty {
      response = ReadResponse(try await readBlocks(source, request, grid))
    } else if request.source.isBorrowed, !request.isKept {
      response = try await readLent(source, request)
    } else if request.moreRanges.isEmpty, !request.source.isBorrowed {
      response = ReadResponse(try await source.read(request.range, of: request.source))
    } else {
      response = try await readSeveral(source, request)
    }
    try response.check(request)
    return response
  }

  private static func readSeveral(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    let all = try await source.read(Array(request.ranges), of: request.source)
    return ReadResponse(OneOrMore(all) ?? OneOrMore(Bytes()))
  }

  /// Reads each range for itself: several at once would be copies.
  private static func readLent(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    guard !request.moreRanges.isEmpty else {
      return ReadResponse(try await source.read(request.range, of: request.source))
    }
    // They may have many pages, which are not to be touched on an actor.
    return try await BackgroundWork.offActor {
      var all: [Bytes] = []
      for range in request.ranges { all.append(try await source.read(range, of: request.source)) }
      return ReadResponse(OneOrMore(all)!)  // a request has a range at least
    }
  }

  /// Reads a range as one piece for each block.
  private static func readBlocks(
    _ source: any RangeSource, _ request: ReadRequest, _ grid: BlockGrid
  ) async throws -> Bytes {
    guard grid.block(at: request.range.lowerBound) != grid.block(at: request.range.upperBound - 1) else {
      let all = try await source.read([request.range], of: request.source)
      // Any other number of answers is a wrong number of bytes.
      return all.count == 1 ? all[0] : Bytes()
    }
    let blocks = request.asking(for: grid.pieces(of: request.range).map(\.range))
    let response = try await readSeveral(source, blocks)
    // Each for itself: a piece that is too short and one that is too long would be right together, and shifted.
    try response.check(blocks)
    return Bytes(concatenating: Array(response.pieces))
  }

  /// Runs `work` in a task of its own and waits for it. If cancelled or closed, returns at once and cancels that task.
  fileprivate func leavingBehind<Value: Sendable>(
    _ work: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard gate.enter() else { throw ReadError.closed }
    let answer = Promise<Value>()
    let gate = gate
    let task = background.start {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      gate.leave()
      answer.resolve(result)
    }
    do {
      return try await waiting.wait(for: answer)
    } catch {
      task.cancel()
      throw error
    }
  }
}

/// The end of the chain.
private final class EndLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  /// Those of ``bottom``: reached through it, each use would count a reference that all tasks share.
  private let gate: ShutdownGate
  private let source: any RangeSource & ~Copyable

  init(_ link: SourceLink, _ time: ReadClock, _ caller: Any.Type?) {
    gate = link.gate
    source = link.source
    super.init(background: link.background, time: time, bottom: link, calledBy: caller)
  }

  override func answer(_ request: ReadRequest) -> ReadAnswer<ReadResponse> {
    // A source that lends memory has something better for a read that is not kept.
    guard request.grid != nil || !request.source.isBorrowed, request.isOfOneRange, gate.enter() else { return .later }
    defer { gate.leave() }
    // The read that follows reports any error.
    guard case .here(let bytes) = Self.answer(request, source), bytes.count == request.range.count else {
      return .later
    }
    return .here(ReadResponse(bytes))
  }

  @inline(__always) private static func answer(
    _ request: ReadRequest, _ source: borrowing any RangeSource & ~Copyable
  ) -> ReadAnswer<Bytes> { source.answer(request.range, of: request.source) }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    guard request.source.answersCancellation else {
      return try await bottom.leavingBehind { [source = bottom.source] in try await SourceLink.read(source, request) }
    }
    guard gate.enter() else { throw ReadError.closed }
    defer { gate.leave() }
    // The path of nearly all reads, without another call.
    guard request.moreRanges.isEmpty, request.grid == nil, request.urgency == nil, !request.source.isBorrowed else {
      return try await SourceLink.read(bottom.source, request)
    }
    let response = ReadResponse(try await bottom.source.read(request.range, of: request.source))
    try response.check(request)
    return response
  }
}
