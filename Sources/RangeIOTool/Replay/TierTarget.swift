import RangeIO

/// A store of tiers by itself, as `StoreTarget` has a memory store. What is evicted has moved, and is on the disk if
/// there is one, before the next read: counts do not depend on how fast the machine compresses and writes.
struct TierTarget: ReplayTarget {
  let store: TieredChunkStore
  private let executor: SteppingExecutor
  private let token: ChunkToken
  private let source: MadeUpSource

  init(
    _ tiers: ReplayTiers, _ budget: ByteCount, _ options: ReplayOptions, _ policy: EvictionPolicyFactory,
    _ source: MadeUpSource
  ) async throws {
    executor = SteppingExecutor()
    store = try await tiers.store(budget, options, policy, executor)
    self.source = source
    token = store.token(of: source.description, on: options.grid)
  }

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) throws {
    if store.hit(range, token: token.number, grid: token.grid) != nil { return }
    var gaps: [ByteRange] = []
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .hit: break
    case .partial(_, let held, let missing):
      gaps = missing
      // What cannot be got is missing; the codecs here never fail.
      for piece in held where piece.loader.loadNow().bytes == nil { gaps.append(piece.wanted) }
    case .miss: gaps = [range]
    }
    for gap in gaps { fetch(token.grid.outward(gap, in: source.byteCount), fetched: &fetched) }
    executor.run()
  }

  private func fetch(_ range: ByteRange, fetched: inout [ByteRange]) {
    fetched.append(range)
    let ticket = token.ticket(fetchedAt: store.now)
    let room = store.reserve(range, ofRun: range.count, for: token)
    let bytes = source.bytes(of: range)
    guard let reservation = room.reservation else { return }
    _ = store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }
}
