import RangeIO

/// A memory store alone. Missing blocks are fetched here, as the stage would do it, but without its cost.
struct StoreTarget: ReplayTarget {
  private let store: MemoryStore
  private let token: ChunkToken
  private let source: MadeUpSource

  init(_ store: MemoryStore, _ grid: BlockGrid, _ source: MadeUpSource) {
    self.store = store
    self.source = source
    token = store.token(of: source.description, on: grid)
  }

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) throws {
    if store.hit(range, token: token.number, grid: token.grid) != nil { return }
    let gaps: [ByteRange]
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .hit: return
    case .partial(_, _, let missing): gaps = missing
    case .miss: gaps = [range]
    }
    for gap in gaps { fetch(token.grid.outward(gap, in: source.byteCount), fetched: &fetched) }
  }

  private func fetch(_ range: ByteRange, fetched: inout [ByteRange]) {
    fetched.append(range)
    let ticket = token.ticket(fetchedAt: store.now)
    let reservation = store.reserve(range, ofRun: range.count, for: token)
    let bytes = source.bytes(of: range)
    guard let reservation else { return }
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }
}
