import CRangeIOSystem
import Synchronization

/// Keeps chunks of sources in memory, under one limit for any number of readers.
///
/// ```swift
/// let store = MemoryStore(limit: .mebibytes(256))
/// let reader = try await RangeReader(FileSource("/data/survey.bin"), [.caching(store)])
/// ```
///
/// A hit copies nothing: it returns a slice of a stored block, or several shown as one. Bytes that you keep stay valid
/// after the store has evicted them, and no longer count.
///
/// **Limits.** The limit is never exceeded. It covers chunks with their bookkeeping, your metadata, and room reserved
/// for reads in flight. Beyond 256 sources it also covers 704 bytes for each source with chunks, and ids and names of
/// more than 64 bytes together. Of stores that share a ``ChunkSources``, only the one made first is charged for
/// sources. A source with chunks only in other tiers is charged nowhere. Change the limit with ``resize(to:blocks:)``.
/// A range of several blocks that would take more than half of the limit, bookkeeping included, is not kept; a single
/// block may take all of it.
///
/// In a container with little memory the store stops growing before its limit, when the control group has nothing left.
/// It asks before each step of 1 to 64 MiB.
///
/// **Cost.** A hit of one block takes a look-up and a reference: no allocation, and no lock with the default policy. Two threads
/// that read different blocks write to nothing that both use.
/// The bookkeeping is charged 120 bytes per block in addition to the bytes. A range of several blocks takes a lock for each four.
public final class MemoryStore: ChunkStore, FullChunkStore {
  /// The settings of a store. You can change the limits later with methods of the store.
  public struct Configuration: Sendable {
    /// The number of bytes that the store may take, bookkeeping included. Never exceeded.
    public var limit: ByteCount
    /// The number of blocks that the store may hold. Default: any number.
    package var blockLimit = Int.max
    /// The time that chunks are kept after they were requested from the source. Default: as long as there is room.
    public var ageLimit: Duration?
    /// The time that chunks are kept without being read. Default: as long as there is room.
    public var idleLimit: Duration?
    /// The share of the limit that one version of one source may take, from 0 to 1. A source that has reached its share
    /// makes room by evicting its own chunks. Default: all of it.
    public var sourceShare = 1.0
    /// The policy that decides what to evict. Default: ``Eviction/adaptive``.
    public var eviction = Eviction.default
    /// The number of shards, each with its own lock; a power of two. Default: twice the number of processors, but at
    /// most one for each 1,024 blocks, or up to four of 256 blocks, since a policy needs many blocks to choose well.
    package var shards: Int?
    /// The size that most blocks will have. The default number of shards depends on it.
    package var typicalBlockSize = ByteCount.kibibytes(64)
    /// The sample for ``estimates()``.
    package var sampling = SizeSampling.live
    /// The clock for the age of chunks. Default: the continuous clock of the system.
    package var time = ReadClock.continuous
    /// Where expired chunks are swept. Default: Swift's own threads.
    package var background = BackgroundWork()
    /// The memory that the system leaves for stores.
    package var room = MemoryRoom.shared

    /// Creates a configuration with this limit and the defaults.
    public init(limit: ByteCount) { self.limit = limit }

    /// Room for exactly `blocks` whole blocks of `blockSize`. The limits in bytes and in blocks are reached together,
    /// so that policies, which weigh bytes, and simulators, which count blocks, mean the same.
    ///
    /// - Precondition: both are positive.
    package init(blocks: Int, of blockSize: ByteCount) {
      precondition(blocks > 0 && blockSize.bytes > 0, "a store has room for a block")
      let (bytes, overflow) = MemoryStore.charge(of: blockSize.bytes).multipliedReportingOverflow(by: blocks)
      self.init(limit: .bytes(overflow ? .max : bytes))
      blockLimit = blocks
      typicalBlockSize = blockSize
    }
  }

  /// The sources that this store knows.
  public let sources: ChunkSources
  package let ledger: MemoryLedger
  /// The ledger's, kept here: all stores of a process share the ledger, and would share its count of references.
  let room: MemoryRoom
  let shards: MemoryShards
  let configuration: Configuration
  let limitChanges: Locked<LimitChanges<Limits>>
  let limitsAreChanging = Locked(())
  let expiryTimer = ExpiryTimer()
  let removals = MemoryRemovals()
  /// `true` if look-ups need the time.
  let hasTimeLimits = Atomic<Bool>(false)
  /// Which blocks the models of other sizes see.
  let sample: SizeModels.Sample
  let models: SharedModels
  /// Misses of reads that bypass the store. They take no lock of a shard again.
  let bypassMisses = ThreadTallies()
  /// Hits without a lock, and their bytes.
  let unlocked = ThreadTallies()
  /// `nil` if another store is charged for the sources.
  let sourceCharges: SourceCharges?
  private let refusals = Atomic<Int>(0)
  /// Waiters for the limit. Woken by an evicted chunk, a removed chunk, or a cancelled reservation.
  let roomFreed = Notifier()
  /// The shared capacity that the policies were told.
  private let policyCapacity: Atomic<Int>
  let ahead = ReadAheadBudget(.bytes(0))
  private let ownSink = PublishedOnce<EvictionSinkBox>()

