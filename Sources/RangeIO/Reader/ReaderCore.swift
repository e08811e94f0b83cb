import CRangeIOSystem
import Synchronization

/// The state that a reader and its streams share: the linked pipeline, the pinned version, and the gate that closes them.
///
/// Immutable except for the pinned version. Reads use it without touching the actor.
final class ReaderCore: Sendable {
  let background: BackgroundWork
  let streamWindow: Int
  let link: SourceLink
  let pipeline: ReadPipeline
  let head: ReadNext
  /// The source. Called directly if there are no stages and no work is needed in between.
  private let direct: any RangeSource & ~Copyable
  private let isDirect: Bool
  /// The source, if it knows how far ahead a stream is to ask.
  let streamedSource: (any StreamedSource)?
  let hasCache: Bool
  let readsAhead: Bool
  /// The topmost cache. Not optional: taking a class out of an optional counts a reference. So there is a stand-in for a
  /// reader without one.
  let topCache: CachingStage
  /// `true` if no stage above ``topCache`` sees hits.
  let isCacheOnTop: Bool
  /// `true` if it is the only stage, above a source that needs no work in between.
  private let isCacheAlone: Bool
  let gate = ShutdownGate()
  /// The version pinned when the reader was opened. Most sources never change. A constant needs no lock to read, and no
  /// reference count that all tasks share.
  let first: SourceDescription
  /// `true` once `pinned` differs from `first`.
  let hasMoved = Atomic<Bool>(false)
  let pinned: Locked<SourceDescription>
  let counters = ReaderCounters()
  let onChange: RangeReader.ChangePolicy
  let pollInterval: Duration
  let time: ReadClock
  /// When the last successful renewal began, in nanoseconds; `.min` if the next read must renew the version.
  let lastRenewal: Atomic<Int64>
  /// Checks for changes between reads, if the policy asks for it.
  let watcher = Locked<Task<Void, Never>?>(nil)
  /// When streams that follow check the source.
  let following: Locked<FollowingLooks>
  /// The waiters for growth of the source.
  let growth = Notifier()

  private static let noCache = CachingStage(MemoryStore(limit: .bytes(0)))

  /// - Parameter pipeline: `StageUses.begin` has already counted this reader for it.
  private init(
    _ link: SourceLink, _ pipeline: ReadPipeline, head: ReadNext, pinned: SourceDescription,
    _ configuration: RangeReader.Configuration
  ) {
    self.link = link
    self.pipeline = pipeline
    self.head = head
    direct = link.source
    // Nothing is in between: no task that a caller may leave behind, and no copy.
    let needsNothing = pinned.answersCancellation && !pinned.isBorrowed
    isDirect = pipeline.stages.isEmpty && needsNothing
    streamedSource = link.source as? any StreamedSource
    hasCache = pipeline.stages.contains { $0.knownRole?.cache != nil }
    readsAhead = pipeline.stages.contains { $0 is ReadAheadStage }
    let top = pipeline.stages.first { !$0.ignoresHits }
    isCacheOnTop = top is CachingStage
    isCacheAlone = isCacheOnTop && pipeline.stages.count == 1 && needsNothing
    topCache = pipeline.stages.lazy.compactMap { $0 as? CachingStage }.first ?? Self.noCache
    first = pinned
    self.pinned = Locked(pinned)
    background = configuration.background
    streamWindow = configuration.streamWindow
    onChange = configuration.onChange
    // Even with a poll interval of zero the reader checks only a thousand times a second, so that the processor is not
    // kept busy. The other bound leaves room for multiples.
    pollInterval = min(max(onChange.pollInterval, .milliseconds(1)), .seconds(Int64.max / 64))
    time = configuration.time
    lastRenewal = Atomic(configuration.time.now.nanoseconds)
    following = Locked(FollowingLooks(from: configuration.time.now))
  }

  deinit {
    watcher.withLock { $0 }?.cancel()
    // Closing the reader has already done this.
    guard !gate.isClosed else { return }
    giveUpReadingAhead()
    StageUses.end(pipeline)
  }

