import CRangeIOSystem
import Synchronization

/// Keeps pieces of sources in memory, compressed: the tier below a ``MemoryStore``.
///
/// ```swift
/// let store = TieredChunkStore(memory: .mebibytes(256), compressed: .mebibytes(128))
/// ```
///
/// It holds some two or three times as much as it takes, where data shrinks so far. What does not shrink by an eighth
/// is not kept. A hit costs decompressing the whole piece, 64 KiB in some 20 µs with LZ4, once for all reads that want it at
/// the same time: worth it where the source takes longer.
///
/// **Room.** Compressed pieces lie one after the other in segments, the oldest of which is freed as a whole; what
/// was read since it came is copied on first, up to a quarter of a segment. A segment of which less than three fifths is
/// found goes before that, and all of it is copied on. One segment's room is kept free for that. What is charged is what is
/// taken: whole segments, and 80 bytes for each piece. The limit is never exceeded.
///
/// **Use it below a memory store.** Alone it works, but compresses each block when it is inserted, and each hit
/// decompresses.
public final class CompressedStore: ChunkStore {
  /// How a store works.
  public struct Configuration: Sendable {
    /// The bytes that the store may take, bookkeeping included. Never exceeded.
    public var limit: ByteCount
    /// What compresses. Default: LZ4.
    public var codec: any ChunkCodec = LZ4Codec()
    /// How long pieces are kept after they were asked for from the source. Default: for as long as there is room.
    public var ageLimit: Duration?
    /// How long pieces are kept that are not read. Default: for as long as there is room.
    public var idleLimit: Duration?
    /// Pieces of at most so many bytes are decompressed on the thread of who reads them, which takes no longer than
    /// changing threads does. Default: 128 KiB.
    public var inlineLimit = ByteCount.kibibytes(128)
    /// The number of parts that are locked by themselves, a power of two. Default: the number of processors, but one
    /// for each 16 MiB at most.
    public var shards: Int?
    /// The clock of ages. Default: the continuous clock of the system.
    public var time = TimeSource.continuous
    /// Where the sweep of what has expired runs. Default: Swift's own threads.
    public var background = BackgroundWork()

    /// Defaults, with a limit.
    public init(limit: ByteCount) { self.limit = limit }
  }

  final class Shard: Sendable {
    let state = Locked(CompressedShard())
    /// What its segments take, to find the fullest without its lock.
    let segmentBytes = Atomic<Int>(0)
  }

  /// The sources that this store knows.
  public let sources: ChunkSources
  let configuration: Configuration
  let ledger: CompressedLedger
  let shards: [Shard]
  private let ownSink = PublishedOnce<EvictionSinkBox>()
  private let hasTimeLimits = Atomic<Bool>(false)
  private let limitsAreChanging = Locked(())
  private let expiryTimer = ExpiryTimer()
  let incompressible = Atomic<Int>(0)
  let dropped = Atomic<Int>(0)
  /// Turns to decompress what is large.
  let turns = Permits(4)
  let nobodyCloses = WaiterRegistry()

  /// A store without chunks.
  public convenience init(limit: ByteCount) { self.init(Configuration(limit: limit), sources: ChunkSources()) }

  /// A store without chunks that knows the sources that others know: to be composed with them.
  ///
  /// - Parameter budget: what else its bytes count towards. Default: nothing.
  /// - Precondition: the number of shards is a power of two.
  public init(_ configuration: Configuration, sources: ChunkSources, budget: MemoryBudget? = nil) {
    precondition(configuration.shards.map { $0 > 0 && $0 & ($0 - 1) == 0 } ?? true, "shards are a power of two")
    self.configuration = configuration
    self.sources = sources
    ledger = CompressedLedger(limit: configuration.limit.bytes, budget: budget)
    let most = max(1, min(Int(rio_processor_count()), configuration.limit.bytes >> 24))
    let count = configuration.shards ?? 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    shards = (0..<count).map { _ in Shard() }
    limit(age: configuration.ageLimit, idle: configuration.idleLimit)
  }

  /// The present by the clock of ages.
  public var now: ReadInstant { configuration.time.now }

  /// The present in nanoseconds, or `.min` where nothing depends on it.
  var presentForLimits: Int64 { hasTimeLimits.load(ordering: .relaxed) ? now.nanoseconds : .min }

  /// Where evicted chunks go, if they go anywhere.
  var outlet: (any EvictionSink)? { ownSink.value?.outlet }

  /// Hands what is evicted, decompressed, to `outlet`.
  public func sendEvictions(to outlet: any EvictionSink) { _ = ownSink.publish(EvictionSinkBox(outlet)) }

  func shard(of hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 40) & (shards.count - 1)] }

  /// What the store holds and has done.
  ///
  /// - Complexity: O(number of shards).
  public func statistics() -> CompressedStatistics {
    var all = CompressedStatistics()
    for shard in shards {
      shard.state.withLock { state in
        all.add(state.counts)
        all.pieces += state.table.count
        all.segmentBytes += state.segmentBytes
        all.storedBytes += state.storedBytes
        all.rawBytes += state.rawBytes
      }
    }
    all.limit = ledger.limit
    all.bytes = ledger.bytes
    all.peakBytes = ledger.peakBytes
    all.incompressible = incompressible.load(ordering: .relaxed)
    all.dropped = dropped.load(ordering: .relaxed)
    return all
  }

  /// It does.
  public var keepsPartsOfBlocks: Bool { true }

  // MARK: time

  /// Changes how long pieces are kept: after they were asked for from the source, and after they were last read. What
  /// is older is not found any more, and goes when it is looked up, and by a timer.
  public func limit(age: Duration?, idle: Duration?) {
    limitsAreChanging.withLock { _ in
      let now = now.nanoseconds
      for shard in shards {
        shard.state.withLock {
          if $0.idleLimit == .max { $0.idleSince = now }
          $0.ageLimit = age?.nanoseconds ?? .max
          $0.idleLimit = idle?.nanoseconds ?? .max
        }
      }
      hasTimeLimits.store(age != nil || idle != nil, ordering: .relaxed)
      expiryTimer.restart(age: age, idle: idle, configuration.time, configuration.background) { [weak self] in
        guard let self else { return false }
        self.removeExpired()
        return true
      }
    }
  }
}
