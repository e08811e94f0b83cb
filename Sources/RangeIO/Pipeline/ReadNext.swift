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
  public var time: TimeSource { link.time }

  /// Whether the reader is closed, so that nothing can be read through this any more.
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
  /// - Throws: what they throw; `CancellationError` at once when the task is cancelled; `ReadError` with `closed`, or
  ///   with `invalidResponse` if one of them returns a wrong number of bytes, or if a range of `request` does not lie
  ///   within the source as they see it. An empty range gives empty bytes: they do not see it.
  @inlinable @inline(__always)
  public nonisolated(nonsending) func callAsFunction(_ request: ReadRequest) async throws -> ReadResponse {
    guard link.takes(request) else { return try await readUnusual(request) }
    return try await read(request, isAsked: false)
  }

  /// - Parameters:
  ///   - request: one whose ranges are checked.
  ///   - isAsked: whether the caller knows that nothing is ready.
  @inlinable @inline(__always)
  nonisolated(nonsending) func read(_ request: ReadRequest, isAsked: Bool) async throws -> ReadResponse {
    // Compiled into the stage above, so that a stage costs one asynchronous call and not another one for its link. Each
    // call takes some 20 ns, and a hit in memory takes less than the system call that it saves.
    guard link.isStage else { return try await link.read(request) }
    let stageLink = unsafeDowncast(link, to: StageLink.self)
    if !isAsked, let response = stageLink.ready(request) { return response }
    return try await Self.pass(request, to: stageLink.stage, stageLink.next)
  }

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

  /// Where the bytes of `range` would come from now.
  ///
  /// - Parameter source: the source as the calling stage sees it.
  func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    link.explain(range, of: source)
  }

  /// Whether the stage above shows the same bytes as this: it does not derive its own source.
  var showsSameBytes: Bool { !(link is UnderivingLink) }

  /// Returns the response if the stages below have it now: without waiting, and without an asynchronous call. `nil`
  /// means nothing in particular.
  public func ready(_ request: ReadRequest) -> ReadResponse? { link.takes(request) ? link.ready(request) : nil }

  /// Which of `ranges`, ascending and disjoint, are better requested together. Each result is the indices of ranges for
  /// one request, in order. `nil` if no stage below groups ranges: request each one separately.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? { link.groups(ranges, of: source) }

  /// How the stage that groups ranges does it now. `nil` if no stage below groups ranges, or a stage in between shows
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

/// One step of the chain down. A class, so that passing the rest of the chain to a stage costs one pointer.
@usableFromInline class ReadLink: @unchecked Sendable {
  // Unchecked because it is not final: it and its subclasses have constants only.
  final let background: BackgroundWork
  final let time: TimeSource
  /// The end of the chain.
  final let bottom: SourceLink
  /// Whether this is a ``StageLink``.
  @usableFromInline final let isStage: Bool
  /// Whether this is an ``UnderivingLink``.
  private final let isUnderiving: Bool
  /// The type of the stage that reads through this; `nil` for a reader.
  private final let caller: Any.Type?

  init(
    background: BackgroundWork, time: TimeSource, bottom: SourceLink, isStage: Bool = false, isUnderiving: Bool = false,
    calledBy caller: Any.Type?
  ) {
    self.background = background
    self.time = time
    self.bottom = bottom
    self.isStage = isStage
    self.isUnderiving = isUnderiving
    self.caller = caller
  }

  /// The source as the stages below see it.
  private final func seen(_ source: SourceDescription) -> SourceDescription {
    isUnderiving ? source.base ?? source : source
  }

  /// Whether each range of `request` is one to be read: not empty, and within the source.
  @usableFromInline final func takes(_ request: ReadRequest) -> Bool {
    let source = seen(request.source)
    func takes(_ range: ByteRange) -> Bool { !range.isEmpty && source.has(range) }
    return takes(request.range) && request.moreRanges.allSatisfy(takes)
  }

  /// What to read for `request`; `nil` if all its ranges are empty.
  ///
  /// - Throws: `invalidResponse` for a range that is not within the source.
  fileprivate final func wanted(of request: ReadRequest) throws(ReadError) -> ReadRequest? {
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

  @usableFromInline nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    preconditionFailure("each kind of link reads in its own way")
  }

  /// The response, if it is there without waiting.
  @usableFromInline func ready(_ request: ReadRequest) -> ReadResponse? { nil }

  /// See ``ReadNext/groups(_:of:)``.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? { nil }

  /// See ``ReadNext/gathering(of:)``.
  func gathering(of source: SourceDescription) -> Gathering? { nil }

  /// See ``ReadNext/explain(_:of:)``. The end of the chain is the source.
  func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    [ReadExplanation.Part(range, .source)]
  }
}

/// A stage that reads neighbouring ranges together.
protocol GatheringStage: ReadStage {
  /// See ``ReadNext/groups(_:of:)``; `nil` if it groups nothing.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]?

  /// See ``ReadNext/gathering(of:)``.
  func gathering(of source: SourceDescription) -> Gathering?
}

/// How a stage reads neighbouring ranges together.
struct Gathering: Equatable, Sendable {
  /// The bytes that take as long to read as another request takes to begin, as measured by now.
  var gap: Int
  /// The most bytes in a group of several ranges.
  var longest: Int
  /// How many groups it reads at the same time.
  var groupsAtOnce: Int
  /// How many of them to begin with: fewer while nothing was measured, since these are grouped by a guess.
  var groupsAtFirst: Int
}

