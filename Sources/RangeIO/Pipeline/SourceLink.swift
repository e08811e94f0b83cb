import Synchronization

/// The bottom of a pipeline: calls the source, checks the number of bytes, and lets nobody wait for a source that
/// does not answer.
///
/// A source that is not prompt is read by work of its own, which a cancelled or closed-out caller leaves behind.
final class SourceLink: Sendable {
  let source: any RangeSource
  private let background: BackgroundWork
  private let isPrompt: Bool
  /// Reads of a source that is not prompt, callers gone or not.
  private let gate = UseGate()
  private let waiting = WaitingList()

  init(_ source: any RangeSource, background: BackgroundWork) {
    self.source = source
    self.background = background
    isPrompt = source.isPrompt
  }

  /// The source itself, for a chain without stages that needs nothing in between; nil if it is not prompt.
  var direct: (any RangeSource)? { isPrompt ? source : nil }

  /// This, as the end of a chain of stages.
  func next(_ time: TimeSource) -> ReadNext {
    ReadNext(isPrompt ? PromptLink(source, background, time) : LeavingLink(self, background, time))
  }

  /// What the source is now. Cancelled or closed, the caller is answered at once.
  func describe() async throws -> SourceDescription {
    guard !isPrompt else { return try await source.describe() }
    return try await leavingBehind { [source] in try await source.describe() }
  }

  /// Ends the source: everyone who waits is answered with `closed` now; returns when nothing is under way.
  func close() async {
    waiting.failAll(ReadError.closed)
    _ = gate.close()
    // A prompt source answers its own callers when it is closed; another's last read must have returned.
    do { try await gate.drained() } catch { return }
    await source.close()
  }

  fileprivate static func read(_ source: any RangeSource, _ request: ReadRequest) async throws -> ReadResponse {
    let response: ReadResponse
    if request.moreRanges.isEmpty {
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
    let answer = OneAnswer<Value>()
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

/// The end of the chain above a source that answers its callers by itself.
private final class PromptLink: ReadLink, @unchecked Sendable {
  private let source: any RangeSource

  init(_ source: any RangeSource, _ background: BackgroundWork, _ time: TimeSource) {
    self.source = source
    super.init(background: background, time: time)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    // The way of nearly all reads, without another call.
    guard request.moreRanges.isEmpty else { return try await SourceLink.read(source, request) }
    let response = ReadResponse(try await source.read(request.range, of: request.source))
    try response.check(request)
    return response
  }
}

/// The end of the chain above a source whose callers may have to leave their reads behind.
private final class LeavingLink: ReadLink, @unchecked Sendable {
  private let link: SourceLink

  init(_ link: SourceLink, _ background: BackgroundWork, _ time: TimeSource) {
    self.link = link
    super.init(background: background, time: time)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    try await link.leavingBehind { [source = link.source] in try await SourceLink.read(source, request) }
  }
}
