import CRangeIOSystem
import Synchronization

/// What a reader and its streams share: the linked pipeline, the pinned version, and the gate that closes them.
///
/// Immutable but for the pinned snapshot; reads go through it without touching the actor.
final class ReaderCore: Sendable {
  let background: BackgroundWork
  let streamWindow: Int
  let link: SourceLink
  let pipeline: ReadPipeline
  let head: ReadNext
  /// The source, called past the chain where there are no stages and nothing is needed in between.
  private let direct: any RangeSource & ~Copyable
  private let isDirect: Bool
  /// Whether a stage keeps what is read.
  let hasCache: Bool
  let gate = ShutdownGate()
  /// The version pinned when the reader was opened. Most sources never become another, and a constant is read without
  /// a lock and without counting a reference that all tasks share.
  private let first: SourceDescription
  /// Whether `pinned` is another than `first`.
  let hasMoved = Atomic<Bool>(false)
  let pinned: Locked<SourceDescription>
  let counters = ReaderCounters()
  let onChange: ChangePolicy
  let pollInterval: Duration
  let time: TimeSource
  /// Looks for changes between reads, if the policy wants that.
  let watcher = Locked<Task<Void, Never>?>(nil)
  /// When streams that follow look.
  let following: Locked<FollowingLooks>
  /// Those who wait for the source to grow.
  let growth = Notifier()

  /// - Parameter pipeline: of which a reader has begun.
  private init(
    _ link: SourceLink, _ pipeline: ReadPipeline, head: ReadNext, pinned: SourceDescription,
    _ configuration: RangeReader.Configuration
  ) {
    self.link = link
    self.pipeline = pipeline
    self.head = head
    direct = link.source
    isDirect = pipeline.stages.isEmpty && link.isPrompt
    hasCache = pipeline.stages.contains { $0 is any CacheStage }
    first = pinned
    self.pinned = Locked(pinned)
    background = configuration.background
    streamWindow = configuration.streamWindow
    onChange = configuration.onChange
    // Whoever wants it at all times gets it a thousand times a second, and the processor is not kept busy by it.
    pollInterval = max(configuration.pollInterval, .milliseconds(1))
    time = configuration.time
    following = Locked(FollowingLooks(next: configuration.time.now, last: configuration.time.now))
  }

  deinit {
    watcher.withLock { $0 }?.cancel()
    // One that was closed has ended that already.
    if !gate.isClosed { StageUses.end(pipeline) }
  }

  /// Looks at `source`, pins what it is, and links the stages above it.
  static func open(
    _ source: any RangeSource, _ pipeline: ReadPipeline, _ configuration: RangeReader.Configuration
  ) async throws -> ReaderCore {
    let background = configuration.background
    let link = SourceLink(source, background: background)
    do {
      try Task.checkCancellation()
      let below = try await link.describe()
      guard configuration.onChange != .follow || below.mayGrow else {
        throw ReadError(
          .invalidConfiguration,
          "this source does not say that it grows, so it cannot be followed: for a FileSource of your own set isAppendOnly "
            + "in its configuration; another sets mayGrow in its description",
          context: .init(source: below.name))
      }
      // Stages may wait for a time later on, when there are no descriptors left for that.
      Timers.prepare()
      let head = try pipeline.link(above: link.next(configuration.time), for: below)
      try await StageUses.begin(pipeline)
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
    var all = counters.snapshot(pipeline.statistics(), source: link.source.statistics())
    guard let cache = pipeline.stages.first(where: { $0 is any CacheStage }) else { return all }
    // A stage above the cache may make several reads of one.
    let misses = min(all.reads, link.cacheMisses)
    all.cacheHits = all.reads - misses
    let name = cache.statistics()?.stage
    if let index = all.stages.firstIndex(where: { $0.stage == name }) {
      all.stages[index].counts.insert(
        contentsOf: [.init("hits", all.reads - misses), .init("misses", misses)], at: 0)
    }
    return all
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
      gate.leave()
      guard switchesVersion(at: error) else { throw failed(error) }
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
  func read(_ range: ByteRange, caching: CachePolicy) async throws -> Bytes {
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

  /// The bytes of several ranges, as one request, in the order asked.
  func read(_ ranges: [ByteRange], caching: CachePolicy) async throws -> [Bytes] {
    try enter()
    defer { gate.leave() }
    return try await switchingVersions { try await readNow(ranges, caching) }
  }

  private func readNow(_ ranges: [ByteRange], _ caching: CachePolicy) async throws -> [Bytes] {
    var source = source
    // One look is enough for all of them, but for what lies beyond the end that it saw.
    if !source.isSettled { source = try await repin() }
    for range in ranges where !Self.lies(range, within: source) { source = try await lookAgain(for: range) }
    // A version that was turned to for one of them may be too short for another.
    for range in ranges {
      try Self.check(range, of: source)
      try Self.checkCount(range, of: source)
    }
    // Empty ranges are answered here, so that no stage and no source has to know them.
    let wanted = ranges.filter { !$0.isEmpty }
    guard let first = wanted.first else { return ranges.map { _ in Bytes() } }
    var request = ReadRequest(first, moreRanges: Array(wanted.dropFirst()), of: source)
    if caching != .normal { request.caching = caching }
    let response = try await respond(request)
    guard wanted.count < ranges.count else { return [response.bytes] + response.moreBytes }
    var answers = ([response.bytes] + response.moreBytes)[...]
    return ranges.map { $0.isEmpty ? Bytes() : answers.removeFirst() }
  }

  /// The bytes of a range in any form. Where the size of the source decides what it is: of the version that is read, and the
  /// present one where that may grow.
  func read(_ asked: AskedRange, caching: CachePolicy) async throws -> Bytes {
    if case .bytes(let range) = asked { return try await read(range, caching: caching) }
    try enter()
    defer { gate.leave() }
    return try await switchingVersions {
      // Of an empty source nothing is read, by which a change would show.
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

  /// One window of a stream, of the version that the stream began with.
  func readWindow(_ range: ByteRange, of source: SourceDescription, caching: CachePolicy) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    var request = ReadRequest(range, of: source)
    if caching != .normal { request.caching = caching }
    do { return try await respond(request).bytes } catch { throw failed(error) }
  }

  @inline(__always) private func respond(_ request: ReadRequest) async throws -> ReadResponse {
    let response = try await head(request)
    try response.check(request)
    counters.succeeded(response.byteCount)
    return response
  }

  /// Notes that a read ends by `error`.
  ///
  /// - Returns: it.
  func failed(_ error: any Error) -> any Error {
    counters.failed(error)
    return error
  }

  /// Begins a use of the pipeline, to be ended by `gate.leave()`.
  @inline(__always) func enter() throws {
    guard gate.enter() else { throw ReadError.closed }
    guard !rio_task_is_cancelled() else {
      gate.leave()
      throw CancellationError()
    }
  }
}
