import Synchronization

extension ReadPipeline {
  /// The bytes to fetch when some are missing.
  @nonexhaustive
  public enum CacheFill: Hashable, Sendable {
    /// The whole blocks that contain them. For sources where a request costs more than bytes, and for reads that are
    /// close to each other. Of a remote object several blocks at once, while later reads use them: up to what comes in
    /// a round trip.
    case block
    /// Exactly the missing bytes. The source reads no more bytes than without a cache.
    case exact
    /// Exactly the missing bytes first. After they arrive, the rest of the blocks, without making a reader wait.
    case requestedFirst
    /// For remote objects. A read of one range fetches blocks, as ``block`` does. A read of several ranges, and small
    /// reads far apart, fetch exactly the missing bytes. A disk tier keeps whole blocks only: with one, these fetch
    /// their blocks too, as long as a block takes no longer than one more request.
    case automatic
  }

  /// Keeps bytes in a store, and serves later reads from it.
  ///
  /// ```swift
  /// let store = MemoryStore(limit: .mebibytes(256))
  /// let reader = try await RangeReader(source, [.observing(), .caching(store)])
  /// ```
  ///
  /// One store can serve any number of readers. Readers of the same version of a source share its cached bytes and its
  /// fetches in flight. If a thousand tasks need the same missing block, the source is read once. A cancelled read
  /// returns at once and does not affect the others; when the last one is cancelled, the read of the source is cancelled
  /// too.
  ///
  /// A source whose version is not settled yet (`SourceDescription.isSettled`) bypasses the store.
  ///
  /// **Place.** Put it above stages that limit, retry or merge reads of the source: then a hit skips them, and all
  /// readers of a block share one fetch. Put it below stages that must see all demand. Above a stage that decodes, it
  /// keeps decoded bytes; below that stage, it keeps encoded bytes. If you use two caches, give each its own store.
  ///
  /// **Errors.** A store never makes a read fail. When a fetch fails, the read that began it tries its own range alone, if
  /// the fetch was longer, and throws if that fails too. Reads that only waited each try once more. A read with
  /// `.onlyIfCached` fails with `ReadError.Code.notCached` if bytes are missing.
  ///
  /// **Cost.** A hit: a hash look-up, a slice and a touch for each block, and no allocation for a single block. A miss:
  /// one task for each missing stretch, unless the source can answer without waiting.
  ///
  /// - Parameters:
  ///   - store: where blocks are kept, such as a ``MemoryStore``.
  ///   - fill: what to fetch when bytes are missing. Default: whole blocks.
  ///   - blockSize: the block size, a power of two up to 1 GiB. Default: what the source prefers.
  ///   - maxReadSize: longer ranges bypass the store. Default: 64 GiB.
  ///   - onSecondRead: `true` to keep bytes only when they are read for the second time. The cache remembers about
  ///     thirty thousand blocks. Use this for sources that are hardly slower than the store, such as a local file:
  ///     there, keeping bytes that are read once costs more than it saves. First reads of the same bytes are not
  ///     shared. Most reads of a source bypass a ``MemoryStore`` while keeping more of that source costs more than it
  ///     saves. Default: no, the first read keeps.
  ///
  /// - Precondition: `blockSize` is a power of two up to 1 GiB.
  public static func caching(
    _ store: any ChunkStore, fill: CacheFill = .block, blockSize: ByteCount? = nil, maxReadSize: ByteCount? = nil,
    onSecondRead: Bool = false
  ) -> ReadPipeline {
    .stage(CachingStage(store, fill: fill, blockSize: blockSize, maxReadSize: maxReadSize, onSecondRead: onSecondRead))
  }

  /// The cache of readers of paths. It keeps nothing of a source without a version, such as a block device: another
  /// program's writes would never show.
  ///
  /// If the store can keep parts of blocks, it keeps exactly the bytes asked for, and only from the second read on: so
  /// a local disk is read just as it would be without a cache. Blocks are as small as the system's pages, because most
  /// reads of such programs are small, and because the system reads whole pages at no extra cost.
  package static func caching(ofFilesIn store: any ChunkStore) -> ReadPipeline {
    .stage(
      CachingStage(
        store, fill: store.traits.keepsPartsOfBlocks ? .exact : .block, blockSize: .kibibytes(4),
        maxReadSize: .kibibytes(64), onSecondRead: true, needsVersion: true))
  }
}

/// The stage of `.caching`: answers reads from a store, and fills it.
final class CachingStage: ReadStage {
  private static let lastNumber = Atomic<UInt64>(0)