  /// Describes `source`, pins that version, and links the stages above it.
  static func open(
    _ source: any RangeSource, _ pipeline: ReadPipeline, _ configuration: RangeReader.Configuration
  ) async throws -> ReaderCore {
    let background = configuration.background
    let link = SourceLink(source, background: background)
    do {
      try Task.checkCancellation()
      let bottom = link.next(configuration.time, calledBy: pipeline.stages.last.map { type(of: $0) })
      let below = try await pipeline.opening(bottom) { try await link.describe(after: nil) }
      guard !configuration.onChange.follows || below.mayGrow else {
        throw ReadError(
          .invalidConfiguration,
          "this source does not say that it grows, so it cannot be followed: make a FileSource of your own with "
            + "isAppendOnly: true, a remote source with isAppendOnly in its configuration; another source sets mayGrow "
            + "in the traits of its description",
          context: .init(source: below.name))
      }
      guard !configuration.onChange.refreshes || !(below.context is TracelessChanges) else {
        throw TracelessChanges.refusal(below)
      }
      // Prepares timers now: when a stage must wait later, there may be no descriptors left for them.
      Timers.prepare()
      let head = try pipeline.link(above: bottom, for: below)
      try await StageUses.begin(pipeline)
      let core = ReaderCore(link, pipeline, head: head, pinned: pipeline.describe(below), configuration)
      if configuration.onChange.watches { core.watch(from: below) }
      return core
    } catch {
      // The caller has handed over the source and cannot close it any more.
      background.start { await link.close(after: nil) }
      throw error
    }
  }

  /// The version that reads use.
  var source: SourceDescription { hasMoved.load(ordering: .acquiring) ? pinned.withLock { $0 } : first }

  func statistics() -> RangeReader.Statistics {
    var all = counters.snapshot(pipeline.stageStatistics(), source: link.source.statistics())
    guard let cache = pipeline.stages.first(where: { $0.knownRole?.cache != nil }) else { return all }
    // A stage above the cache may turn one read into several.
    let misses = min(all.reads, link.cacheMisses)
    all.cacheHits = all.reads - misses
    let name = cache.statistics()?.name
    if let index = all.stages.firstIndex(where: { $0.name == name }) {
      all.stages[index].counts.insert(
        contentsOf: [.init("hits", all.reads - misses), .init("misses", misses)], at: 0)
    }
    return all
  }
}

// MARK: reading

extension ReaderCore {
  /// Checks `range` and reads it. The caller has looked for a ``hit(_:isAbsent:)``, and says what that has shown.
  @inline(__always) func read(_ range: ByteRange, isAbsent: Bool) async throws -> Bytes {
    // The fast path of most other reads. Touches no reference count that other tasks share.
    guard !hasMoved.load(ordering: .acquiring), Self.holds(first, range), !range.isEmpty else {
      return try await read(range, caching: .normal)
    }
    // On the way through the stages above a cache, what its look-up needs arrives from memory.
    if !isCacheOnTop { topCache.expect(range, of: first) }
    try enter()
    do {
      let response: ReadResponse
      if isDirect {
        response = ReadResponse(try await Self.read(range, of: first, direct))
      } else if isCacheAlone, topCache.bypasses(range, of: first, isAbsent: isAbsent) {
        response = ReadResponse(try await Self.read(range, of: first, direct))
        if response.bytes.count == range.count { link.countCacheMiss() }
      } else {
        response = try await head.read(ReadRequest(plain: range, of: first), isAsked: isCacheOnTop)
      }
      guard response.bytes.count == range.count, response.moreBytes.isEmpty else {
        try response.check(ReadRequest(plain: range, of: first))
        return Bytes()  // not reached: `check` throws
      }
      counters.succeeded(range.count)
      gate.leave()
      return response.bytes
    } catch {
      gate.leave()
      guard switchesVersion(at: error) else { throw failed(error) }
    }
    return try await read(range, caching: .normal)
  }

  /// Borrows the source: a copy would touch a reference count that all tasks share.
  @inline(__always) private static func read(
    _ range: ByteRange, of source: SourceDescription, _ direct: borrowing any RangeSource & ~Copyable
  ) async throws -> Bytes {
    try await direct.read(range, of: source)
  }

