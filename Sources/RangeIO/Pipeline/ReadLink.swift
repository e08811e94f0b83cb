/// One step of the chain down. A class, so that passing the rest of the chain to a stage costs one pointer.
@usableFromInline class ReadLink: @unchecked Sendable {
  // Unchecked because it is not final: it and its subclasses have constants only.
  final let background: BackgroundWork
  final let time: ReadClock
  /// The end of the chain.
  final let bottom: SourceLink
  /// `true` for a ``StageLink``.
  @usableFromInline final let isStage: Bool
  /// `true` for a ``BaseDescriptionLink``.
  final let showsBase: Bool
  /// The type of the stage that reads through this; `nil` for a reader.
  final let caller: Any.Type?

  init(
    background: BackgroundWork, time: ReadClock, bottom: SourceLink, isStage: Bool = false, showsBase: Bool = false,
    calledBy caller: Any.Type?
  ) {
    self.background = background
    self.time = time
    self.bottom = bottom
    self.isStage = isStage
    self.showsBase = showsBase
    self.caller = caller
  }

  @usableFromInline nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    preconditionFailure("each kind of link reads in its own way")
  }

  /// The response, if it is there without waiting.
  @usableFromInline func answer(_ request: ReadRequest) -> ReadAnswer<ReadResponse> { .later }

  /// See ``ReadNext/groups(_:of:)``.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? { nil }

  /// See ``ReadNext/gathering(of:)``.
  func gathering(of source: SourceDescription) -> Gathering? { nil }

  /// See ``ReadNext/explain(_:of:)``. The end of the chain is the source.
  func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    [ReadExplanation.Part(range, .source)]
  }
}

/// A stage, and the chain below it.
@usableFromInline final class StageLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  // Not copyable only for the sake of the link: see `pass`.
  @usableFromInline let stage: any ReadStage & ~Copyable
  @usableFromInline let next: ReadNext
  let role: StageRole?
  /// See ``ReadStage/ignoresHits``. Not of a stage that shows other bytes: those below it have another description.
  private let isSkippedByHits: Bool
  private let kind: Any.Type

  init(_ stage: any ReadStage, above next: ReadNext, calledBy caller: Any.Type?) {
    self.stage = stage
    self.next = next
    role = stage.knownRole
    kind = type(of: stage)
    isSkippedByHits = stage.ignoresHits && next.showsSameBytes
    super.init(
      background: next.background, time: next.time, bottom: next.link.bottom, isStage: true, calledBy: caller)
  }

  @usableFromInline override func answer(_ request: ReadRequest) -> ReadAnswer<ReadResponse> {
    isSkippedByHits ? next.link.answer(request) : Self.ask(stage, request, next)
  }

  /// The stage is borrowed, see ``ReadNext/pass(_:to:_:)``.
  @inline(__always) private static func ask(
    _ stage: borrowing any ReadStage & ~Copyable, _ request: ReadRequest, _ next: ReadNext
  ) -> ReadAnswer<ReadResponse> { stage.answer(request, next: next) }

  override func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    switch role {
    case .caching(let cache): return cache.explain(range, of: source, next: next)
    case .decoding(let explain): return explain(range, source, next)
    default: break
    }
    guard next.showsSameBytes else {
      let why = "\(kind) shows other bytes than those below it, and does not tell which become which"
      return [ReadExplanation.Part(range, .unknown, detail: why)]
    }
    return next.explain(range, of: source)
  }

  override func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    guard case .gathering(let groups, _) = role else { return next.groups(ranges, of: source) }
    return groups(ranges, source)
  }

  override func gathering(of source: SourceDescription) -> Gathering? {
    guard case .gathering(_, let gathering) = role else { return next.gathering(of: source) }
    return gathering(source)
  }
}

/// Removes the description that the stage above derived, so that stages below see theirs.
final class BaseDescriptionLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  let next: ReadNext

  init(above next: ReadNext, calledBy caller: Any.Type) {
    self.next = next
    super.init(
      background: next.background, time: next.time, bottom: next.link.bottom, showsBase: true, calledBy: caller)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    var response = try await next(below(request))
    // So does the over-read: the stage above may pass on a response that it got.
    if !response.overRead.isEmpty { response.overRead = [] }
    return response
  }

  /// The response, if it is there without waiting, for a stage that makes the bytes that it shows of it. ``answer(_:)`` has none:
  /// most stages pass it on as it is.
  func encodedAnswer(_ request: ReadRequest) -> ReadAnswer<ReadResponse> { next.answer(below(request)) }

  private func below(_ request: ReadRequest) -> ReadRequest {
    var request = request
    request.source = request.source.base ?? request.source
    request.dropGrid()
    return request
  }

  override func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    next.explain(range, of: source.base ?? source)
  }

  /// All or nothing: only the stage above knows where the ranges lie below.
  override func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    next.groups([], of: source.base ?? source) == nil ? nil : [ranges.indices]
  }
}

// Which requests a link passes on: those whose ranges lie within the source and are not empty.

extension ReadLink {
  /// The source as the stages below see it.
  private final func seen(_ source: SourceDescription) -> SourceDescription {
    showsBase ? source.base ?? source : source
  }

  /// True if each range of `request` can be read: it is not empty, and lies within the source.
  @usableFromInline final func takes(_ request: ReadRequest) -> Bool {
    // Nearly all requests: without a copy of the source, whose count of references all tasks would share.
    if !showsBase, request.isOfOneRange { return !request.range.isEmpty && request.source.has(request.range) }
    let source = seen(request.source)
    return request.ranges.allSatisfy { !$0.isEmpty && source.has($0) }
  }

  /// `request` without its empty ranges; `nil` if all are empty.
  ///
  /// - Throws: `invalidResponse` for a range that is not within the source.
  final func wanted(of request: ReadRequest) throws(ReadError) -> ReadRequest? {
    let source = seen(request.source)
    for range in request.ranges where !range.isEmpty && !source.has(range) {
      throw ReadError(
        .invalidResponse,
        "\(caller.map { "\($0)" } ?? "the reader") asks for \(range) of \(source.byteCount) bytes: a stage reads within the "
          + "description below it",
        context: .init(source: source.name, range: range))
    }
    let wanted = request.ranges.filter { !$0.isEmpty }
    return wanted.isEmpty ? nil : request.asking(for: wanted)
  }
}

extension ReadNext {
  /// Reads `request`, of which a range is empty or does not lie within the source. The stages below see neither.
  @usableFromInline @inline(never)
  nonisolated(nonsending) func readUnusual(_ request: ReadRequest) async throws -> ReadResponse {
    guard let below = try link.wanted(of: request) else { return ReadResponse(request.ranges.mapped { _ in Bytes() }) }
    let response = try await read(below, isAsked: false)
    try response.check(below)
    // As many as there are ranges that are not empty: `check` has seen to that.
    var pieces = response.pieces.makeIterator()
    return ReadResponse(request.ranges.mapped { $0.isEmpty ? Bytes() : pieces.next()! })
  }
}
