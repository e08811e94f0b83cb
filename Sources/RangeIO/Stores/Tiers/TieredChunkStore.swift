import Synchronization

/// Two stores that are one: what the upper one evicts moves to the lower one, and what is read there is promoted again.
///
/// ```swift
/// let store = TieredChunkStore(memory: .mebibytes(256), compressed: .mebibytes(128))
/// let reader = try await RangeReader(source) { Caching(store) }
/// ```
///
/// Of any two stores: `TieredChunkStore(upper, lower)`. More than two are composed from below, since two stores are a
/// store.
///
/// - A look-up is answered from both at once: what the upper store has, what is on its way, and what the lower has.
/// - What the upper store evicts for want of room waits in a bounded queue, where it can be found, and is moved beside
///   the reads. What is read there goes back up. What finds the queue full is dropped and counted.
/// - What the lower store holds, but not at hand, is promoted when that says so: a compressed store at the second touch, so
///   that reading everything once does not flush the upper store. What it has at hand is served from where it is.
/// - At rest a byte is in one of the two, unless the lower store keeps copies.
///
/// Pins, metadata, limits and statistics are those of the library's stores among the parts, however they are composed.
/// What no part can do throws.
///
/// The rules in full: *The life of a chunk* in `Docs/Architecture.md`.
public final class TieredChunkStore: ChunkStore {
  let upper: any ChunkStore
  let lower: any ChunkStore
  let mover: DemotionQueue
  /// What it knows of its tiers in memory if it made them.
  let memory: MemoryTiers?
  /// The stores that this one is made of, from the top down: none of them is one of two itself.
  var parts: [any ChunkStore] { [upper, lower].flatMap { ($0 as? TieredChunkStore)?.parts ?? [$0] } }
  /// The movers of all parts, from the top down.
  var movers: [DemotionQueue] {
    ((upper as? TieredChunkStore)?.movers ?? []) + [mover] + ((lower as? TieredChunkStore)?.movers ?? [])
  }
  /// The store of memory and compressed memory, where that is above a disk.
  let inner: TieredChunkStore?
  /// The tier on a disk, if it has one.
  public let spill: SpillStore?
  /// Whether what comes into the upper store is written to the disk at once, and not by the upper store.
  private let copiesDown: Bool

  /// A store of `upper` and `lower`, neither of which anybody else uses.
  ///
  /// - Parameters:
  ///   - queueLimit: the bytes that may be on their way down. Default: 1 MiB.
  ///   - background: where chunks are moved. Default: Swift's own threads.
  /// - Precondition: both know the same ``ChunkSources``.
  public convenience init(
    _ upper: any ChunkStore, _ lower: any ChunkStore, queueLimit: ByteCount = .mebibytes(1),
    background: BackgroundWork = BackgroundWork()
  ) {
    self.init(upper, lower, memory: nil, queueLimit: queueLimit.bytes, background)
  }

  init(
    _ upper: any ChunkStore, _ lower: any ChunkStore, memory: MemoryTiers?, queueLimit: Int,
    _ background: BackgroundWork
  ) {
    precondition(upper.sources === lower.sources, "stores that are composed know the same sources")
    self.upper = upper
    self.lower = lower
    self.memory = memory
    // However they are nested.
    func disk(of store: any ChunkStore) -> SpillStore? {
      store as? SpillStore ?? (store as? TieredChunkStore)?.spill
    }
    let above = disk(of: upper)
    spill = above ?? disk(of: lower)
    copiesDown = above == nil && spill?.configuration.writes == .onInsertion
    inner = lower is SpillStore ? upper as? TieredChunkStore : nil
    // Weak: the compressed store above a disk has this mover as its outlet.
    let compressed = memory?.compressed
    mover = DemotionQueue(from: upper, to: lower, limit: queueLimit, background) { [weak compressed] in
      compressed?.isExpired($0) ?? false
    }
    upper.sendEvictions(to: mover)
  }

  /// The sources that both stores know.
  public var sources: ChunkSources { upper.sources }

  /// Whether the upper store does, which is where bytes come in.
  public var keepsPartsOfBlocks: Bool { upper.keepsPartsOfBlocks }

  /// The present by the upper store's clock.
  public var now: ReadInstant { upper.now }

