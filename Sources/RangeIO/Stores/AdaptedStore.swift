/// Makes a ``FullChunkStore`` of any store, with the defaults and what the store implements as a ``ChunkTier``.
final class AdaptedStore: FullChunkStore {
  let store: any ChunkStore
  private let tier: (any ChunkTier)?

  init(_ store: any ChunkStore) {
    self.store = store
    tier = store as? any ChunkTier
  }

  var sources: ChunkSources { store.sources }
  var mayOutliveProcess: Bool { store.mayOutliveProcess }

  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { store.lookUp(range, of: token) }

  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    // A token that is retired has nothing.
    sources.token(numbered: token).map { store.lookUp(range, of: $0) } ?? .miss
  }

  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    store.reserve(range, ofRun: run, for: token)
  }

  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }

  func cancel(_ reservation: ChunkReservation) { store.cancel(reservation) }
  func erase(_ range: ByteRange, of token: ChunkToken) { store.erase(range, of: token) }
  func eraseLeftovers(of id: String?) { store.eraseLeftovers(of: id) }

  /// The origin has the name of the store's type.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    explain(range, token: token, grid: grid, as: ReadExplanation.Origin("\(type(of: store))"))
  }

  func insertDemoted(_ chunk: Chunk) -> Bool { tier?.insertDemoted(chunk) ?? store.insertPieces(of: chunk) }

  func erasePromoted(_ range: ByteRange, of token: ChunkToken) {
    guard let tier else { return store.erase(range, of: token) }
    tier.erasePromoted(range, of: token)
  }

  func sendEvictions(to outlet: any EvictionSink) {
    tier?.sendEvictions { chunks in
      outlet.take(chunks[...])
      outlet.proceed()
    }
  }
}
