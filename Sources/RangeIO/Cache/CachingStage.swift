import Synchronization

/// What ``Caching`` does.
final class CachingStage: ReadyStage {
  private static let lastNumber = Atomic<UInt64>(0)

  /// The number under which descriptions know this stage.
  let number = CachingStage.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  let store: any FullChunkStore
  let fill: Caching.Fill
  private let blockSize: Int?
  let largest: Int
  /// Recently read blocks, if only what is read twice is kept.
  let touched: RecentTouches?
  /// The versions that are read now, by all readers that list this stage.
  let reading = Locked(VersionsBeingRead())
  /// Flights use this to put bytes into the store. It may outlive this stage.
  let keeper: CacheKeeper

  init(
    _ store: any ChunkStore, fill: Caching.Fill = .block, blockSize: ByteCount? = nil,
    passing largest: ByteCount? = nil,
    admission: Caching.Admission = .always
  ) {
    precondition(
      blockSize.map { BlockGrid(blockSize: $0.bytes) != nil && $0 <= .gibibytes(1) } ?? true,
      "a block size is a power of two up to 1 GiB")
    // Once, not for each read.
    let store = store.full
    self.store = store
    self.fill = fill
    self.blockSize = blockSize?.bytes
    // Looking up each block of a longer range would take longer than any caller waits.
    self.largest = (largest ?? .gibibytes(64)).bytes
    keeper = CacheKeeper(store, largest: self.largest)
    touched = admission == .always ? nil : store.sources.recentTouches
  }

  deinit { endReading() }

  /// The place of a cache.
  var placement: ReadPipeline.Placement { .caching }

  /// Returns cached bytes from the store; reads the rest from below and stores it.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    // `ready` has already answered a hit.
    try await readMissing(request, next)
  }

  /// The path of a hit: only the shard's lock, and no allocation.
  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    guard request.isPlain, let bytes = hit(request.range, of: request.source) else {
      return request.caching == .onlyIfCached ? onlyIfReady(request) : nil
    }
    return ReadResponse(bytes)
  }

  /// The bytes of a range that lies in one block in memory.
  @inline(__always) func hit(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    guard let token = source.knownToken(of: number), range.count <= largest else { return nil }
    return store.hit(range, token: token, grid: grid(of: source))
  }

  /// Answers an `.onlyIfCached` request at once if the store has all of it in memory, over any number of blocks.
  private func onlyIfReady(_ request: ReadRequest) -> ReadResponse? {
    let grid = grid(of: request.source)
    guard request.moreRanges.isEmpty, request.range.count <= largest,
      let token = request.source.knownToken(of: number),
      // Does not count: `read` looks up what is missing here again.
      store.holds(request.range, token: token, grid: grid),
      case .hit(let bytes) = store.lookUp(request.range, token: token, grid: grid)
    else { return nil }
    return ReadResponse(bytes)
  }

  /// Reports these values:
  ///
  /// - `hits` and `misses`, as a reader reports them: that reader's reads that its cache answered alone, and the
  ///   others.
  /// - `over-read bytes kept`: bytes that the stages below read beyond what was requested, and that are in the store
  ///   now.
  /// - `bytes read again`: over-read bytes that were already in the store.
  func statistics() -> ReadCounts? { keeper.statistics() }

  /// Releases the versions that were read.
  nonisolated(nonsending) func close() async { endReading() }

  func grid(of source: SourceDescription) -> BlockGrid {
    // Both sizes were checked when they were set.
    BlockGrid(blockSize: blockSize ?? source.preferredBlockSize)!
  }

  /// Whether ranges of this size are read past the store.
  func passes(_ request: ReadRequest) -> Bool {
    // A prefetch in large pieces is for reads of any size.
    guard request.purpose == .demand else { return false }
    return request.range.count > largest || request.moreRanges.contains { $0.count > largest }
  }
}
