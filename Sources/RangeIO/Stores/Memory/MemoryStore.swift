import CRangeIOSystem
import Synchronization

/// Keeps pieces of sources in memory, under one limit for any number of readers.
///
/// ```swift
/// let store = MemoryStore(limit: .mebibytes(256))
/// let reader = try await RangeReader(FileSource("/data/survey.bin")) { Caching(store) }
/// ```
///
/// A hit copies nothing: it is a slice of what is kept, or a rope of several. What a user keeps of it stays alive after
/// the store has evicted it, and is not counted any more.
///
/// **Limits.** The limit binds what is held with its bookkeeping, metadata of yours, and room reserved for reads under
/// way. It is never exceeded, and can be changed with ``resize(to:blocks:)``. A range that would take more than half of it,
/// bookkeeping included, is not kept.
///
/// **Cost.** A hit of one block takes a lock that other hits seldom want, a look-up, and a reference: no allocation. The
/// bookkeeping is about 126 bytes a block in addition to the bytes.
public final class MemoryStore: ChunkStore {
  /// How a store works. Fields that are limits can be changed later by methods of the store.
  public struct Configuration: Sendable {
    /// The bytes that the store may take, bookkeeping included. Never exceeded.
    public var limit: ByteCount
    /// The blocks that the store may hold. Default: any number.
    public var blockLimit = Int.max
    /// How long chunks are kept after they were asked for from the source. Default: for as long as there is room.
    public var ageLimit: Duration?
    /// How long chunks are kept that are not read. Default: for as long as there is room.
    public var idleLimit: Duration?
    /// The share of the limit that one version of one source may take, from 0 to 1. At its share, a source makes room
    /// for itself among its own chunks. Default: all of it.
    public var sourceShare = 1.0
    /// What decides who makes room. Default: `S3FIFO`.
    public var policy = EvictionPolicyFactory.default
    /// The number of parts that are locked by themselves, a power of two. Default: twice the number of processors, but
    /// one for each 1,024 blocks at most, since a policy needs many blocks to choose well.
    public var shards: Int?
    /// What most blocks will be, from which the default number of shards follows. Default: 64 KiB.
    public var typicalBlockSize = ByteCount.kibibytes(64)
    /// The clock of ages. Default: the continuous clock of the system.
    public var time = TimeSource.continuous
    /// Where the sweep of what has expired runs. Default: Swift's own threads.
    public var background = BackgroundWork()

    /// Defaults, with a limit.
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
  /// Whether look-ups must look at the clock.
  private let hasTimeLimits = Atomic<Bool>(false)
  private let refusals = Atomic<Int>(0)
  /// What an evicted chunk, a removed one and a reservation given back wake: those who wait for the limit.
  let waitingForRoom = Locked<[Promise<Void>]>([])
  let isRoomAwaited = Atomic<Bool>(false)
  /// What the policies were told that they share.
  private let policyCapacity: Atomic<Int>
  private let ownSink = PublishedOnce<EvictionSinkBox>()
  private let unreserved = Permits(4)
  private let nobodyCloses = WaiterRegistry()

  /// A store without chunks.
  public convenience init(limit: ByteCount) { self.init(Configuration(limit: limit)) }

  /// A store without chunks.
  ///
  /// - Precondition: the share is from 0 to 1; the number of shards is a power of two; limits are positive.
  public convenience init(_ configuration: Configuration) { self.init(configuration, sources: ChunkSources()) }

  /// A store without chunks that knows the sources that others know: to be composed with them.
  ///
  /// - Parameter budget: what else its bytes count towards. Default: nothing. With a budget the limit is the share that
  ///   is its own in any case; what others leave of the budget it uses, too.
  ///
  /// - Precondition: as for ``init(_:)``.
  public init(_ configuration: Configuration, sources: ChunkSources, budget: MemoryBudget? = nil) {
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

  /// The largest power of two that is at most twice the processors, and at most one for each 1,024 blocks.
  static func shardCount(blocks: Int) -> Int {
    let most = max(1, min(2 * Int(rio_processor_count()), blocks / 1024))
    return 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
  }

  /// The present by the clock of ages.
  public var now: ReadInstant { configuration.time.now }

  /// The present in nanoseconds, or `.min` where nothing depends on it.
  var presentForLimits: Int64 { hasTimeLimits.load(ordering: .relaxed) ? now.nanoseconds : .min }

  /// Tells the policies how much they share, if that has changed: with a budget it depends on what others take of it.
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

  /// What the store holds and has done.
  ///
  /// - Complexity: O(number of shards).
  public func statistics() -> MemoryStatistics {
    var all = MemoryStatistics()
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

  /// It does.
  public var keepsPartsOfBlocks: Bool { true }

  /// Where evicted chunks go, if they go anywhere.
  var outlet: (any EvictionSink)? { ownSink.value?.outlet }

  /// Hands what is evicted to `outlet`, from the lock of the place that it leaves.
  public func sendEvictions(to outlet: any EvictionSink) { _ = ownSink.publish(EvictionSinkBox(outlet)) }

  // MARK: reads without a reservation

  /// Waits for one of four turns to read what is not kept.
  public nonisolated(nonsending) func enterUnreserved() async throws { try await unreserved.enter(nobodyCloses) }

  /// Ends the turn.
  public func leaveUnreserved() { unreserved.leave() }

  func refused() { refusals.wrappingAdd(1, ordering: .relaxed) }
}
