public import RangeIO
import Synchronization

/// A store of several tiers: memory, compressed memory and a disk, in any combination, or two stores of your own.
///
/// Chunks that the upper tier evicts move to the lower one; chunks read there are promoted again.
///
/// ```swift
/// let store = TieredStore(memory: .mebibytes(256), compressed: .mebibytes(128))
/// let reader = try await RangeReader(source, [.caching(store)])
///
/// let survives = try await TieredStore(
///   memory: .mebibytes(256), compressed: .mebibytes(128),
///   disk: .init(directory: "/var/cache/app", limit: .gibibytes(20)))
/// ```
///
/// You can combine any two stores: `TieredStore(upper, lower)`. To combine more than two, start from the bottom,
/// since two combined stores are again a store.
///
/// - A look-up is answered from both at once: what the upper store has, what is on its way down, and what the lower
///   store has.
/// - Chunks that the upper store evicts to make room wait in a bounded queue, where they can be found, and are moved in
///   the background. A chunk that is read there is promoted again. If the queue is full, the chunk is dropped and
///   counted.
/// - The lower store says when a chunk is promoted. A compressed store says so at the second touch, so that reading
///   everything once does not flush the upper store. Bytes that the lower store has in memory are served from where
///   they are.
/// - At rest a byte is in only one of the two, unless the lower store keeps copies.
///
/// Pins, metadata, limits and statistics are those of the library's stores among the parts, however you combine them.
/// An operation that no part can do throws.
///
/// For the full rules see *The life of a chunk* in `Docs/Architecture/Stores.md`.
public final class TieredStore: ChunkStore, FullChunkStore {
  let upper: any FullChunkStore
  let lower: any FullChunkStore
  let mover: DemotionQueue
  /// The tiers in memory, if the store made them.
  let memory: MemoryTiers?
  /// Used only with these.
  let limitChanges: Locked<LimitChanges<Limits>>
  /// The stores that this one is made of, from the top down. None of them is itself a combined store.
  var parts: [any FullChunkStore] { [upper, lower].flatMap { ($0 as? TieredStore)?.parts ?? [$0] } }
  /// The demotion queues of all parts, from the top down.
  var movers: [DemotionQueue] {
    ((upper as? TieredStore)?.movers ?? []) + [mover] + ((lower as? TieredStore)?.movers ?? [])
  }
  /// The store of memory and compressed memory, if that is above a disk.
  let inner: TieredStore?
  /// The tier on disk, if there is one.
  package let spill: SpillStore?
  /// Bytes that enter the upper store are also written to the disk at once, by this store rather than by the upper one.
  private let copiesDown: Bool

  /// Creates a store of `upper` and `lower`. Nothing else may use those two.
  ///
  /// - Parameters:
  ///   - upper: the store that is asked first, and given new chunks.
  ///   - lower: gets what `upper` evicts.
  ///   - queueLimit: the number of bytes that may be on their way down. Default: 1 MiB.
  /// - Precondition: both have the same `ChunkSources`.
  public convenience init(
    _ upper: any ChunkStore, _ lower: any ChunkStore, queueLimit: ByteCount = .mebibytes(1)
  ) {
    self.init(upper, lower, queueLimit: queueLimit, background: BackgroundWork())
  }

  /// - Parameter background: where chunks are moved.
  package convenience init(
    _ upper: any ChunkStore, _ lower: any ChunkStore, queueLimit: ByteCount = .mebibytes(1),
    background: BackgroundWork
  ) {
    self.init(upper.fullTier, lower.fullTier, memory: nil, queueLimit: queueLimit.bytes, background)
  }