  /// Hands what the lower store evicts to `outlet`.
  public func sendEvictions(to outlet: any EvictionSink) { lower.sendEvictions(to: outlet) }

  /// Waits for a turn of the upper store's.
  public nonisolated(nonsending) func enterUnreserved() async throws { try await upper.enterUnreserved() }

  /// Ends the turn.
  public func leaveUnreserved() { upper.leaveUnreserved() }

  // MARK: down

  /// Makes room in the upper store.
  public func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkRoom {
    let room = upper.reserve(range, ofRun: run, for: token)
    move(room.evicted)
    return ChunkRoom(reservation: room.reservation)
  }

  /// Keeps the bytes in the upper store.
  public func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> ChunkInsertion {
    let insertion = upper.insert(bytes, at: range, ticket: ticket, reservation: reservation)
    move(insertion.evicted)
    guard insertion.isPublished else { return ChunkInsertion(isPublished: false) }
    // What arrived below between the look-up and now: a race costs a copy, which goes here.
    erasePromotedBelow(range, ticket.token)
    if copiesDown { copyDown(bytes, range, ticket) }
    return ChunkInsertion(isPublished: insertion.isPublished)
  }

  /// Keeps a chunk of a tier above in the upper store.
  public func insertDemoted(_ chunk: Chunk) -> ChunkInsertion {
    let insertion = upper.insertDemoted(chunk)
    move(insertion.evicted)
    if insertion.isPublished { for piece in chunk.pieces { erasePromotedBelow(piece.range, chunk.token) } }
    return ChunkInsertion(isPublished: insertion.isPublished)
  }

  /// Gives a reservation of the upper store back.
  public func cancel(_ reservation: ChunkReservation) { upper.cancel(reservation) }

  /// Moves what a store without an outlet has returned as evicted.
  func move(_ evicted: [Chunk]) {
    guard !evicted.isEmpty else { return }
    mover.take(evicted[...])
    mover.proceed()
  }

  /// Has what came into the upper store written to the disk as well.
  private func copyDown(_ bytes: Bytes, _ range: ByteRange, _ ticket: ChunkTicket) {
    let chunks = ticket.token.grid.pieces(of: range).map { block, part in
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      return Chunk(ticket: ticket, block: block, piece: RangedBytes(part, slice))
    }
    for chunk in chunks { _ = spill?.insertDemoted(chunk) }
  }

  func erasePromotedBelow(_ range: ByteRange, _ token: ChunkToken) {
    // Of our own tiers it is known whether there is anything of it below.
    // A disk holds copies, and what is on its way there stays found here.
    if memory != nil, token.chargedBytesBelow.load(ordering: .sequentiallyConsistent) == 0 { return }
    for (_, part) in token.grid.pieces(of: range) {
      // The upper store may have chosen not to keep it: then this is the only copy.
      guard upper.holdsSome(of: part, token: token.number, grid: token.grid) else { continue }
      mover.erase(part, of: token)
      lower.erasePromoted(part, of: token)
    }
  }

  // MARK: removing

  /// Erases what both stores hold.
  public func erase(_ range: ByteRange, of token: ChunkToken) {
    upper.erase(range, of: token)
    mover.erase(range, of: token)
    lower.erase(range, of: token)
  }

  /// Erases what both stores hold of a source.
  public func erase(source id: String) {
    upper.erase(source: id)
    for token in sources.tokens(ofID: id) where token.source.byteCount > 0 {
      mover.erase(0..<token.source.byteCount, of: token)
    }
    lower.erase(source: id)
  }

  /// Erases what both stores hold.
  public func eraseAll() {
    upper.eraseAll()
    mover.removeAll()
    lower.eraseAll()
  }

  /// Those of the upper store, then those of the lower.
  public func residents() -> AnyIterator<[Chunk]> {
    let (above, below) = (upper.residents(), lower.residents())
    return AnyIterator { above.next() ?? below.next() }
  }

  /// Erases what both stores hold of a token that was retired.
  public func eraseRetired(_ token: ChunkToken) {
    upper.eraseRetired(token)
    if token.source.byteCount > 0 { mover.erase(0..<token.source.byteCount, of: token) }
    lower.eraseRetired(token)
  }

  /// The tier above holds `range` now.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) {
    upper.erasePromoted(range, of: token)
    erasePromotedBelow(range, token)
  }
}
