import CRangeIOSystem
import Synchronization

/// What a reader and its streams share: the linked pipeline, the pinned version, and the gate that closes them.
///
/// Immutable but for the pinned snapshot; reads go through it without touching the actor.
final class ReaderCore: Sendable {
  let background: BackgroundWork
  let streamWindow: Int
  private let link: SourceLink
  private let pipeline: ReadPipeline
  private let head: ReadNext
  /// The source, called past the chain where there are no stages and nothing is needed in between.
  private let direct: any RangeSource & ~Copyable
  private let isDirect: Bool
  private let gate = UseGate()
  /// The version pinned when the reader was opened. Most sources never become another, and a constant is read without
  /// a lock and without counting a reference that all tasks share.
  private let first: SourceDescription
  /// Whether `pinned` is another than `first`.
  private let hasMoved = Atomic<Bool>(false)
  private let pinned: Locked<SourceDescription>
  private let counters = ReaderCounters()
  private let onChange: ChangePolicy
  private let lookInterval: Duration
  private let time: TimeSource
  /// Looks for changes while nobody reads, if the policy wants that.
  private let watcher = Locked<Task<Void, Never>?>(nil)
  /// Those who wait for the source to grow.
  private let growth = Bell()

  private init(
    _ link: SourceLink, _ pipeline: ReadPipeline, head: ReadNext, pinned: SourceDescription,
    _ configuration: RangeReader.Configuration
  ) {
    self.link = link
    self.pipeline = pipeline
    self.head = head
    direct = link.source
    isDirect = pipeline.stages.isEmpty && link.isPrompt
    first = pinned
    self.pinned = Locked(pinned)
    background = configuration.background
    streamWindow = configuration.streamWindow
    onChange = configuration.onChange
    lookInterval = configuration.lookInterval
    time = configuration.time
  }

  deinit { watcher.withLock { $0 }?.cancel() }

  /// Looks at `source`, pins what it is, and links the stages above it.
  static func open(
    _ source: any RangeSource, _ pipeline: ReadPipeline, _ configuration: RangeReader.Configuration
  ) async throws -> ReaderCore {
    let background = configuration.background
    let link = SourceLink(source, background: background)
    do {
      try Task.checkCancellation()
      let below = try await link.describe()
      let head = try pipeline.link(above: link.next(configuration.time), for: below)
      let core = ReaderCore(link, pipeline, head: head, pinned: pipeline.describe(below), configuration)
      if configuration.onChange.watches { core.watch(from: below) }
      return core
    } catch {
      // The source was handed over: whoever made it cannot close it any more.
      background.start { await link.close() }
      throw error
    }
  }

  /// The version that reads speak of.
  var source: SourceDescription { hasMoved.load(ordering: .acquiring) ? pinned.withLock { $0 } : first }

  func statistics() -> ReaderStatistics {
    counters.snapshot(pipeline.statistics(), source: link.source.statistics())
  }
}

// MARK: reading

extension ReaderCore {
  /// The bytes of `range`, which is checked here.
  @inline(__always) func read(_ range: ByteRange) async throws -> Bytes {
    // The way of nearly all reads, without a reference counted that other tasks count as well.
    guard !hasMoved.load(ordering: .acquiring), Self.holds(first, range), !range.isEmpty else {
      return try await readWithCare(range)
    }
    try enter()
    do {
      let response: ReadResponse
      if isDirect {
        response = ReadResponse(try await Self.read(range, of: first, direct))
      } else {
        response = try await head(ReadRequest(plain: range, of: first))
      }
      guard response.bytes.count == range.count, response.moreBytes.isEmpty else {
        try response.check(ReadRequest(plain: range, of: first))
        return Bytes()  // not reached: what is not right is thrown
      }
      counters.succeeded(range.count)
      gate.leave()
      return response.bytes
    } catch {
      counters.failed(error)
      gate.leave()
      guard turns(at: error) else { throw error }
    }
    return try await readWithCare(range)
  }

  /// The source is borrowed: a copy would count a reference that all tasks count.
  @inline(__always) private static func read(
    _ range: ByteRange, of source: SourceDescription, _ direct: borrowing any RangeSource & ~Copyable
  ) async throws -> Bytes {
    try await direct.read(range, of: source)
  }

  /// A read that needs another look at the source.
  private func readWithCare(_ range: ByteRange) async throws -> Bytes {
    try await read(range, caching: .normal)
  }

