/// The rest of the pipeline below a stage: call it to read.
///
/// Linked once, when the reader is made. It may escape: a stage may keep it for work that outlives the call.
/// Calling it allocates nothing.
public struct ReadNext: Sendable {
  typealias Link = nonisolated(nonsending) @Sendable (ReadRequest) async throws -> ReadResponse

  private let link: Link
  /// Starts work that outlives a read.
  public let background: BackgroundWork
  /// Tells the time.
  public let time: TimeSource

  init(background: BackgroundWork, time: TimeSource, link: @escaping Link) {
    self.link = link
    self.background = background
    self.time = time
  }

  /// Reads what `request` asks from the stages and the source below.
  public nonisolated(nonsending) func callAsFunction(_ request: ReadRequest) async throws -> ReadResponse {
    try await link(request)
  }
}

extension ReadNext {
  /// This, seen through `stage`.
  ///
  /// - Parameter changesSource: whether the stage derives a description of its own, which is taken off again on the way
  ///   down so that those below see theirs.
  func under(_ stage: some ReadStage, changesSource: Bool) -> ReadNext {
    guard changesSource else {
      let below = self
      return ReadNext(background: background, time: time) { try await stage.read($0, next: below) }
    }
    let below = ReadNext(background: background, time: time) { [link] request in
      var request = request
      request.source = request.source.base ?? request.source
      return try await link(request)
    }
    return ReadNext(background: background, time: time) { try await stage.read($0, next: below) }
  }
}