  init(
    _ upper: any FullChunkStore, _ lower: any FullChunkStore, memory: MemoryTiers?, queueLimit: Int,
    _ background: BackgroundWork
  ) {
    precondition(upper.sources === lower.sources, "stores that are composed know the same sources")
    self.upper = upper
    self.lower = lower
    self.memory = memory
    limitChanges = Locked(LimitChanges(memory?.limits ?? Limits(memory: .bytes(0), compressed: .bytes(0))))
    // However the stores are nested.
    func disk(of store: any FullChunkStore) -> SpillStore? {
      store as? SpillStore ?? (store as? TieredStore)?.spill
    }
    let above = disk(of: upper)
    spill = above ?? disk(of: lower)
    copiesDown = above == nil && spill?.configuration.writesOnInsertion == true
    inner = lower is SpillStore ? upper as? TieredStore : nil
    // Weak, since the compressed store above a disk has this queue as its outlet.
    let compressed = memory?.compressed
    mover = DemotionQueue(from: upper, to: lower, limit: queueLimit, background) { [weak compressed] in
      compressed?.isExpired($0) ?? false
    }
    upper.sendEvictions(to: mover)
  }

  /// The sources that both stores share.
  public var sources: ChunkSources { upper.sources }

  /// As the upper store's, since that is where bytes come in. What outlives the process may be in either.
  public var traits: StoreTraits {
    var traits = upper.traits
    traits.mayOutliveProcess = traits.mayOutliveProcess || lower.traits.mayOutliveProcess
    (traits.takesEncodedBy, traits.background) = (nil, mover.background)
    return traits
  }

  /// The upper store's, where bytes come in.
  package var aheadBudget: ReadAheadBudget? { upper.aheadBudget }

  /// Sends chunks that the lower store evicts to `outlet`.
  package func sendEvictions(to outlet: any EvictionSink) { lower.sendEvictions(to: outlet) }

  // MARK: down

  /// Makes room in the upper store.
  public func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    upper.reserve(range, ofRun: run, for: token)
  }

  /// Keeps the bytes in the upper store.
  @discardableResult public func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool {
    guard upper.insert(bytes, at: range, ticket: ticket, reservation: reservation) else { return false }
    // Removes what arrived below since the look-up: a race leaves a copy there.
    erasePromotedBelow(range, ticket.token)
    if copiesDown { for chunk in Chunk.split(bytes, at: range, ticket: ticket) { spill?.insertDemoted(chunk) } }
    return true
  }

  /// Keeps a chunk from a tier above in the upper store.
  @discardableResult package func insertDemoted(_ chunk: Chunk) -> Bool {
    guard upper.insertDemoted(chunk) else { return false }
    for range in chunk.ranges { erasePromotedBelow(range, chunk.token) }
    return true
  }

  /// Cancels a reservation of the upper store.
  public func cancel(_ reservation: ChunkReservation) { upper.cancel(reservation) }

  func erasePromotedBelow(_ range: ByteRange, _ token: ChunkToken) {
    // For our own tiers it is known whether anything of it is below. A disk keeps its copies, and chunks on their way
    // there can still be found here.
    if memory != nil, token.chargedBytesBelow.load(ordering: .sequentiallyConsistent) == 0 { return }
    for (_, part) in token.grid.pieces(of: range) {
      // The upper store may have chosen not to keep it. Then this is the only copy.
      guard upper.holdsSome(of: part, token: token.number, grid: token.grid) else { continue }
      mover.erase(part, of: token)
      lower.erase(.promoted(part, of: token))
    }
  }

  // MARK: removing

  /// Erases what both stores hold.
  public func erase(_ range: ByteRange, of token: ChunkToken) { erase(.range(range, of: token)) }

  /// Erases what both stores hold of a source, or of all.
  public func erase(source id: String?) { erase(id.map { .source(id: $0) } ?? .everything) }

  /// Erases what both stores hold. Whole blocks in every tier: half of a block that stays in one would come back in another.
  @discardableResult package func erase(_ scope: ChunkScope) -> ChunkRemoval {
    let removal = upper.erase(scope)
    if case .promoted(let range, let token) = scope {
      erasePromotedBelow(range, token)
    } else {
      mover.erase(scope, sources)
      lower.erase(scope)
    }
    return removal
  }

  /// The chunks of the upper store, then those of the lower.
  package func residents() -> AnyIterator<[Chunk]> {
    let (above, below) = (upper.residents(), lower.residents())
    return AnyIterator { above.next() ?? below.next() }
  }
}