  /// The number under which descriptions know this stage.
  let number = CachingStage.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  let store: any FullChunkStore
  /// The store's.
  let traits: StoreTraits
  let fill: ReadPipeline.CacheFill
  /// By the block size that the user has set.
  private let ownGrid: BlockGrid?
  var hasOwnBlockSize: Bool { ownGrid != nil }
  let maxReadSize: Int
  /// Reads of sources without a version bypass the store.
  private let needsVersion: Bool
  /// The store, if it is a single tier in memory: only then the cache can measure if keeping more pays.
  let memory: MemoryStore?
  /// Recently read blocks; `nil` if the cache also keeps first reads.
  let touched: RecentTouches?
  /// Measures if keeping second reads pays; `nil` if the store is not a single tier in memory.
  var admission: AdmissionMeter? { keepsSecondReads ? meter : nil }
  /// Not optional: taking a class out of an optional counts a reference. So there is a stand-in.
  let meter: AdmissionMeter
  let keepsSecondReads: Bool
  /// Which hits it is told of.
  let sample: BlockSample
  /// The versions that are read now, by all readers that list this stage.
  let reading = Locked(VersionsBeingRead())
  private let latest = PublishedOnce<LatestVersions>()
  /// Flights use this to put bytes into the store. It may outlive this stage.
  let keeper: CacheKeeper
  /// The flights of single ranges that wait for others to end.
  let lines = FetchLines()
  /// `true` if the stages below had the bytes of the last miss without waiting. If not, asking them first would take
  /// time for nothing.
  let hasBytesAtHand = Atomic<Bool>(true)

  init(
    _ store: any ChunkStore, fill: ReadPipeline.CacheFill = .block, blockSize: ByteCount? = nil,
    maxReadSize: ByteCount? = nil, onSecondRead: Bool = false, needsVersion: Bool = false
  ) {
    self.needsVersion = needsVersion
    let ownGrid = blockSize.flatMap { BlockGrid(blockSize: $0.bytes) }
    precondition(
      blockSize.map { ownGrid != nil && $0 <= .gibibytes(1) } ?? true, "a block size is a power of two up to 1 GiB")
    self.ownGrid = ownGrid
    // Once, not for each read.
    let store = store.full
    self.store = store
    traits = store.traits
    memory = store as? MemoryStore
    self.fill = fill
    // Looking up each block of a longer range would take longer than any caller waits.
    self.maxReadSize = (maxReadSize ?? .gibibytes(64)).bytes
    keeper = CacheKeeper(store, maxReadSize: self.maxReadSize)
    touched = onSecondRead ? store.sources.recentTouches : nil
    let meter = onSecondRead ? memory.map { store.sources.admissionMeter(capacity: $0.capacity) } : nil
    keepsSecondReads = meter != nil
    self.meter = meter ?? .none
    sample = meter?.sample ?? .none
  }

  deinit { endReading() }

  var placement: ReadPipeline.Placement { .caching }

