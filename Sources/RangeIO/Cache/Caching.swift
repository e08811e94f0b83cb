import Synchronization

/// Keeps what is read in a store, and serves from it what is there.
///
/// ```swift
/// let store = MemoryStore(limit: .mebibytes(256))
/// let reader = try await RangeReader(source) {
///   Observing()
///   Caching(store)
/// }
/// ```
///
/// One store serves any number of readers: those of the same version of a source share what is there, and what is being
/// fetched. A thousand tasks that want the same missing block cause one read of the source. A cancelled read goes
/// at once and takes nothing from the others; when the last one goes, the read of the source is cancelled.
///
/// A source whose version is not settled yet (`SourceDescription.isSettled`) is read past the store.
///
/// **Place.** Above what limits, retries or merges reads of the source, so that a hit passes none of them and all who want
/// a block share one fetch; below what must see all demand. Above stages that decode, what is decoded is kept; below them,
/// what they decode. Of two caches each has a store of its own.
///
/// **Errors.** A store never makes a read fail. What the stages below throw is thrown to all who wait for it;
/// `ReadError.Code.notCached` to who reads with `.onlyIfCached` what is not there.
///
/// **Cost.** A hit: a hash look-up, a slice and a touch for each block, nothing allocated for one. A miss: one task for
/// each stretch that is missing, unless the source can answer without waiting.
public final class Caching: ReadyStage {
  /// What to fetch where bytes are missing.
  public enum Fill: Hashable, Sendable {
    /// The whole blocks that they lie in: for sources where asking costs more than bytes, and reads that come close to
    /// each other.
    case block
    /// Exactly what is missing: no byte more is read from the source than without a cache.
    case exact
    /// Exactly what is missing; and when it is there, without anybody waiting, the rest of the blocks.
    case requestedFirst
  }

  /// What is kept.
  public enum Admission: Hashable, Sendable {
    /// All that is read.
    case always
    /// What is read for the second time, as far as that is remembered: of some thirty thousand blocks. For sources that
    /// are hardly slower than the store, such as a local file, where keeping what is read once costs more than it
    /// saves. A first read is not shared with others that ask for the same.
    case onSecondTouch
  }

  private static let lastNumber = Atomic<UInt64>(0)

  /// What descriptions know this stage by.
  let number = Caching.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  let store: any ChunkStore
  let fill: Fill
  private let blockSize: Int?
  let largest: Int
  /// What was read once, if only what is read twice is kept.
  let touched: RecentTouches?
  /// The versions that are read now, by whichever readers list this stage.
  let reading = Locked(VersionsBeingRead())
  /// What flights put into the store by, which may outlive this stage.
  let keeper: CacheKeeper

  /// A cache in `store`.
  ///
  /// - Parameters:
  ///   - fill: what to fetch where bytes are missing. Default: whole blocks.
  ///   - blockSize: the grid, a power of two up to 1 GiB. Default: what the source prefers.
  ///   - largest: ranges of more bytes than this are read past the store. Default: 64 GiB.
  ///   - admission: what is kept. Default: all that is read.
  ///
  /// - Precondition: `blockSize` is a power of two up to 1 GiB.
  public init(
    _ store: any ChunkStore, fill: Fill = .block, blockSize: ByteCount? = nil, passing largest: ByteCount? = nil,
    admission: Admission = .always
  ) {
    precondition(
      blockSize.map { BlockGrid(blockSize: $0.bytes) != nil && $0 <= .gibibytes(1) } ?? true,
      "a block size is a power of two up to 1 GiB")
    self.store = store
    self.fill = fill
    self.blockSize = blockSize?.bytes
    // A look at each block of more takes longer than anybody waits.
    self.largest = (largest ?? .gibibytes(64)).bytes
    keeper = CacheKeeper(store, largest: self.largest)
    touched = admission == .always ? nil : store.sources.recentTouches
  }

  deinit { endReading() }

  /// Is the cache.
  public var placement: StagePlacement { .caching }

  /// What is there of the range, from the store; the rest from below, through it.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    // A hit has been answered by `ready`.
    try await readMissing(request, next)
  }

  /// The way of a hit: no lock but the shard's, nothing allocated.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    guard request.isPlain, let token = request.source.knownToken(of: number), request.range.count <= largest,
      let bytes = store.hit(request.range, token: token, grid: grid(of: request.source))
    else { return request.caching == .onlyIfCached ? onlyIfReady(request) : nil }
    return ReadResponse(bytes)
  }

  /// What the store has in memory of a request that wants nothing else, in however many blocks.
  private func onlyIfReady(_ request: ReadRequest) -> ReadResponse? {
    let grid = grid(of: request.source)
    guard request.moreRanges.isEmpty, request.range.count <= largest,
      let token = request.source.knownToken(of: number),
      // Does not count: what is not there is looked up again by `read`.
      store.holds(request.range, token: token, grid: grid),
      case .hit(let bytes) = store.lookUp(request.range, token: token, grid: grid)
    else { return nil }
    return ReadResponse(bytes)
  }

  /// `hits` and `misses`, as a reader tells them: reads of that reader which its cache answered alone, and which not;
  /// `over-read bytes kept`: what stages below had read in addition to what they were asked for, and what is in the store now;
  /// `bytes read again`: what of it was there before.
  public func statistics() -> StageStatistics? { keeper.statistics() }

  /// Releases the versions that were read.
  public nonisolated(nonsending) func close() async { endReading() }

  func grid(of source: SourceDescription) -> BlockGrid {
    // Both sizes were checked when they were given.
    BlockGrid(blockSize: blockSize ?? source.preferredBlockSize)!
  }

  /// Whether ranges of this size are read past the store.
  func passes(_ request: ReadRequest) -> Bool {
    // What is read ahead in large pieces is for reads of any size.
    guard request.purpose == .demand else { return false }
    return request.range.count > largest || request.moreRanges.contains { $0.count > largest }
  }
}