  /// Creates an empty store.
  public convenience init(limit: ByteCount) { self.init(Configuration(limit: limit)) }

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - configuration: its limits, the eviction policy, and the number of shards.
  ///   - sources: the same for stores that you combine with `TieredStore`. Default: its own.
  /// - Precondition: the share is from 0 to 1; the number of shards is a power of two; limits are not negative. With a
  ///   limit of zero, the store keeps nothing.
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
      ownLimit: configuration.limit.bytes, blockLimit: configuration.blockLimit, budget: budget,
      room: configuration.room)
    room = ledger.room
    limitChanges = Locked(LimitChanges(Limits(bytes: configuration.limit.bytes, blocks: configuration.blockLimit)))
    let blocks = min(configuration.blockLimit, configuration.limit.bytes / max(1, configuration.typicalBlockSize.bytes))
    shards = MemoryShards(
      count: configuration.shards ?? Self.shardCount(blocks: blocks), policy: configuration.eviction,
      capacity: ledger.present)
    policyCapacity = Atomic(ledger.present)
    let charges = SourceCharges { [ledger] in ledger.give(bytes: $0, blocks: 0) }
    sourceCharges = sources.charge(charges) ? charges : nil
    let charge = Self.charge(of: min(max(1, configuration.typicalBlockSize.bytes), 1 << 30))
    let share = configuration.sampling.share(
      ofBlocks: min(configuration.blockLimit, configuration.limit.bytes / charge))
    sample = SizeModels.Sample(share: share)
    models = SharedModels(
      SizeModels(
        capacity: ledger.present, policy: configuration.eviction, share: share, tunes: configuration.sampling.tunes))
    limitTime(age: configuration.ageLimit, idle: configuration.idleLimit)
    // Not sent to a lower tier: bytes dropped for others must not take other memory.
    ledger.tenant.add { [weak self] in self?.evict($0, to: nil) ?? 0 }
  }

  /// The largest power of two that is at most twice the number of processors, and at most one for each 1,024 blocks; of a small
  /// store up to four, of 256 blocks.
  static func shardCount(blocks: Int) -> Int {
    let most = max(1, min(2 * Int(rio_processor_count()), max(blocks / 1024, min(4, blocks / 256))))
    return 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
  }

  /// That of a store that ends with the process, and keeps parts of blocks.
  public var traits: StoreTraits {
    var traits = StoreTraits()
    traits.keepsPartsOfBlocks = true
    (traits.time, traits.background) = (configuration.time, configuration.background)
    return traits
  }

  package var now: ReadClock.Instant { configuration.time.now }

  /// Has a quarter of what the store may hold now and the user has not pinned. Beyond that, less is read ahead.
  package var aheadBudget: ReadAheadBudget? {
    ahead.limit = .bytes(max(0, ledger.present - shards.pinnedBytes) / 4)
    return ahead
  }

  /// The bytes that the store may hold now. A cache simulates a store of this size, to measure if keeping more pays.
  var capacity: Int { ledger.present }

  /// Checks whether this many more bytes can be kept without evicting others.
  func hasRoom(for byteCount: Int) -> Bool {
    let missing = ledger.lacking(bytes: byteCount, blocks: 1)
    return missing.bytes <= 0 && missing.blocks <= 0
  }

  /// The current time in nanoseconds, or `.min` if nothing depends on it.
  var presentForLimits: Int64 { hasTimeLimits.load(ordering: .relaxed) ? now.nanoseconds : .min }

  /// Tells the policies their shared capacity if it has changed: with a budget it depends on what others take of it.
  func followBudget() {
    let (capacity, known) = (ledger.present, policyCapacity.load(ordering: .relaxed))
    if abs(capacity - known) > known / 16 { setPolicyCapacity(capacity) }
  }

  func setPolicyCapacity(_ capacity: Int) {
    policyCapacity.store(capacity, ordering: .relaxed)
    shards.setCapacity(capacity)
    models.setCapacity(capacity)
  }

  /// Returns what the store holds and has done: one ``Counters``, called `memory`.
  ///
  /// - Complexity: O(number of shards).
  public func statistics() -> [Counters] { [counts().counters("memory")] }

  package func counts() -> MemoryCounts {
    var all = MemoryCounts()
    // Before the shards: bytes that leave a shard meanwhile count as reserved, not as given back.
    all.bytes = ledger.bytes
    var chargedBytes = 0
    for shard in 0..<shards.count {
      let (counts, blocks, pinnedBytes, bytes) = shards.withLock(shard) {
        ($0.counts, $0.table.count, $0.pinnedBytes - $0.aheadBytes, $0.bytes)
      }
      all.add(counts)
      all.blocks += blocks
      all.pinnedBytes += pinnedBytes
      chargedBytes += bytes
    }
    all.misses += bypassMisses.sums().events
    let (hits, hitBytes) = unlocked.sums()
    all.hits += hits
    all.hitBytes += hitBytes
    all.limit = ledger.ownLimit
    all.peakBytes = ledger.peakBytes
    all.removedBytes = removals.byteCount
    let sourceBytes = sourceCharges?.bytes ?? 0
    all.reservedBytes = max(0, all.bytes - chargedBytes - sourceBytes - ledger.metadataBytes - all.removedBytes)
    all.dropped = refusals.load(ordering: .relaxed)
    return all
  }

  /// The tuner's choice, and the recent hits of each candidate; `nil` if the policy is fixed.
  package var tunerState: PolicyTuner.State? { shards.tuner?.state }

  /// Returns how often the store would hit with half, once, twice and four times its limit. Empty before the first look-up,
  /// and for a store with room for fewer than 128 blocks of the typical size.
  ///
  /// Estimated from a sample of the look-ups since the store was made: of one block in 256, or up to one in 16 in a
  /// store of fewer than 65,536 blocks. Mostly within a point or two; rougher in a store of fewer than 2,000 blocks,
  /// once by 10.8. Removals and time limits are not taken into account.
  ///
  /// - Complexity: O(number of shards).
  public func estimates() -> [Estimate] {
    let counts = counts()
    let lookUps = counts.hits + counts.partialHits + counts.misses
    guard lookUps > 0 else { return [] }
    let ratios = models.hitRatios(Double(counts.hits) / Double(lookUps))
    let limit = Double(ledger.present)
    return zip(SizeModels.factors, ratios).map { factor, ratio in
      Estimate(limit: Int(exactly: (limit * factor).rounded()) ?? .max, hitRatio: ratio)
    }
  }

  /// The hits that a store would have with another limit.
  public struct Estimate: Hashable, Sendable, Encodable {
    /// The limit in bytes.
    public let limit: Int
    /// The share of look-ups that would find all they asked for, from 0 to 1.
    public let hitRatio: Double
  }

  func refused() { refusals.wrappingAdd(1, ordering: .relaxed) }

  var outlet: (any EvictionSink)? { ownSink.value?.outlet }

  /// Sends evicted chunks to `outlet`, under the lock of the place that they leave.
  package func sendEvictions(to outlet: any EvictionSink) { _ = ownSink.publish(EvictionSinkBox(outlet)) }
}