  /// Returns cached bytes from the store; reads the rest from below and stores it.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    // `answer` has already answered a hit.
    guard isServed(request) else { return try await readBypassing(request, next) }
    guard let admission, request.isPlain, request.purpose == .demand,
      let number = request.source.knownToken(of: number)
    else { return try await readMissing(request, next, isFirst: isFirstTouch(request)) }
    let block = request.range.lowerBound >> grid(of: request.source).shift
    let key = Self.touchHash(block, number)
    let isKept = keeps(request, key, admission)
    guard sample.contains(block) else { return try await readMissing(request, next, isFirst: !isKept) }
    return try await readSampled(request, (key, number), isKept, admission, next)
  }

  /// The path of a hit: no lock, and no allocation.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    guard request.isPlain, let bytes = hit(request.range, of: request.source) else {
      return request.caching == .onlyIfCached ? onlyIfHere(request) : .later
    }
    return .here(ReadResponse(bytes))
  }

  /// The bytes of a range that lies in one block in memory.
  @inline(__always) func hit(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    var isAbsent = false
    return hit(range, of: source, isAbsent: &isAbsent)
  }

  /// - Parameter isAbsent: set if nothing of its block is in memory.
  @inline(__always) func hit(_ range: ByteRange, of source: SourceDescription, isAbsent: inout Bool) -> Bytes? {
    guard let token = source.knownToken(of: number), range.count <= maxReadSize else { return nil }
    let grid = grid(of: source)
    let bytes = store.hit(range, token: token, grid: grid, isAbsent: &isAbsent)
    if sample.contains(range.lowerBound >> grid.shift), bytes != nil { noteHit(range, source, token) }
    return bytes
  }

  /// A read of `range` is on its way through the stages above.
  @inline(__always) func expect(_ range: ByteRange, of source: SourceDescription) {
    guard let token = source.knownToken(of: number) else { return }
    store.expect(range.lowerBound, token: token, grid: grid(of: source))
  }

  /// Answers an `.onlyIfCached` request at once if the store has all of it in memory, over any number of blocks.
  private func onlyIfHere(_ request: ReadRequest) -> ReadAnswer<ReadResponse> {
    let grid = grid(of: request.source)
    guard request.moreRanges.isEmpty, request.range.count <= maxReadSize,
      let token = request.source.knownToken(of: number) ?? tokenInStore(of: request.source, grid),
      // Does not count: `read` looks up what is missing here again.
      store.holds(request.range, token: token, grid: grid),
      case .hit(let bytes) = store.lookUp(request.range, token: token, grid: grid)
    else { return .later }
    return .here(ReadResponse(bytes))
  }

  /// The token of a version that was not read through this snapshot yet, if the store knows that version.
  private func tokenInStore(of source: SourceDescription, _ grid: BlockGrid) -> UInt64? {
    guard whyLeftAlone(source) == nil, store.sources.tokens(of: source).contains(where: { $0.grid == grid }) else {
      return nil
    }
    return token(of: source)?.number
  }

  /// Reports these values:
  ///
  /// - `hits` and `misses`, as a reader reports them: that reader's reads that its cache answered alone, and the
  ///   others.
  /// - `over-read bytes kept`: bytes that the stages below read beyond what was requested, and that are in the store
  ///   now.
  /// - `bytes read again`: over-read bytes that were already in the store.
  /// - `sources passed by`, with `onSecondRead`: the versions whose reads bypass the store, since keeping more of them
  ///   does not pay. `RangeReader.explain(_:)` gives the figures.
  func statistics() -> Counters? {
    var all = keeper.statistics()
    guard admission != nil else { return all }
    let bypassed = reading.withLock { $0.all.count { $0.isBypassing } }
    all.counts.append(.init("sources passed by", bypassed))
    return all
  }

  nonisolated(nonsending) func close() async { endReading() }

  @inline(__always) func grid(of source: SourceDescription) -> BlockGrid { ownGrid ?? source.preferredGrid }

  /// True if the store may answer this read, or keep what it reads.
  private func isServed(_ request: ReadRequest) -> Bool {
    request.caching != .bypass && whyLeftAlone(request.source) == nil && !isTooLong(request)
  }

  /// Why no bytes of `source` are kept; `nil` if they may be.
  func whyLeftAlone(_ source: SourceDescription) -> String? {
    if !source.isSettled { return "the source was changed a moment ago, and may be changing still" }
    return needsVersion && source.validator == nil ? "the source has no version, so a change of it would not show" : nil
  }

  /// True for a demand of a range longer than `maxReadSize`: it bypasses the store.
  func isTooLong(_ request: ReadRequest) -> Bool {
    // A prefetch in large pieces is for reads of any size.
    guard request.purpose == .demand else { return false }
    return request.range.count > maxReadSize || request.moreRanges.contains { $0.count > maxReadSize }
  }
}

extension CachingStage {
  /// The token of the version that `source` describes. Returns `nil` if a longer version is being read by now.
  func token(of source: SourceDescription) -> ChunkToken? {
    let grid = grid(of: source)
    if let token = latestToken(of: source, grid) { return token }
    var retired: [ChunkToken] = []
    let answer = reading.withLock { reading in
      let answer = reading.token(of: source, grid) {
        let (token, old) = store.sources.token(for: source, grid: grid, reading: true)
        retired = old
        return token
      }
      if !answer.ended.isEmpty { latest.borrow { $0.forget() } }
      return answer
    }
    end(answer.ended)
    for old in retired { store.erase(.retired(old)) }
    if let token = answer.token, source.knownToken(of: number) != token.number { source.know(token.number, of: number) }
    return answer.token
  }

  /// The token of a version that was asked for last.
  private func latestToken(of source: SourceDescription, _ grid: BlockGrid) -> ChunkToken? {
    if let token = latest.borrow({ $0.token(of: source, grid) }) ?? nil { return token }
    var token: ChunkToken?
    if latest.value == nil {
      if reading.withLockIfFree({ token = $0.latest(source, grid) }) { return token }
      _ = latest.publish(LatestVersions())
    }
    return reading.withLock { reading in
      let token = reading.latest(source, grid)
      if let token { latest.borrow { $0.note(source, token) } }
      return token
    }
  }

  /// Releases a version that readers have left, because its name now leads to another version.
  func endReading(of source: SourceDescription) {
    let ended = reading.withLock { reading in
      latest.borrow { $0.forget() }
      return reading.remove(source)
    }
    guard let ended else { return }
    if store.sources.endReading(ended, isOver: true) { store.erase(.retired(ended)) }
  }

  func endReading() {
    let ended = reading.withLock { reading in
      latest.borrow { $0.forget() }
      return reading.removeAll()
    }
    end(ended)
  }

  private func end(_ tokens: [ChunkToken]) {
    for token in tokens where store.sources.endReading(token) { store.erase(.retired(token)) }
  }
}
