/// The rest of the pipeline below a stage: call it to read.
///
/// Linked once, when the reader is made. It may escape: a stage may keep it for work that outlives the call.
/// Calling it allocates nothing.
public struct ReadNext: Sendable {
  @usableFromInline let link: ReadLink

  @usableFromInline init(_ link: ReadLink) { self.link = link }

  /// Starts work that outlives a read.
  public var background: BackgroundWork { link.background }
  /// Tells the time.
  public var time: TimeSource { link.time }

  /// Whether the reader is closed, so that nothing can be read through this any more.
  var isClosed: Bool { link.bottom.isClosed }

  /// Where the pipeline ends.
  var bottom: SourceLink { link.bottom }

  /// Waits for `answer`, which another reader may bring, but not beyond the closing of this one.
  func wait<Value>(for answer: Promise<Value>) async throws -> Value {
    try await link.bottom.waiting.wait(for: answer)
  }

  /// Starts work that reads through this and may outlive the read that starts it: a second try, a refill, a shared fetch.
  ///
  /// Call it within a read. The stages below stay open until the work has ended, so end it soon after the task is
  /// cancelled; what it reads ends at once when the reader is closed. Wait for times by ``sleep(until:)``.
  ///
  /// - Returns: the task, to cancel it. Cancelling the read does not.
  @discardableResult public func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let flights = link.bottom.flights
    flights.enterAgain()
    return background.start {
      await work()
      flights.leave()
    }
  }

  /// As one of the two.
  func startFlight(elsewhere: Bool, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    elsewhere ? startFlightElsewhere(work) : start(work)
  }

  /// As ``start(_:)``, on another thread even if it could begin here.
  func startFlightElsewhere(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let flights = link.bottom.flights
    flights.enterAgain()
    return background.startElsewhere {
      await work()
      flights.leave()
    }
  }

  /// Reads what `request` asks from the stages and the source below.
  ///
  /// - Throws: what they throw; `CancellationError` at once when the task is cancelled; `ReadError` with `closed`, or with
  ///   `invalidResponse` for one that answers a wrong number of bytes.
  @inlinable @inline(__always)
  public nonisolated(nonsending) func callAsFunction(_ request: ReadRequest) async throws -> ReadResponse {
    // Compiled into the stage above, so that a stage costs one asynchronous call and not one for each link as well:
    // each takes some 20 ns, and a hit in memory takes less than the system call that it saves.
    guard link.isStage else { return try await link.read(request) }
    let stageLink = unsafeDowncast(link, to: StageLink.self)
    if let response = stageLink.ready(request) { return response }
    return try await Self.pass(request, to: stageLink.stage, stageLink.next)
  }

  /// Where the bytes of `range` would come from now.
  ///
  /// - Parameter source: as the stage that calls this sees it.
  public func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    link.explain(range, of: source)
  }

  /// Whether the stage above does not derive a source of its own.
  var showsSameBytes: Bool { !(link is UnderivingLink) }

  /// The answer, if what lies below has it now: without waiting, and without an asynchronous call. `nil` says nothing.
  public func ready(_ request: ReadRequest) -> ReadResponse? { link.ready(request) }

  /// Which of `ranges`, in ascending order and disjoint, are better asked for together, as one request each: numbers of
  /// ranges, in order. `nil` if nothing below cares: then each is asked for by itself.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? { link.groups(ranges, of: source) }

  /// The stage is borrowed: with copies, two tasks that read through one chain would take turns at its reference count.
  @inlinable @inline(__always) static nonisolated(nonsending) func pass(
    _ request: ReadRequest, to stage: borrowing any ReadStage & ~Copyable, _ next: ReadNext
  ) async throws -> ReadResponse {
    try await stage.read(request, next: next)
  }
}

/// One step of the chain down. A class, so that handing the rest of the chain to a stage is one pointer.
@usableFromInline class ReadLink: @unchecked Sendable {
  // Unchecked because it is not final: it and its subclasses have constants only.
  final let background: BackgroundWork
  final let time: TimeSource
  /// Where the chain ends.
  final let bottom: SourceLink
  /// Whether this is a ``StageLink``.
  @usableFromInline final let isStage: Bool

