public import RangeIO

extension TieredStore {
  /// Leaves `isAbsent` alone: what is absent from the upper store may be below.
  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid, isAbsent: inout Bool) -> Bytes? {
    upper.hit(range, token: token, grid: grid)
  }

  package func expect(_ offset: Int, token: UInt64, grid: BlockGrid) {
    upper.expect(offset, token: token, grid: grid)
  }

  /// Returns what both stores, and the queue between them, hold of `range`.
  public func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    lookUp(range, token: token.number, grid: token.grid)
  }

  package func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    let returned = mover.returnCount
    let found = lookUpOnce(range, token, grid)
    if case .hit = found { return found }
    // A chunk that was promoted again while this look-up went down is above by now.
    return mover.returnCount == returned ? found : lookUpOnce(range, token, grid)
  }

  private func lookUpOnce(_ range: ByteRange, _ token: UInt64, _ grid: BlockGrid) -> ChunkLookup {
    let above = upper.lookUp(range, token: token, grid: grid)
    var found: TieredLookup
    switch above {
    case .hit: return above
    case .miss:
      // Nothing is moving either. Most hits in the lower store take this path.
      guard mover.mayHave(range, token: token, grid: grid) else { return lookUpBelow(range, token, grid) }
      found = TieredLookup(gaps: [range])
    case .partial(let pieces, let deferred, let gaps):
      guard !gaps.isEmpty else { return above }
      found = TieredLookup(pieces: pieces, deferred: deferred, gaps: gaps)
    }
    // In the order in which chunks move down, so that a moving chunk is found in one place or the next. What is not
    // found is added to the gaps again.
    let gaps = found.gaps
    found.gaps = []
    for gap in gaps {
      var missing = [gap]
      for entry in mover.find(gap, token: token, grid: grid) {
        // What cannot be decoded is not here.
        guard let chunk = entry.chunk.decoded else { continue }
        found.add(chunk, of: &missing)
        takeBack(entry, chunk)
      }
      for part in missing { found.add(lower.lookUp(part, token: token, grid: grid), part, rising: rising) }
    }
    return found.lookup
  }

  private func lookUpBelow(_ range: ByteRange, _ token: UInt64, _ grid: BlockGrid) -> ChunkLookup {
    let below = lower.lookUp(range, token: token, grid: grid)
    guard case .partial(let pieces, let deferred, let gaps) = below, deferred.contains(where: \.shouldPromote) else {
      return below
    }
    return .partial(pieces: pieces, deferred: deferred.map(rising), gaps: gaps)
  }

  /// A chunk that is read on its way down is promoted again.
  private func takeBack(_ entry: DemotionQueueState.Entry, _ chunk: Chunk) {
    // Above first, so that it is never nowhere. Without room there it stays in the queue.
    if upper.insertDemoted(chunk) { mover.cancel(entry) }
  }

  /// A piece of the lower store, to be promoted when it is loaded.
  private func rising(_ piece: DeferredPiece) -> DeferredPiece {
    guard piece.shouldPromote else { return piece }
    return DeferredPiece(
      range: piece.range, wanted: piece.wanted, ticket: piece.ticket, shouldPromote: false,
      loader: RisingLoader(store: self, loader: piece.loader, range: piece.range, ticket: piece.ticket))
  }

  package func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    ByteRanges.normalize(
      upper.coverage(range, token: token, grid: grid)
        + mover.coverage(range, token: token, grid: grid).compactMap { ByteRanges.intersection($0, range) }
        + lower.coverage(range, token: token, grid: grid))
  }

  package func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    grid.pieces(of: range).allSatisfy { _, part in
      upper.holds(part, token: token, grid: grid) || lower.holds(part, token: token, grid: grid)
        || ByteRanges.gaps(in: part, covered: coverage(part, token: token, grid: grid)).isEmpty
    }
  }

  /// Chunks on their way down are in memory.
  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    upper.explain(range, token: token, grid: grid).lookingFurther { missing in
      .parts(
        of: missing, held: mover.coverage(missing, token: token, grid: grid), .memory,
        detail: "on its way to the tier below"
      ) {
        lower.explain($0, token: token, grid: grid)
      }
    }
  }
}

/// The findings of a look-up in several places, combined.
private struct TieredLookup {
  var pieces: [RangedBytes] = []
  var deferred: [DeferredPiece] = []
  var gaps: [ByteRange]

  /// Adds what a chunk has of the `missing` parts of one gap.
  mutating func add(_ chunk: Chunk, of missing: inout [ByteRange]) {
    for piece in chunk.pieces {
      for part in missing.compactMap({ ByteRanges.intersection($0, piece.range) }) {
        let lower = part.lowerBound - piece.range.lowerBound
        pieces.append(RangedBytes(part, piece.bytes.slice(lower..<lower + part.count)))
      }
      missing = missing.flatMap { ByteRanges.subtract(piece.range, from: $0) }
    }
  }

  /// Adds what the lower store has of `gap`.
  mutating func add(_ below: ChunkLookup, _ gap: ByteRange, rising: (DeferredPiece) -> DeferredPiece) {
    switch below {
    case .miss: gaps.append(gap)
    case .hit(let bytes): pieces.append(RangedBytes(gap, bytes))
    case .partial(let some, let more, let left):
      pieces += some
      deferred += more.map(rising)
      gaps += left
    }
  }

  var lookup: ChunkLookup {
    guard !pieces.isEmpty || !deferred.isEmpty else { return .miss }
    let ordered = pieces.sorted { $0.range.lowerBound < $1.range.lowerBound }
    guard !gaps.isEmpty || !deferred.isEmpty else { return .hit(Bytes(concatenating: ordered.lazy.map(\.bytes))) }
    return .partial(
      pieces: ordered, deferred: deferred.sorted { $0.wanted.lowerBound < $1.wanted.lowerBound }, gaps: gaps)
  }
}

/// Loads a piece of the lower store and keeps it in the upper one.
private struct RisingLoader: PieceLoader {
  let store: TieredStore
  let loader: any PieceLoader
  let range: ByteRange
  let ticket: ChunkTicket

  var isQuick: Bool { loader.isQuick }

  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? {
    let reservation = reserve()
    return rise(await loader.load(whenLate: whenLate), reservation)
  }

  func answer() -> ReadAnswer<Bytes?> {
    let reservation = reserve()
    if case .here(let bytes) = loader.answer() { return .here(rise(bytes, reservation)) }
    // Room is reserved again when the piece is loaded.
    if let reservation { store.cancel(reservation) }
    return .later
  }

  private func reserve() -> ChunkReservation? {
    store.reserve(range, ofRun: range.count, for: ticket.token)
  }

  /// Without room above, the piece is returned anyway and stays where it is.
  private func rise(_ bytes: Bytes?, _ reservation: ChunkReservation?) -> Bytes? {
    guard let reservation else { return bytes }
    // The loader may be a custom one: bytes that are not the piece are not kept, and the reader refuses them.
    guard let bytes, bytes.count == range.count else {
      store.cancel(reservation)
      return nil
    }
    // First above, then removed below: a look-up finds it in one place or the other.
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
    return bytes
  }
}
