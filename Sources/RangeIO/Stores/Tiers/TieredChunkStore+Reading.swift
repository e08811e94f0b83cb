extension TieredChunkStore {
  /// The bytes of `range`, if the upper store has them at hand.
  public func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? {
    upper.hit(range, token: token, grid: grid)
  }

  /// What both stores and the way between them hold of `range`.
  public func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    let above = upper.lookUp(range, token: token, grid: grid)
    var found: TieredLookup
    switch above {
    case .hit: return above
    case .miss:
      // Nothing on its way either: the way of most hits below.
      guard mover.mayHave(range, token: token, grid: grid) else { return lookUpBelow(range, token, grid) }
      found = TieredLookup(gaps: [range])
    case .partial(let pieces, let held, let gaps):
      guard !gaps.isEmpty else { return above }
      found = TieredLookup(pieces: pieces, held: held, gaps: gaps)
    }
    // In the order in which chunks move down, so that one on its way is found in one place or the next.
    for gap in found.gaps {
      for entry in mover.find(gap, token: token, grid: grid)
      // The mover knows no limits: what grew too old on its way is dropped when it arrives.
      where memory?.compressed.isExpired(entry.chunk) != true {
        found.add(entry.chunk, within: gap)
        takeBack(entry)
      }
    }
    for gap in found.gaps { found.add(lower.lookUp(gap, token: token, grid: grid), gap, rising: rising) }
    return found.lookup
  }

  private func lookUpBelow(_ range: ByteRange, _ token: UInt64, _ grid: BlockGrid) -> ChunkLookup {
    let below = lower.lookUp(range, token: token, grid: grid)
    guard case .partial(let pieces, let held, let gaps) = below, held.contains(where: \.rises) else { return below }
    return .partial(pieces: pieces, held: held.map(rising), gaps: gaps)
  }

  /// A chunk that is read on its way down goes back up.
  private func takeBack(_ entry: MovingQueue.Entry) {
    let chunk = entry.chunk
    // Above first: it is never nowhere. Without room there it stays on its way.
    let insertion = upper.accept(chunk)
    if insertion.isPublished { mover.cancel(entry) }
    move(insertion.evicted)
  }

  /// A piece of the lower store that rises when it has been got.
  private func rising(_ piece: HeldPiece) -> HeldPiece {
    guard piece.rises else { return piece }
    return HeldPiece(
      range: piece.range, wanted: piece.wanted, ticket: piece.ticket, rises: false,
      loader: RisingLoader(store: self, loader: piece.loader, range: piece.range, ticket: piece.ticket))
  }

  /// Whether both stores and the way between them hold all of `range`. Does not count as a read.
  public func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    grid.pieces(of: range).allSatisfy { _, part in
      upper.holds(part, token: token, grid: grid) || lower.holds(part, token: token, grid: grid)
        || isCovered(part, token, grid)
    }
  }

  /// Whether a part of a block is held by all together.
  private func isCovered(_ part: ByteRange, _ token: UInt64, _ grid: BlockGrid) -> Bool {
    switch lookUp(part, token: token, grid: grid) {
    case .hit: true
    case .partial(_, _, let gaps): gaps.isEmpty
    case .miss: false
    }
  }
}

/// What a look-up finds in several places, put together.
private struct TieredLookup {
  var pieces: [ChunkPiece] = []
  var held: [HeldPiece] = []
  var gaps: [ByteRange]

  /// Cuts out what a chunk has of `gap`.
  mutating func add(_ chunk: Chunk, within gap: ByteRange) {
    for piece in chunk.pieces {
      guard let common = ByteRanges.intersection(piece.range, gap) else { continue }
      // Of what is still missing: other pieces may have been found in the same gap.
      for part in gaps.compactMap({ ByteRanges.intersection($0, common) }) {
        let lower = part.lowerBound - piece.range.lowerBound
        pieces.append(ChunkPiece(part, piece.bytes.slice(lower..<lower + part.count)))
        gaps = gaps.flatMap { ByteRanges.subtract(part, from: $0) }
      }
    }
  }

  /// Adds what the lower store has of `gap`.
  mutating func add(_ below: ChunkLookup, _ gap: ByteRange, rising: (HeldPiece) -> HeldPiece) {
    let left: [ByteRange]
    switch below {
    case .miss: return
    case .hit(let bytes):
      pieces.append(ChunkPiece(gap, bytes))
      left = []
    case .partial(let some, let more, let gaps):
      pieces += some
      held += more.map(rising)
      left = gaps
    }
    gaps = gaps.flatMap { $0 == gap ? left : [$0] }
  }

  var lookup: ChunkLookup {
    guard !pieces.isEmpty || !held.isEmpty else { return .miss }
    let ordered = pieces.sorted { $0.range.lowerBound < $1.range.lowerBound }
    guard !gaps.isEmpty || !held.isEmpty else { return .hit(Bytes(concatenating: ordered.lazy.map(\.bytes))) }
    return .partial(
      pieces: ordered, held: held.sorted { $0.wanted.lowerBound < $1.wanted.lowerBound }, gaps: gaps)
  }
}

/// Gets a piece of the lower store and keeps it in the upper one.
private struct RisingLoader: PieceLoader {
  let store: TieredChunkStore
  let loader: any PieceLoader
  let range: ByteRange
  let ticket: ChunkTicket

  var isQuick: Bool { loader.isQuick }

  func load() async -> Bytes? {
    let reservation = reserve()
    return rise(await loader.load(), reservation)
  }

  func loadNow() -> Bytes? {
    let reservation = reserve()
    return rise(loader.loadNow(), reservation)
  }

  private func reserve() -> ChunkReservation? {
    store.reserve(range, ofRun: range.count, for: ticket.token).reservation
  }

  /// Without room above, it is read all the same and stays where it is.
  private func rise(_ bytes: Bytes?, _ reservation: ChunkReservation?) -> Bytes? {
    guard let reservation else { return bytes }
    guard let bytes else {
      store.cancel(reservation)
      return nil
    }
    // Above first, and then gone below: whoever looks finds it in one place or the other.
    _ = store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
    return bytes
  }
}
