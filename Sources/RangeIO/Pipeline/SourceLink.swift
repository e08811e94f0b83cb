import Synchronization

/// The bottom of a pipeline. It calls the source and checks the number of bytes. No read waits for a source that does
/// not answer.
///
/// A source that is not prompt is read by a separate task; a caller that is cancelled or closed leaves it behind.
final class SourceLink: Sendable {
  let source: any RangeSource
  fileprivate let background: BackgroundWork
  let isPrompt: Bool
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
    isPrompt = source.isPrompt
  }

  /// The reader's reads that its cache alone could not answer, as far as they have returned bytes.
  var cacheMisses: Int { misses.sum() }

  func countCacheMiss() { misses.add(1) }

  var isClosed: Bool { gate.isClosed }

  /// This link as the end of a chain of stages.
  ///
  /// - Parameter caller: the type of the lowest stage, if there is one.
  func next(_ time: TimeSource, calledBy caller: Any.Type?) -> ReadNext {
    ReadNext(isPrompt ? PromptLink(self, time, caller) : LeavingLink(self, time, caller))
  }

  /// What the source is now. If cancelled or closed, returns to the caller at once.
  func describe() async throws -> SourceDescription {
    guard !isPrompt else { return try await source.describe().checked() }
    return try await leavingBehind { [source] in try await source.describe().checked() }
  }

  /// What the name of the source refers to now. If cancelled or closed, returns to the caller at once.
  func renew() async throws -> SourceDescription {
    guard !isPrompt else { return try await source.renew().checked() }
    return try await leavingBehind { [source] in try await source.renew().checked() }
  }

  /// Waits until the source may have changed since `seen`, or the interval is over. The interval is the longer one if
  /// the source reports changes by the end of the shorter one. Only trying shows whether the source can be watched.
  func waitForChange(
    after seen: SourceDescription, within interval: Duration, ifTold longInterval: Duration, _ time: TimeSource
  ) async throws {
    let answer = Promise<Void>()
    let watch = background.start { [source] in
      // `try?`: a source that cannot be watched is polled instead.
      if (try? await source.waitForChange(after: seen)) != nil { answer.resolve(.success(())) }
    }
    defer { watch.cancel() }
    let start = time.now
    try await wait(
      for: answer, until: start.advanced(by: interval), orLater: start.advanced(by: longInterval), time)
  }

  /// Waits for `answer`, or until `soon`. If the source reports changes by then, waits until `later` instead.
  func wait(
    for answer: Promise<Void>, until soon: ReadInstant, orLater later: ReadInstant?, _ time: TimeSource
  ) async throws {
    let timer = background.start { [source] in
      // The sleep fails only when the timer is cancelled, and then it is no longer needed.
      guard (try? await time.sleep(until: soon)) != nil else { return }
      if let later, source.tellsOfChanges { guard (try? await time.sleep(until: later)) != nil else { return } }
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
  func close() async {
    // From here on no read begins, including reads that outlive the reader's own. A caller that gets an answer sees the
    // reader closed.
    _ = gate.close()
    waiting.failAll(ReadError.closed)
    // A prompt source answers its callers itself when it is closed. With any other, the last read must have returned.
    if !isPrompt { do { try await gate.drained() } catch { return } }
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
      response = ReadResponse(try await readBlocks(source, request.range, grid, request))
    } else if request.isKept, !source.isPrompt {
      // A source that waits may return memory that is not copied, unless it is asked for blocks.
      response = try await readCopies(source, request)
    } else if request.moreRanges.isEmpty {
      response = ReadResponse(try await source.read(request.range, of: request.source))
    } else {
      let all = try await source.read(Array(request.ranges), of: request.source)
      response = ReadResponse(OneOrMore(all) ?? OneOrMore(Bytes()))
    }
    try response.check(request)
    return response
  }

  /// Reads each range for itself, as blocks for a cache.
  private static func readCopies(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    // A description has made sure of the power of two.
    let grid = BlockGrid(blockSize: request.source.preferredBlockSize)!
    var all: [Bytes] = []
    for range in request.ranges { all.append(try await readBlocks(source, range, grid, request)) }
    return ReadResponse(OneOrMore(all) ?? OneOrMore(Bytes()))
  }

  /// Reads a range in pieces, one for each block, or in one.
  private static func readBlocks(
    _ source: any RangeSource, _ range: ByteRange, _ grid: BlockGrid, _ request: ReadRequest
  ) async throws -> Bytes {
    let blocks = try await source.read(range, of: request.source, scatteredBy: grid)
    guard blocks.count != 1 else { return blocks[0] }
    // Each for itself: a piece that is too short and one that is too long would be right together, and shifted.
    var end = range.lowerBound
    for (piece, bytes) in zip(grid.pieces(of: range), blocks) where piece.range.lowerBound == end {
      guard bytes.count == piece.range.count else {
        throw ReadError.wrongCount(bytes.count, for: piece.range, of: request.source)
      }
      end = piece.range.upperBound
    }
    guard end == range.upperBound, blocks.count == grid.blocks(covering: range).count else {
      throw ReadError(
        .invalidResponse,
        "\(blocks.count) pieces for \(grid.blocks(covering: range).count) blocks: the source breaks its contract",
        context: .init(source: request.source.name, offset: range.lowerBound, count: range.count))
    }
    return Bytes(concatenating: blocks)
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

private class EndLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  /// Those of ``bottom``: reached through it, each use would count a reference that all tasks share.
  private let gate: ShutdownGate
  private let source: any RangeSource & ~Copyable

  init(_ link: SourceLink, _ time: TimeSource, _ caller: Any.Type?) {
    gate = link.gate
    source = link.source
    super.init(background: link.background, time: time, bottom: link, calledBy: caller)
  }

  final override func ready(_ request: ReadRequest) -> ReadResponse? {
    // For caches, which keep what they get. For a single read, a source that waits may have something better, such as
    // memory that is not copied. A prompt source has the same for both.
    guard request.grid != nil || bottom.isPrompt, request.isOfOneRange, gate.enter() else { return nil }
    defer { gate.leave() }
    // The read that follows reports any error.
    guard let bytes = Self.ready(request, source), bytes.count == request.range.count else { return nil }
    return ReadResponse(bytes)
  }

  @inline(__always) private static func ready(
    _ request: ReadRequest, _ source: borrowing any RangeSource & ~Copyable
  ) -> Bytes? { source.ready(request.range, of: request.source) }
}

/// The end of the chain above a source that answers its callers itself.
private final class PromptLink: EndLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    guard bottom.gate.enter() else { throw ReadError.closed }
    defer { bottom.gate.leave() }
    // The path of nearly all reads, without another call.
    guard request.moreRanges.isEmpty, request.grid == nil, request.urgency == nil else {
      return try await SourceLink.read(bottom.source, request)
    }
    let response = ReadResponse(try await bottom.source.read(request.range, of: request.source))
    try response.check(request)
    return response
  }
}

/// The end of the chain above a source whose reads a caller may have to abandon.
private final class LeavingLink: EndLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    try await bottom.leavingBehind { [source = bottom.source] in try await SourceLink.read(source, request) }
  }
}