  func read(_ range: ByteRange, caching: ReadRequest.CachePolicy) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    return try await switchingVersions {
      var source = source
      if !Self.holds(source, range) {
        source = try await lookAgain(for: range)
        try Self.checkCount(range, of: source)
      }
      guard !range.isEmpty else { return Bytes() }
      var request = ReadRequest(range, of: source)
      if caching != .normal { request.caching = caching }
      return try await respond(request).bytes
    }
  }

  /// Several ranges as one request. The results are in the order of `ranges`.
  func read(_ ranges: [ByteRange], caching: ReadRequest.CachePolicy) async throws -> [Bytes] {
    try enter()
    defer { gate.leave() }
    return try await switchingVersions { try await readNow(ranges, caching) }
  }

  private func readNow(_ ranges: [ByteRange], _ caching: ReadRequest.CachePolicy) async throws -> [Bytes] {
    var source = source
    // One check is enough for all ranges, except those past the end that it found.
    if !source.isSettled { source = try await repin() }
    for range in ranges where !Self.lies(range, within: source) { source = try await lookAgain(for: range) }
    // If one of them made the reader switch versions, the new version may be too short for another.
    for range in ranges {
      try Self.check(range, of: source)
      try Self.checkCount(range, of: source)
    }
    // Empty ranges are answered here, so that stages and sources never see them.
    guard let wanted = OneOrMore(ranges.filter { !$0.isEmpty }) else { return ranges.map { _ in Bytes() } }
    var request = ReadRequest(wanted, of: source)
    if caching != .normal { request.caching = caching }
    // There are as many as ranges were wanted: `respond` has checked that.
    var answers = try await respond(request).pieces.makeIterator()
    return ranges.map { $0.isEmpty ? Bytes() : answers.next()! }
  }

  /// The bytes of a range in any form. If the range depends on the size, it is resolved in the pinned version; if the
  /// source may grow, in the current one.
  func read(_ asked: AskedRange, caching: ReadRequest.CachePolicy) async throws -> Bytes {
    if case .bytes(let range) = asked { return try await read(range, caching: caching) }
    try enter()
    defer { gate.leave() }
    return try await switchingVersions {
      // An empty source is never read, so a read cannot notice a change: check it here.
      let isToLook = source.mayGrow || !source.isSettled || source.byteCount == 0
      let source = isToLook ? try await repin() : source
      let range = try asked.resolved(in: source)
      try Self.check(range, of: source)
      try Self.checkCount(range, of: source)
      guard !range.isEmpty else { return Bytes() }
      var request = ReadRequest(range, of: source)
      if caching != .normal { request.caching = caching }
      return try await respond(request).bytes
    }
  }

  /// Reads one window of a stream, from the version that the stream began with.
  ///
  /// - Parameter end: where the stream ends, if it ends before the source does.
  func readWindow(
    _ range: ByteRange, of source: SourceDescription, caching: ReadRequest.CachePolicy, until end: Int? = nil
  ) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    var request = ReadRequest(range, of: source)
    if caching != .normal { request.caching = caching }
    if let end, readsAhead { request.sequenceEnd = end }
    do { return try await respond(request).bytes } catch { throw failed(error) }
  }

  /// A stream is over whose last read ended at one of `offsets`.
  func leaveSequence(at offsets: ClosedRange<Int>, of source: SourceDescription) {
    if readsAhead { head.leaveSequence(at: offsets, of: source) }
  }

  @inline(__always) private func respond(_ request: ReadRequest) async throws -> ReadResponse {
    let response = try await head(request)
    try response.check(request)
    counters.succeeded(response.byteCount)
    return response
  }

  /// Counts a read that ended with `error`. Returns the same error.
  func failed(_ error: any Error) -> any Error {
    counters.failed(error)
    if switchesVersion(at: error) { lastRenewal.store(.min, ordering: .relaxed) }
    return error
  }

  /// Begins a use of the pipeline. End it with `gate.leave()`.
  @inline(__always) func enter() throws {
    guard gate.enter() else { throw ReadError.closed }
    guard !rio_task_is_cancelled() else {
      gate.leave()
      throw CancellationError()
    }
  }
}

extension ReaderCore {
  /// Stages that other readers share stay open.
  private func giveUpReadingAhead() {
    for stage in pipeline.stages { (stage as? ReadAheadStage)?.end(link) }
  }

  /// Closes the gate, ends all waits, and closes the pipeline in the background. Call this once. Returns a handle for
  /// waiting until all of that is done.
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
    // Closes the source while reads are still running: that is what ends them.
    let sourceIsClosed = Promise<Void>()
    background.start { [link, first] in
      await link.close(after: first)
      sourceIsClosed.resolve(.success(()))
    }
    // This work is never cancelled, so neither wait can end early.
    try? await gate.drained()
    await link.stagesAreQuiet()
    giveUpReadingAhead()
    await StageUses.close(pipeline)
    try? await sourceIsClosed.value()
  }
}