  init(background: BackgroundWork, time: TimeSource, bottom: SourceLink, isStage: Bool = false) {
    self.background = background
    self.time = time
    self.bottom = bottom
    self.isStage = isStage
  }

  @usableFromInline nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    preconditionFailure("each kind of link reads in its own way")
  }

  /// The answer, if it is there without waiting.
  @usableFromInline func ready(_ request: ReadRequest) -> ReadResponse? { nil }

  /// As ``ReadNext/groups(_:of:)``.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? { nil }

  /// As ``ReadNext/explain(_:of:)``. The end of the chain is the source.
  func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    [ReadExplanation.Part(range, .source)]
  }
}

/// A stage that reads ranges which lie near each other together.
protocol GatheringStage: ReadStage {
  /// As ``ReadNext/groups(_:of:)``; `nil` if it gathers nothing.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]?
}

/// A stage, and what lies below it.
@usableFromInline final class StageLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  // Not copyable for the sake of the link alone: see `pass`.
  @usableFromInline let stage: any ReadStage & ~Copyable
  @usableFromInline let next: ReadNext
  /// The stage, if it is one that others have to look into.
  let cache: (any CacheStage)?
  let discarding: (any DiscardingStage)?
  // Not optional, and a stand-in where there is none: taking a class out of an optional counts a reference.
  private let hasReadyStage: Bool
  private let readyStage: any ReadyStage
  private let gatheringStage: (any GatheringStage)?

  init(_ stage: any ReadStage, above next: ReadNext) {
    self.stage = stage
    self.next = next
    cache = stage as? any CacheStage
    discarding = stage as? any DiscardingStage
    gatheringStage = stage as? any GatheringStage
    hasReadyStage = stage is any ReadyStage
    readyStage = stage as? any ReadyStage ?? NeverReady.shared
    super.init(background: next.background, time: next.time, bottom: next.link.bottom, isStage: true)
  }

  @usableFromInline override func ready(_ request: ReadRequest) -> ReadResponse? {
    hasReadyStage ? readyStage.ready(request, next: next) : nil
  }

  override func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    Self.explain(range, of: source, by: stage, next)
  }

  /// The stage is borrowed, as in ``ReadNext/pass(_:to:_:)``.
  private static func explain(
    _ range: ByteRange, of source: SourceDescription, by stage: borrowing any ReadStage & ~Copyable, _ next: ReadNext
  ) -> [ReadExplanation.Part] {
    stage.explain(range, of: source, next: next)
  }

  override func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    guard let gatheringStage else { return next.groups(ranges, of: source) }
    return gatheringStage.groups(ranges, of: source)
  }
}

/// Stands where a stage has nothing without waiting.
private final class NeverReady: ReadyStage {
  static let shared = NeverReady()

  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? { nil }
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
}

/// Takes the description that the stage above derived off again, so that those below see theirs.
final class UnderivingLink: ReadLink, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.
  let next: ReadNext

  init(above next: ReadNext) {
    self.next = next
    super.init(background: next.background, time: next.time, bottom: next.link.bottom)
  }

  override nonisolated(nonsending) func read(_ request: ReadRequest) async throws -> ReadResponse {
    var request = request
    request.source = request.source.base ?? request.source
    // The grid is that of other bytes.
    request.grid = nil
    var response = try await next(request)
    // And so is what was read beside: the stage above may hand on a response that it got.
    if !response.overRead.isEmpty { response.overRead = [] }
    return response
  }

  override func explain(_ range: ByteRange, of source: SourceDescription) -> [ReadExplanation.Part] {
    next.explain(range, of: source.base ?? source)
  }

  /// All or nothing: where the ranges will lie below, only the stage above knows.
  override func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    next.groups([], of: source.base ?? source) == nil ? nil : [ranges.indices]
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