  /// The bytes of `range`, with a wish as to caches.
  func read(_ range: ByteRange, caching: ReadRequest.Caching) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    return try await turning {
      var source = source
      if !Self.holds(source, range) { source = try await lookAgain(for: range) }
      guard !range.isEmpty else { return Bytes() }
      var request = ReadRequest(range, of: source)
      if caching != .normal { request.caching = caching }
      return try await respond(request).bytes
    }
  }

  /// The bytes of several ranges, as one request, in the order asked.
  func read(_ ranges: [ByteRange]) async throws -> [Bytes] {
    try enter()
    defer { gate.leave() }
    return try await turning { try await readNow(ranges) }
  }

  private func readNow(_ ranges: [ByteRange]) async throws -> [Bytes] {
    var source = source
    for range in ranges where !Self.holds(source, range) { source = try await lookAgain(for: range) }
    // Empty ranges are answered here, so that no stage and no source has to know them.
    let wanted = ranges.filter { !$0.isEmpty }
    guard let first = wanted.first else { return ranges.map { _ in Bytes() } }
    let response = try await respond(ReadRequest(first, moreRanges: Array(wanted.dropFirst()), of: source))
    guard wanted.count < ranges.count else { return [response.bytes] + response.moreBytes }
    var answers = ([response.bytes] + response.moreBytes)[...]
    return ranges.map { $0.isEmpty ? Bytes() : answers.removeFirst() }
  }

  /// A range that depends on the size of the source: on its present size, where the source may grow.
  func range(_ rule: (_ byteCount: Int) throws -> ByteRange) async throws -> ByteRange {
    if source.mayGrow { try await refresh() }
    return try rule(source.byteCount)
  }

  /// One window of a stream, of the version that the stream began with.
  func readWindow(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    return try await respond(ReadRequest(range, of: source)).bytes
  }

  @inline(__always) private func respond(_ request: ReadRequest) async throws -> ReadResponse {
    do {
      let response = try await head(request)
      try response.check(request)
      counters.succeeded(response.byteCount)
      return response
    } catch {
      counters.failed(error)
      throw error
    }
  }

  /// Begins a use of the pipeline, to be ended by `gate.leave()`.
  @inline(__always) private func enter() throws {
    guard gate.enter() else { throw ReadError.closed }
    guard !rio_task_is_cancelled() else {
      gate.leave()
      throw CancellationError()
    }
  }
}

// MARK: versions

extension ReaderCore {
  /// Whether `range` can be read of `source` without another look at it.
  private static func holds(_ source: SourceDescription, _ range: ByteRange) -> Bool {
    range.lowerBound >= 0 && range.upperBound <= source.byteCount && source.isSettled
  }

  /// The version to read `range` of: the pinned one, or the present one if that is unsettled or too short.
  ///
  /// - Throws: `rangeNotSatisfiable`; `sourceChanged`.
  private func lookAgain(for range: ByteRange) async throws -> SourceDescription {
    var source = source
    let isBeyond = range.upperBound > source.byteCount && !range.isEmpty
    if !source.isSettled || isBeyond && source.mayGrow { source = try await repin() }
    guard range.lowerBound >= 0, range.upperBound <= source.byteCount || range.isEmpty else {
      throw ReadError.rangeNotSatisfiable("\(range)", byteCount: source.byteCount, source: source.id)
    }
    return source
  }

  /// The version that holds `range`, for a stream that begins.
  func pin(for range: ByteRange) async throws -> SourceDescription {
    try enter()
    defer { gate.leave() }
    // A stream is of one version to its end: of the present one, where that matters.
    if onChange == .refresh { _ = try await repin() }
    let source = source
    return Self.holds(source, range) ? source : try await lookAgain(for: range)
  }

  /// Looks at the source and pins what it is now.
  ///
  /// - Throws: `sourceChanged` if it is neither the version pinned nor a longer one.
  func refresh() async throws {
    try enter()
    defer { gate.leave() }
    _ = try await repin()
  }

  private func repin() async throws -> SourceDescription {
    var judged: SourceDescription?
    while true {
      let now = pipeline.describe(try await link.describe())
      let verdict = pinned.withLock { pinned -> (SourceDescription, isOther: Bool) in
        guard pinned.change(to: now) == .other else {
          // A description that says nothing new is not put in the place of one that stores may know already.
          if !pinned.says(now) {
            pinned = now
            hasMoved.store(true, ordering: .releasing)
          }
          return (pinned, false)
        }
        return (pinned, true)
      }
      guard verdict.isOther else { return verdict.0 }
      // Looks of several callers may come back in another order than they were taken, and an old look at a source that
      // has grown since looks like one that shrank. A look that began after the pinned one came back is later for sure.
      guard judged !== verdict.0 else {
        if onChange == .refresh { return try await turn() }
        throw ReadError(
          .sourceChanged, "the source is another version than the one opened: open it again to read the new version",
          context: .init(source: now.id))
      }
      judged = verdict.0
    }
  }
}

// MARK: changes

extension ReaderCore {
  /// How often a read turns to another version before it gives up.
  private static let mostTurns = 16

  /// Whether a reader that meets `error` turns to another version.
  private func turns(at error: any Error) -> Bool {
    onChange == .refresh && (error as? ReadError)?.code == .sourceChanged
  }

  /// Does `body`, anew as often as the version changes under it and the policy is to turn to the new one.
  @inline(__always) private func turning<Value>(
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var turnCount = 0
    while true {
      do { return try await body() } catch {
        guard turns(at: error), turnCount < Self.mostTurns else { throw error }
      }
      turnCount += 1
      try Task.checkCancellation()
      _ = try await turn()
    }
  }