/// A stage that tells where bytes come from. Of a stage that does not, and shows what those below it show, these tell.
protocol ExplainingStage: ReadStage {
  /// Where the bytes of `range` would come from now. The parts are in order and together make up `range`. Must read
  /// nothing and count nothing.
  func explain(_ range: ByteRange, of source: SourceDescription, next: ReadNext) -> [ReadExplanation.Part]
}

/// A stage that takes part in opening the source.
protocol OpeningStage: ReadStage {
  /// Returns what `describe` returns, after several tries if need be. `next` reads nothing: the stage waits and asks for
  /// the time by it.
  nonisolated(nonsending) func opening(
    _ next: ReadNext, _ describe: nonisolated(nonsending) () async throws -> SourceDescription
  ) async throws -> SourceDescription
}

/// A stage, and the chain below it.
@usableFromInline final class StageLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  // Not copyable only for the sake of the link: see `pass`.
  @usableFromInline let stage: any ReadStage & ~Copyable
  @usableFromInline let next: ReadNext
  /// The stage, if it is a cache.
  let cache: (any CacheStage)?
  let discarding: (any DiscardingStage)?
  // Not optional but a stand-in where there is none: unwrapping an optional class counts a reference.
  private let hasReadyStage: Bool
  private let readyStage: any ReadyStage
  /// See ``ReadyStage/ignoresHits``. Not of a stage that shows other bytes: those below it have another description.
  private let isSkippedByHits: Bool
  private let gatheringStage: (any GatheringStage)?
  private let explainingStage: (any ExplainingStage)?
  private let kind: Any.Type

  init(_ stage: any ReadStage, above next: ReadNext, calledBy caller: Any.Type?) {
    self.stage = stage
    self.next = next
    cache = stage as? any CacheStage
    discarding = stage as? any DiscardingStage
    gatheringStage = stage as? any GatheringStage
    explainingStage = stage as? any ExplainingStage
    kind = type(of: stage)
    hasReadyStage = stage is any ReadyStage
    readyStage = stage as? any ReadyStage ?? NeverReady.shared
    isSkippedByHits = stage.isSkippedByHits && next.showsSameBytes
    super.init(
      background: next.background, time: next.time, bottom: next.link.bottom, isStage: true, calledBy: caller)
  }

  @usableFromInline override func ready(_ request: ReadRequest) -> ReadResponse? {
    if isSkippedByHits { return next.link.ready(request) }
    return hasReadyStage ? readyStage.ready(request, next: next) : nil
  }

  override func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    if let explainingStage { return explainingStage.explain(range, of: source, next: next) }
    guard next.showsSameBytes else {
      let why = "\(kind) shows other bytes than those below it, and does not tell which become which"
      return [ReadExplanation.Part(range, .unknown, detail: why)]
    }
    return next.explain(range, of: source)
  }

  override func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    guard let gatheringStage else { return next.groups(ranges, of: source) }
    return gatheringStage.groups(ranges, of: source)
  }

  override func gathering(of source: SourceDescription) -> Gathering? {
    guard let gatheringStage else { return next.gathering(of: source) }
    return gatheringStage.gathering(of: source)
  }
}

/// The stand-in for a stage that is never ready.
private final class NeverReady: ReadyStage {
  static let shared = NeverReady()

  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? { nil }
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
}

/// Removes the description that the stage above derived, so that stages below see theirs.
final class UnderivingLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  let next: ReadNext

  init(above next: ReadNext, calledBy caller: Any.Type) {
    self.next = next
    super.init(
      background: next.background, time: next.time, bottom: next.link.bottom, isUnderiving: true, calledBy: caller)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    var request = request
    request.source = request.source.base ?? request.source
    request.dropGrid()
    var response = try await next(request)
    // So does the over-read: the stage above may pass on a response that it got.
    if !response.overRead.isEmpty { response.overRead = [] }
    return response
  }

  override func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    next.explain(range, of: source.base ?? source)
  }

  /// All or nothing: only the stage above knows where the ranges lie below.
  override func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    next.groups([], of: source.base ?? source) == nil ? nil : [ranges.indices]
  }
}

extension ReadNext {
  /// This chain with `stage` on top.
  ///
  /// - Parameters:
  ///   - changesSource: whether the stage derives a description of its own.
  ///   - caller: the type of the stage above it, if there is one.
  func under(_ stage: any ReadStage, changesSource: Bool, calledBy caller: Any.Type?) -> ReadNext {
    let below = changesSource ? ReadNext(UnderivingLink(above: self, calledBy: type(of: stage))) : self
    return ReadNext(StageLink(stage.linked, above: below, calledBy: caller))
  }
}

/// Waits for stages. They end at once when the read is cancelled or the reader is closed.
extension ReadNext {
  /// Suspends until `instant`, or until the read is cancelled or the reader is closed. Use this in your own stages:
  /// closing does not end a wait by `Task.sleep` or ``time``, and the reader then waits for that stage.
  ///
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  public nonisolated(nonsending) func sleep(until instant: ReadInstant) async throws {
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
