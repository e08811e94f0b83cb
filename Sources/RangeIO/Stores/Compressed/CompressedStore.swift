import CRangeIOSystem
import Synchronization

/// Keeps pieces of sources in memory, compressed: the tier below a ``MemoryStore``.
///
/// ```swift
/// let store = TieredChunkStore(memory: .mebibytes(256), compressed: .mebibytes(128))
/// ```
///
/// It holds about two or three times as much as it takes, if the data shrinks that far. A piece that does not shrink by
/// an eighth is not kept. A hit must decompress the whole piece (about 20 µs for 64 KiB with LZ4), once for all reads
/// that want it at the same time. Use it if the source is slower than that.
///
/// **Room.** Compressed pieces are stored one after the other in segments. The oldest segment is freed as a whole;
/// pieces that were read since they came are first copied, up to a quarter of a segment. A segment with less than three
/// fifths of live data is freed earlier, and all of it is copied. Room for one segment is kept free for that. The
/// charge is what is really taken: whole segments, and 80 bytes for each piece. The limit is never exceeded.
///
/// **Use it below a memory store.** It also works alone, but then it compresses each block when it is inserted, and
/// decompresses at each hit.
package final class CompressedStore: FullChunkStore {
  /// The settings of a store.
  package struct Configuration: Sendable {
    /// The number of bytes that the store may take, bookkeeping included. Never exceeded.
    package var limit: ByteCount
    /// The codec that compresses. Default: LZ4.
    package var codec: any ChunkCodec = LZ4Codec()
    /// How long pieces are kept after they were requested from the source. Default: for as long as there is room.
    package var ageLimit: Duration?
    /// How long pieces are kept without being read. Default: for as long as there is room.
    package var idleLimit: Duration?
    /// Pieces of at most this size are decompressed on the reader's thread, which takes no longer than switching
    /// threads. Default: 128 KiB.
    package var inlineLimit = ByteCount.kibibytes(128)
    /// The number of shards, each with its own lock; a power of two. Default: the number of processors, but at most one
    /// for each 16 MiB.
    package var shards: Int?
    /// The clock for the age of pieces. Default: the continuous clock of the system.
    package var time = TimeSource.continuous
    /// Where expired pieces are swept. Default: Swift's own threads.
    package var background = BackgroundWork()

    /// Creates a configuration with this limit and the defaults.
    package init(limit: ByteCount) { self.limit = limit }
  }

  final class Shard: Sendable {
    let state = Locked(CompressedShard())
    /// The bytes of its segments. Used to find the fullest shard without its lock.
    let segmentBytes = Atomic<Int>(0)
  }

  /// The sources that this store knows.
  package let sources: ChunkSources
  let configuration: Configuration
  let ledger: CompressedLedger
  let shards: [Shard]
  private let ownSink = PublishedOnce<EvictionSinkBox>()
  private let hasTimeLimits = Atomic<Bool>(false)
  private let limitsAreChanging = Locked(())
  private let expiryTimer = ExpiryTimer()
  let incompressible = Atomic<Int>(0)
  let dropped = Atomic<Int>(0)
  /// Turns to decompress large pieces.
  let turns = Permits(4)
  let nobodyCloses = WaiterRegistry()

  /// Creates an empty store.
  package convenience init(limit: ByteCount) { self.init(Configuration(limit: limit), sources: ChunkSources()) }

  /// Creates an empty store that shares `sources` with other stores, to be combined with them.
  ///
  /// - Parameter budget: a budget that the bytes also count towards. Default: none.
  /// - Precondition: the number of shards is a power of two.
  package init(_ configuration: Configuration, sources: ChunkSources, budget: MemoryBudget? = nil) {
    precondition(configuration.shards.map { $0 > 0 && $0 & ($0 - 1) == 0 } ?? true, "shards are a power of two")
    self.configuration = configuration
    self.sources = sources
    ledger = CompressedLedger(limit: configuration.limit.bytes, budget: budget)
    let most = max(1, min(Int(rio_processor_count()), configuration.limit.bytes >> 24))
    let count = configuration.shards ?? 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    shards = (0..<count).map { _ in Shard() }
    limit(age: configuration.ageLimit, idle: configuration.idleLimit)
  }

  /// The current time of the store's clock.
  package var now: ReadInstant { configuration.time.now }

  /// The current time in nanoseconds, or `.min` if nothing depends on it.
  var presentForLimits: Int64 { hasTimeLimits.load(ordering: .relaxed) ? now.nanoseconds : .min }

  /// Where evicted chunks go, if anywhere.
  var outlet: (any EvictionSink)? { ownSink.value?.outlet }

  /// Sends evicted pieces, decompressed, to `outlet`.
  package func sendEvictions(to outlet: any EvictionSink) { _ = ownSink.publish(EvictionSinkBox(outlet)) }

  func shard(of hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 40) & (shards.count - 1)] }

  /// Returns what the store holds and has done.
  ///
  /// - Complexity: O(number of shards).
  package func statistics() -> CompressedStatistics {
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

  /// Always `true`.
  package var keepsPartsOfBlocks: Bool { true }

  // MARK: time

  /// Changes how long pieces are kept: `age` after they were requested from the source, `idle` after they were last
  /// read.
  ///
  /// Expired pieces can no longer be found. They are removed when they are looked up, and by a timer.
  package func limit(age: Duration?, idle: Duration?) {
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
