/// Makes a ``FullChunkStore`` of any store, with the defaults where the store is no tier.
package final class AdaptedStore: FullChunkStore {
  /// The operations in which a tier differs from other stores.
  package struct Tier: Sendable {
    let insertDemoted: @Sendable (Chunk) -> Bool
    let erasePromoted: @Sendable (ByteRange, ChunkToken) -> Void
    let sendEvictions: @Sendable (any EvictionSink) -> Void

    package init(
      insertDemoted: @escaping @Sendable (Chunk) -> Bool,
      erasePromoted: @escaping @Sendable (ByteRange, ChunkToken) -> Void,
      sendEvictions: @escaping @Sendable (any EvictionSink) -> Void
    ) {
      (self.insertDemoted, self.erasePromoted, self.sendEvictions) = (insertDemoted, erasePromoted, sendEvictions)
    }
  }
  private let store: any ChunkStore
  private let tier: Tier?

  package init(_ store: any ChunkStore, as tier: Tier? = nil) { (self.store, self.tier) = (store, tier) }

  package var sources: ChunkSources { store.sources }
  package var traits: StoreTraits { store.traits }

  package func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { store.lookUp(range, of: token) }

  package func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    // A token that is retired has nothing.
    sources.token(numbered: token).map { store.lookUp(range, of: $0) } ?? .miss
  }

  /// Derives the coverage from a look-up.
  package func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    switch lookUp(range, token: token, grid: grid) {
    case .hit: [range]
    case .partial(let pieces, let deferred, _): ByteRanges.normalize(pieces.map(\.range) + deferred.map(\.wanted))
    case .miss: []
    }
  }

  /// The origin has the name of the store's type.
  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    let origin = ReadExplanation.Origin("\(type(of: store))")
    return grid.pieces(of: range).map { _, part in
      holds(part, token: token, grid: grid)
        ? ReadExplanation.Part(part, origin)
        : .missing(part, origin, "it does not hold all of these bytes of the block")
    }
  }

  package func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    store.reserve(range, ofRun: run, for: token)
  }

  package func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }

  package func cancel(_ reservation: ChunkReservation) { store.cancel(reservation) }
  package func erase(_ range: ByteRange, of token: ChunkToken) { store.erase(range, of: token) }
  package func erase(source id: String?) { store.erase(source: id) }
  package func statistics() -> [Counters] { store.statistics() }
  package func close(within deadline: Duration) async throws { try await store.close(within: deadline) }

  package func erase(_ scope: ChunkScope) -> ChunkRemoval {
    if case .promoted(let range, let token) = scope, let tier {
      tier.erasePromoted(range, token)
    } else {
      eraseTokens(of: scope)
    }
    return ChunkRemoval()
  }

  package func insertDemoted(_ chunk: Chunk) -> Bool { tier?.insertDemoted(chunk) ?? insertPieces(of: chunk) }
  package func sendEvictions(to outlet: any EvictionSink) { tier?.sendEvictions(outlet) }
}
