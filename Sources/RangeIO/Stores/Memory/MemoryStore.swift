import CRangeIOSystem
import Synchronization

/// Keeps pieces of sources in memory, under one limit for any number of readers.
///
/// ```swift
/// let store = MemoryStore(limit: .mebibytes(256))
/// let reader = try await RangeReader(FileSource("/data/survey.bin")) { Caching(store) }
/// ```
///
/// A hit copies nothing: it returns a slice of a stored chunk, or a rope of several. Bytes that you keep stay valid
/// after the store has evicted them, and no longer count.
///
/// **Limits.** The limit covers chunks with their bookkeeping, your metadata, and room reserved for reads in flight. It
/// is never exceeded. Change it with ``resize(to:blocks:)``. A range that would take more than half of the limit,
/// bookkeeping included, is not kept.
///
/// **Cost.** A hit of one block takes a lock that other hits seldom need, a look-up, and a reference: no allocation.
/// The bookkeeping takes about 126 bytes per block in addition to the bytes.
public final class MemoryStore: ChunkStore, FullChunkStore {
  /// The settings of a store. You can change the limits later with methods of the store.
  public struct Configuration: Sendable {
    /// The number of bytes that the store may take, bookkeeping included. Never exceeded.
    public var limit: ByteCount
    /// The number of blocks that the store may hold. Default: any number.
    public var blockLimit = Int.max
    /// How long chunks are kept after they were requested from the source. Default: for as long as there is room.
    public var ageLimit: Duration?
    /// How long chunks are kept without being read. Default: for as long as there is room.
    public var idleLimit: Duration?
    /// The share of the limit that one version of one source may take, from 0 to 1. A source that has reached its share
    /// makes room by evicting its own chunks. Default: all of it.
    public var sourceShare = 1.0
    /// The policy that decides what to evict. Default: `S3FIFO`.
    public var policy = EvictionPolicyFactory.default
    /// The number of shards, each with its own lock; a power of two. Default: twice the number of processors, but at
    /// most one for each 1,024 blocks, since a policy needs many blocks to choose well.
    public var shards: Int?
    /// The size that most blocks will have. The default number of shards depends on it. Default: 64 KiB.
    public var typicalBlockSize = ByteCount.kibibytes(64)
    /// The clock for the age of chunks. Default: the continuous clock of the system.
    public var time = TimeSource.continuous
    /// Where expired chunks are swept. Default: Swift's own threads.
    package var background = BackgroundWork()

    /// Creates a configuration with this limit and the defaults.
    public init(limit: ByteCount) { self.limit = limit }
  }

  /// The sources that this store knows.
  public let sources: ChunkSources
  let ledger: MemoryLedger
  let shards: MemoryShards
  let configuration: Configuration
  let limitsAreChanging = Locked(())
  let expiryTimer = ExpiryTimer()
  let removals = MemoryRemovals()
  /// Whether look-ups need the time.
  private let hasTimeLimits = Atomic<Bool>(false)
  private let refusals = Atomic<Int>(0)
  /// Waiters for the limit. Woken by an evicted chunk, a removed chunk, or a cancelled reservation.
  let waitingForRoom = Locked<[Promise<Void>]>([])
  let isRoomAwaited = Atomic<Bool>(false)
  /// The shared capacity that the policies were told.
  private let policyCapacity: Atomic<Int>
  private let ownSink = PublishedOnce<EvictionSinkBox>()
  private let unreserved = Permits(4)
  private let nobodyCloses = WaiterRegistry()

  /// Creates an empty store.
  public convenience init(limit: ByteCount) { self.init(Configuration(limit: limit)) }

  /// Creates an empty store.
  ///
  /// - Parameter sources: the same for stores that you combine with ``TieredChunkStore``. Default: its own.
  /// - Precondition: the share is from 0 to 1; the number of shards is a power of two; limits are positive.
  public convenience init(_ configuration: Configuration, sources: ChunkSources = ChunkSources()) {
    self.init(configuration, sources: sources, budget: nil)
  }

