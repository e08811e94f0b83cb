/// Makes a ``FullChunkStore`` of any store, with the defaults and what the store implements as a ``ChunkTier``.
final class AdaptedStore: FullChunkStore {
  let store: any ChunkStore
  private let tier: (any ChunkTier)?

  init(_ store: any ChunkStore) {
    self.store = store
    tier = store as? any ChunkTier
  }

  var sources: ChunkSources { store.sources }
  var traits: StoreTraits { store.traits }

  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { store.lookUp(range, of: token) }

  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    // A token that is retired has nothing.
    sources.token(numbered: token).map { store.lookUp(range, of: $0) } ?? .miss
  }

  /// What a look-up finds.
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    switch lookUp(range, token: token, grid: grid) {
    case .hit: [range]
    case .partial(let pieces, let deferred, _): ByteRanges.normalize(pieces.map(\.range) + deferred.map(\.wanted))
    case .miss: []
    }
  }

  /// The origin has the name of the store's type.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    let origin = ReadExplanation.Origin("\(type(of: store))")
    return grid.pieces(of: range).map { _, part in
      holds(part, token: token, grid: grid)
        ? ReadExplanation.Part(part, origin)
        : .missing(part, origin, "it does not hold all of these bytes of the block")
    }
  }

  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    store.reserve(range, ofRun: run, for: token)
  }

  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }

  func cancel(_ reservation: ChunkReservation) { store.cancel(reservation) }
  func erase(_ range: ByteRange, of token: ChunkToken) { store.erase(range, of: token) }
  func erase(source id: String?) { store.erase(source: id) }

  func erase(_ scope: ChunkScope) -> ChunkRemoval {
    if case .promoted(let range, let token) = scope, let tier {
      tier.erasePromoted(range, of: token)
    } else {
      eraseTokens(of: scope)
    }
    return ChunkRemoval()
  }

  func insertDemoted(_ chunk: Chunk) -> Bool { tier?.insertDemoted(chunk) ?? store.insertPieces(of: chunk) }

  func sendEvictions(to outlet: any EvictionSink) {
    tier?.sendEvictions { chunks in
      outlet.take(chunks[...])
      outlet.proceed()
    }
  }
}