  /// Pins what the name of the source leads to now.
  private func turn() async throws -> SourceDescription {
    let now = pipeline.describe(try await link.renew())
    let before = pinned.withLock { pinned -> SourceDescription? in
      if pinned.says(now) { return nil }
      defer { pinned = now }
      hasMoved.store(true, ordering: .releasing)
      return pinned
    }
    // What is cached of a longer version's beginning may be good still.
    if let before, before.change(to: now) == .other { pipeline.endReading(before) }
    return now
  }

  /// Begins to look for changes.
  private func watch(from below: SourceDescription) {
    let task = background.start { [weak self, link, time, lookInterval] in
      var seen = below
      while true {
        do { try await link.waitForChange(after: seen, within: lookInterval, time) } catch { return }
        guard let now = await self?.look() else { return }
        seen = now
      }
    }
    watcher.withLock { $0 = task }
  }

  /// Looks whether the source has changed, and tells those who wait for that.
  ///
  /// - Returns: what it is now, as the source describes it; `nil` if there is nothing more to look for.
  private func look() async -> SourceDescription? {
    guard gate.enter() else { return nil }
    defer { gate.leave() }
    do {
      let before = source
      // The object that is read may be the same while its name leads to another.
      let now = try await onChange == .refresh ? turn() : repin()
      if now !== before { growth.ring() }
      var base = now
      while let below = base.base { base = below }
      return base
    } catch {
      if error is CancellationError || (error as? ReadError)?.code == .closed { return nil }
      // Those who wait look for themselves, and are told what is wrong.
      growth.ring()
      guard (error as? ReadError)?.code == .sourceChanged else { return try? await link.describe() }
      return nil
    }
  }

  /// Waits until the source may hold bytes from `offset` on.
  ///
  /// - Parameter isOver: asked when it does not: whether to wait no longer.
  /// - Returns: the version that does; `nil` if it is over.
  func more(from offset: Int, isOver: (@Sendable () async throws -> Bool)?) async throws -> SourceDescription? {
    while true {
      // Before the look: what comes after it is told of.
      let answer = growth.listen()
      defer { growth.leave(answer) }
      if let now = try await version(beyond: offset) { return now }
      if let isOver, try await isOver() {
        // What was added before it was over belongs to it.
        return try await version(beyond: offset)
      }
      // Also now and then, for the sake of whoever decides whether it is over.
      let timer = background.start { [time, lookInterval] in
        try? await time.sleep(for: lookInterval)
        answer.resolve(.success(()))
      }
      defer { timer.cancel() }
      try await link.waiting.wait(for: answer)
    }
  }

  private func version(beyond offset: Int) async throws -> SourceDescription? {
    try enter()
    defer { gate.leave() }
    let now = try await repin()
    return now.byteCount > offset ? now : nil
  }
}

// MARK: advice

extension ReaderCore {
  /// What the user expects of a range.
  func advise(_ advice: ReadAdvice, _ range: ByteRange) {
    guard gate.enter() else { return }
    defer { gate.leave() }
    let source = source
    guard let range = ByteRanges.intersection(range, 0..<source.byteCount), source.isSettled else { return }
    switch advice {
    case .willRead where head.isKept:
      var request = ReadRequest(range, of: source)
      request.purpose = .prefetch
      // It is told nobody what becomes of it.
      _ = head.startFlightElsewhere { [head, request] in _ = try? await head(request) }
    case .discard:
      head.discard(range, of: source)
      fallthrough
    case .willRead:
      guard source.base == nil else { return }
      link.source.advise(advice, range, of: source)
    }
  }
}

// MARK: closing

extension ReaderCore {
  /// Closes the gate, answers everyone, and takes the pipeline apart in the background. To be called once.
  ///
  /// - Returns: the end of all that.
  func beginClosing() -> Closing {
    let closing = Closing()
    _ = gate.close()
    watcher.withLock { $0 }?.cancel()
    background.start {
      await self.takeApart()
      closing.finish()
    }
    return closing
  }

  private func takeApart() async {
    // The source is closed while reads are still inside: that is what answers them.
    let sourceIsClosed = OneAnswer<Void>()
    background.start { [link] in
      await link.close()
      sourceIsClosed.resolve(.success(()))
    }
    // Nobody cancels this work, so neither wait can end early.
    try? await gate.drained()
    await link.stagesAreQuiet()
    for stage in pipeline.stages { await stage.close() }
    try? await sourceIsClosed.value()
  }
}

/// A closing under way, which any number of callers wait for.
final class Closing: Sendable {
  private let isFinished = UseGate()

  init() { _ = isFinished.enter() }

  func finish() {
    _ = isFinished.close()
    isFinished.leave()
  }

  /// Returns when the closing has ended, or at once in a cancelled task.
  func wait() async {
    // The only error is cancellation, which ends the wait and not the closing.
    try? await isFinished.drained()
  }
}