  /// - Parameter budget: a budget that the bytes also count towards. With a budget, the store may always use its own
  ///   limit; it also uses what the others leave of the budget.
  package init(_ configuration: Configuration, sources: ChunkSources, budget: MemoryBudget?) {
    precondition((0...1).contains(configuration.sourceShare), "a share is from 0 to 1")
    precondition(configuration.shards.map { $0 > 0 && $0 & ($0 - 1) == 0 } ?? true, "shards are a power of two")
    self.configuration = configuration
    self.sources = sources
    ledger = MemoryLedger(
      ownLimit: configuration.limit.bytes, blockLimit: configuration.blockLimit, budget: budget)
    let blocks = min(configuration.blockLimit, configuration.limit.bytes / max(1, configuration.typicalBlockSize.bytes))
    shards = MemoryShards(
      count: configuration.shards ?? Self.shardCount(blocks: blocks), policy: configuration.policy,
      capacity: ledger.present)
    policyCapacity = Atomic(ledger.present)
    limit(age: configuration.ageLimit, idle: configuration.idleLimit)
  }

  /// The largest power of two that is at most twice the number of processors, and at most one for each 1,024 blocks.
  static func shardCount(blocks: Int) -> Int {
    let most = max(1, min(2 * Int(rio_processor_count()), blocks / 1024))
    return 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
  }

  /// The current time of the store's clock.
  package var now: ReadInstant { configuration.time.now }

  /// The current time in nanoseconds, or `.min` if nothing depends on it.
  var presentForLimits: Int64 { hasTimeLimits.load(ordering: .relaxed) ? now.nanoseconds : .min }

  /// Tells the policies their shared capacity if it has changed: with a budget it depends on what others take of it.
  func followBudget() {
    let (capacity, known) = (ledger.present, policyCapacity.load(ordering: .relaxed))
    guard abs(capacity - known) > known / 16 else { return }
    setPolicyCapacity(capacity)
  }

  func setPolicyCapacity(_ capacity: Int) {
    policyCapacity.store(capacity, ordering: .relaxed)
    shards.setCapacity(capacity)
  }

  func setHasTimeLimits(_ value: Bool) { hasTimeLimits.store(value, ordering: .relaxed) }

  /// Returns what the store holds and has done.
  ///
  /// - Complexity: O(number of shards).
  public func statistics() -> Statistics {
    var all = Statistics()
    var chargedBytes = 0
    for shard in 0..<shards.count {
      shards.withLock(shard) { state in
        all.add(state.counts)
        all.blocks += state.table.count
        all.pinnedBytes += state.pinnedBytes
        chargedBytes += state.bytes
      }
    }
    all.limit = ledger.ownLimit
    all.bytes = ledger.bytes
    all.peakBytes = ledger.peakBytes
    all.removedBytes = removals.byteCount
    all.reservedBytes = max(0, all.bytes - chargedBytes - ledger.metadataBytes - all.removedBytes)
    all.refusals = refusals.load(ordering: .relaxed)
    return all
  }

  /// Always `true`.
  public var keepsPartsOfBlocks: Bool { true }

  /// Where evicted chunks go, if anywhere.
  var outlet: (any EvictionSink)? { ownSink.value?.outlet }

  /// Sends evicted chunks to `outlet`, under the lock of the place that they leave.
  package func sendEvictions(to outlet: any EvictionSink) { _ = ownSink.publish(EvictionSinkBox(outlet)) }

  // MARK: reads without a reservation

  /// Waits for one of four turns to read bytes that are not kept.
  package nonisolated(nonsending) func enterUnreserved() async throws { try await unreserved.enter(nobodyCloses) }

  /// Ends the turn.
  package func leaveUnreserved() { unreserved.leave() }

  func refused() { refusals.wrappingAdd(1, ordering: .relaxed) }
}