extension MemoryStore {
  @discardableResult package func erase(_ scope: ChunkScope) -> ChunkRemoval {
    switch scope {
    case .retired(let token): eraseRetired(token)
    case .everything: return detachAll()
    case .range, .promoted, .version, .source: eraseTokens(of: scope)
    }
    return ChunkRemoval()
  }

  private func detachAll() -> ChunkRemoval {
    var detached: [DetachedShard] = []
    for shard in 0..<shards.count {
      if let contents = shards.change(shard, { $0.detach(shards.freshPolicy(configuration.eviction, ledger.present)) })
      {
        detached.append(contents)
      }
    }
    shards.tuner?.removeAll()
    let work = RemovalWork(detached) { [ledger, weak self] in
      ledger.give(bytes: $0.bytes, blocks: $0.blocks)
      self?.roomIsFree()
    }
    removals.add(work)
    // Tasks that wait for room can free this memory.
    roomIsFree()
    return ChunkRemoval { work.step()?.progress }
  }

  /// Erases the blocks that hold bytes of `range`.
  public func erase(_ range: ByteRange, of token: ChunkToken) { erase(token, token.grid.blocks(covering: range)) }

  /// Erases all chunks of a retired token. If it was the last token of its version, also erases what the user kept with
  /// it.
  private func eraseRetired(_ token: ChunkToken) {
    erase(token, 0..<Int.max)
    // Another grid of the version may still be read: its chunks stay pinned as long as its ranges are.
    if token.entry.isOver { token.entry.forgetWhatIsKept() }
  }

  private func erase(_ token: ChunkToken, _ blocks: Range<Int>) {
    let blocks = blocks.clamped(to: token.grid.blocks(covering: 0..<token.source.byteCount))
    if blocks.count > 4096 { return sweep { $0.erase(token, blocks, scanningFrom: $1, &$2) } }
    var first = blocks.lowerBound
    while first < blocks.upperBound {
      let end = min(blocks.upperBound, shards.end(ofRunFrom: first))
      var gone = EvictedChunks()
      shards.change(shards.index(of: ChunkTable.hash(token: token.number, block: first))) {
        $0.erase(token, lookingUp: first..<end, &gone)
      }
      if gone.blocks > 0 { release(gone) }
      first = end
    }
  }

  /// Goes through all shards, a few slots with each lock, and releases what leaves. `step`: receives the first slot,
  /// and returns where to continue, or `nil` at the end of the shard.
  func sweep(_ step: (inout ShardState, Int, inout EvictedChunks) -> Int?) {
    for shard in 0..<shards.count {
      var next: Int? = 0
      while let first = next {
        var gone = EvictedChunks()
        next = shards.change(shard) { step(&$0, first, &gone) }
        if gone.blocks > 0 { release(gone) }
      }
    }
  }
}
