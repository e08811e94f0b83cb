import Synchronization

/// The bottom of a pipeline: calls the source, checks the number of bytes, and lets no read wait for a source that
/// does not answer.
///
/// A source that is not prompt is read by work of its own, which a cancelled or closed-out caller leaves behind.
final class SourceLink: Sendable {
  let source: any RangeSource
  fileprivate let background: BackgroundWork
  let isPrompt: Bool
  /// Reads of the source under way, callers gone or not.
  fileprivate let gate = ShutdownGate()
  /// Work under way that reads for several readers, and so may outlive the reads of its own.
  let flights = ShutdownGate()
  private let misses = Atomic<Int>(0)
  /// What waits in this reader, for the source or for what another reader brings: answered at once when it is closed.
  let waiting = WaiterRegistry()

  init(_ source: any RangeSource, background: BackgroundWork) {
    self.source = source
    self.background = background
    isPrompt = source.isPrompt
  }

  /// Reads of the reader that its cache could not answer alone, as far as they have returned bytes.
  var cacheMisses: Int { misses.load(ordering: .relaxed) }

  /// Counts one of those.
  func countCacheMiss() { misses.wrappingAdd(1, ordering: .relaxed) }

  /// Whether no read begins any more.
  var isClosed: Bool { gate.isClosed }

  /// This, as the end of a chain of stages.
  func next(_ time: TimeSource) -> ReadNext {
    ReadNext(isPrompt ? PromptLink(self, time) : LeavingLink(self, time))
  }

  /// What the source is now. Cancelled or closed, the caller is answered at once.
  func describe() async throws -> SourceDescription {
    guard !isPrompt else { return try await source.describe().checked() }
    return try await leavingBehind { [source] in try await source.describe().checked() }
  }

  /// What the name of the source leads to now. Cancelled or closed, the caller is answered at once.
  func renew() async throws -> SourceDescription {
    guard !isPrompt else { return try await source.renew().checked() }
    return try await leavingBehind { [source] in try await source.renew().checked() }
  }

  /// Waits until the source may have changed since `seen`, or the interval is over: the longer one, if the source tells of
  /// changes by the end of the shorter one. That there is no watch to be had is found out by trying.
  func waitForChange(
    after seen: SourceDescription, within interval: Duration, ifTold longInterval: Duration, _ time: TimeSource
  ) async throws {
    let answer = Promise<Void>()
    let watch = background.start { [source] in
      // One that cannot be watched is looked at every now and then.
      if (try? await source.waitForChange(after: seen)) != nil { answer.resolve(.success(())) }
    }
    let start = time.now
    let timer = background.start { [source] in
      guard (try? await time.sleep(until: start.advanced(by: interval))) != nil else { return }
      if source.tellsOfChanges {
        guard (try? await time.sleep(until: start.advanced(by: longInterval))) != nil else { return }
      }
      answer.resolve(.success(()))
    }
    defer {
      watch.cancel()
      timer.cancel()
    }
    try await waiting.wait(for: answer)
  }

  /// Waits until nothing goes through the stages any more. To be called once no read is under way, so that none begins.
  func stagesAreQuiet() async {
    _ = flights.close()
    // Cancellation is the only error, and nobody cancels the closing.
    try? await flights.drained()
  }

  /// Ends the source: everyone who waits is answered with `closed` now; returns when nothing is under way.
  func close() async {
    // No read begins from here on, also none that outlives the reader's own; and whoever is answered sees it closed.
    _ = gate.close()
    waiting.failAll(ReadError.closed)
    // A prompt source answers its callers by itself when it is closed; another's last read must have returned.
    if !isPrompt { do { try await gate.drained() } catch { return } }
    await source.close()
  }

  fileprivate static func read(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    guard let urgency = request.urgency, urgency.purpose == .prefetch else {
      return try await readNow(source, request)
    }
    return try await ReadUrgency.$current.withValue(urgency) { try await readNow(source, request) }
  }

  private static func readNow(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    let response: ReadResponse
    if let grid = request.grid, request.moreRanges.isEmpty {
      let blocks = try await source.read(request.range, of: request.source, scatteredBy: grid)
      response = ReadResponse(blocks.count == 1 ? blocks[0] : Bytes(concatenating: blocks))
    } else if request.moreRanges.isEmpty {
      response = ReadResponse(try await source.read(request.range, of: request.source))
    } else {
      let all = try await source.read([request.range] + request.moreRanges, of: request.source)
      response = ReadResponse(all.first ?? Bytes(), moreBytes: Array(all.dropFirst()))
    }
    try response.check(request)
    return response
  }

  /// Runs `work` on its own and waits for it; cancelled or closed, goes at once and tells it by cancellation.
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
private class EndLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  init(_ link: SourceLink, _ time: TimeSource) {
    super.init(background: link.background, time: time, bottom: link)
  }

  final override func ready(_ request: ReadRequest) -> ReadResponse? {
    // For caches, which keep what they get: a source that waits may have better for who reads it once, such as memory that
    // is not copied. One that is prompt has the same for both.
    guard request.grid != nil || bottom.isPrompt, request.moreRanges.isEmpty, bottom.gate.enter() else { return nil }
    defer { bottom.gate.leave() }
    // What is wrong is left to be told by the read that follows.
    guard let bytes = bottom.source.ready(request.range, of: request.source), bytes.count == request.range.count else {
      return nil
    }
    return ReadResponse(bytes)
  }
}

/// The end of the chain above a source that answers its callers by itself.
private final class PromptLink: EndLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    guard bottom.gate.enter() else { throw ReadError.closed }
    defer { bottom.gate.leave() }
    // The way of nearly all reads, without another call.
    guard request.moreRanges.isEmpty, request.grid == nil, request.urgency == nil else {
      return try await SourceLink.read(bottom.source, request)
    }
    let response = ReadResponse(try await bottom.source.read(request.range, of: request.source))
    try response.check(request)
    return response
  }
}

/// The end of the chain above a source whose callers may have to leave their reads behind.
private final class LeavingLink: EndLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    try await bottom.leavingBehind { [source = bottom.source] in try await SourceLink.read(source, request) }
  }
}
