/// The rest of the pipeline below a stage: call it to read.
///
/// Linked once, when the reader is made. It may escape: a stage may keep it for work that outlives the call.
/// Calling it allocates nothing.
public struct ReadNext: Sendable {
  @usableFromInline let link: ReadLink

  init(_ link: ReadLink) { self.link = link }

  /// Starts work that outlives a read.
  public var background: BackgroundWork { link.background }
  /// Tells the time.
  public var time: TimeSource { link.time }

  /// Reads what `request` asks from the stages and the source below.
  @inlinable public nonisolated(nonsending) func callAsFunction(_ request: ReadRequest) async throws -> ReadResponse {
    try await link.read(request)
  }
}

/// One step of the chain down. A class, so that handing the rest of the chain to a stage is one pointer, whose count
/// of references a read does not touch: two tasks that read through one chain would take turns at it.
@usableFromInline class ReadLink: @unchecked Sendable {
  // Unchecked because it is not final: it and its subclasses have constants only.
  final let background: BackgroundWork
  final let time: TimeSource

  init(background: BackgroundWork, time: TimeSource) {
    self.background = background
    self.time = time
  }

  @usableFromInline nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    preconditionFailure("each kind of link reads in its own way")
  }
}

/// A stage, and what lies below it.
final class StageLink: ReadLink, @unchecked Sendable {
  private let stage: any ReadStage
  private let next: ReadNext

  init(_ stage: any ReadStage, above next: ReadNext) {
    self.stage = stage
    self.next = next
    super.init(background: next.background, time: next.time)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    try await stage.read(request, next: next)
  }
}

/// Takes the description that the stage above derived off again, so that those below see theirs.
final class UnderivingLink: ReadLink, @unchecked Sendable {
  private let next: ReadNext

  init(above next: ReadNext) {
    self.next = next
    super.init(background: next.background, time: next.time)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    var request = request
    request.source = request.source.base ?? request.source
    return try await next.link.read(request)
  }
}

extension ReadNext {
  /// This, seen through `stage`.
  ///
  /// - Parameter changesSource: whether the stage derives a description of its own.
  func under(_ stage: any ReadStage, changesSource: Bool) -> ReadNext {
    ReadNext(StageLink(stage, above: changesSource ? ReadNext(UnderivingLink(above: self)) : self))
  }
}
