package import RangeIO

extension CompressedStore {
  /// Returns what the store holds of `range`: pieces to decompress, and gaps.
  ///
  /// - Complexity: O(blocks), one lock each.
  package func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    var deferred: [DeferredPiece] = []
    let now = presentForLimits
    for (block, part) in grid.pieces(of: range) { lookUp(part, block, token, grid, now, &deferred) }
    guard !deferred.isEmpty else { return .miss }
    if deferred.count == 1, deferred[0].wanted == range { return .partial(pieces: [], deferred: deferred, gaps: []) }
    return .partial(pieces: [], deferred: deferred, gaps: ByteRanges.gaps(in: range, covered: deferred.map(\.wanted)))
  }

  /// Appends what is here of one block.
  private func lookUp(
    _ part: ByteRange, _ block: Int, _ token: UInt64, _ grid: BlockGrid, _ now: Int64, _ deferred: inout [DeferredPiece]
  ) {
    let hash = ChunkTable.hash(token: token, block: block)
    let start = block << grid.shift
    let wanted = part.lowerBound - start..<part.upperBound - start
    let expired = shard(of: hash).state.withLock { state -> Int in
      var found: [UInt32] = []
      var expired = 0
      for slot in state.slots(token, block, hash) {
        guard now == .min || !state.isExpired(slot, now) else {
          state.remove(slot)
          expired += 1
          continue
        }
        if state.table[slot].piece.overlaps(wanted) { found.append(slot) }
      }
      state.counts.expirations += expired
      guard !found.isEmpty else {
        state.counts.misses += 1
        return expired
      }
      found.sort { state.table[$0].lower < state.table[$1].lower }
      var cursor = wanted.lowerBound
      for slot in found {
        let piece = state.table[slot].piece
        guard piece.upperBound > cursor, cursor < wanted.upperBound else { continue }
        let lower = max(cursor, piece.lowerBound)
        let upper = min(wanted.upperBound, piece.upperBound)
        cursor = upper
        deferred.append(hold(slot, start, lower..<upper, now, &state))
      }
      return expired
    }
    if expired > 0 { ledger.give(expired * RecordTable.charge) }
  }

  private func hold(
    _ slot: UInt32, _ start: Int, _ wanted: Range<Int>, _ now: Int64, _ state: inout CompressedShard
  ) -> DeferredPiece {
    let record = state.table[slot]
    let shouldPromote = record.isTouched
    if now != .min { state.table[slot].lastRead = now }
    state.counts.hits += 1
    state.counts.hitBytes += wanted.count
    // The current generation, under the lock: a removal that has started erases here later.
    let ticket = state.sources.token(record.token).ticket(fetchedAt: ReadClock.Instant(nanoseconds: record.fetchedAt))
    let range = start + record.piece.lowerBound..<start + record.piece.upperBound
    return DeferredPiece(
      range: range, wanted: start + wanted.lowerBound..<start + wanted.upperBound, ticket: ticket,
      shouldPromote: shouldPromote,
      loader: CompressedLoader(
        store: self, place: state.place(slot), range: range, ticket: ticket, isFirst: !shouldPromote))
  }

  package func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    let block = range.lowerBound >> grid.shift
    let start = block << grid.shift
    // One piece of one block, nearly always.
    if range.upperBound - start <= grid.blockSize {
      let hash = ChunkTable.hash(token: token, block: block)
      let now = presentForLimits
      let found = shard(of: hash).state.withLock { state -> Bool? in
        let slots = state.slots(token, block, hash)
        guard slots.count > 0 else { return false }
        guard slots.count == 1 else { return nil }
        let piece = state.table[slots[0]].piece
        return start + piece.lowerBound <= range.lowerBound && range.upperBound <= start + piece.upperBound
          && (now == .min || !state.isExpired(slots[0], now))
      }
      if let found { return found }
    }
    return ByteRanges.gaps(in: range, covered: coverage(range, token: token, grid: grid)).isEmpty
  }

  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    .parts(of: range, held: coverage(range, token: token, grid: grid), .compressed) {
      [.missing($0, .compressed, .notKept)]
    }
  }

  package func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    let now = presentForLimits
    var covered: [ByteRange] = []
    for (block, part) in grid.pieces(of: range) {
      let hash = ChunkTable.hash(token: token, block: block)
      shard(of: hash).state.withLock { state in
        for slot in state.slots(token, block, hash) where now == .min || !state.isExpired(slot, now) {
          if let common = ByteRanges.intersection(state.table[slot].range(on: grid), part) { covered.append(common) }
        }
      }
    }
    return ByteRanges.normalize(covered)
  }

  /// Copies of the resident pieces, still compressed, 64 slots at a time. Expired pieces are left out.
  package func residents() -> AnyIterator<[Chunk]> {
    .steps(through: shards.count) { shard, first in
      let now = self.presentForLimits
      let (found, next) = self.shards[shard].state.withLock { state -> ([EvictedRecord], Int?) in
        let end = min(max(1, first) + 64, state.table.slotsUsed)
        var found: [EvictedRecord] = []
        for slot in UInt32(max(1, first))..<UInt32(max(1, first, end))
        where state.table[slot].isUsed && (now == .min || !state.isExpired(slot, now)) {
          found.append(state.copy(slot))
        }
        return (found, end < state.table.slotsUsed ? end : nil)
      }
      return (found.compactMap { self.chunk($0, mayBeEncoded: true) }, next)
    }
  }

  /// Decodes an evicted record. Returns `nil` if that fails, or if there is no memory for it.
  func decode(_ record: EvictedRecord) -> Bytes? {
    BlockBacking.allocate(record.range.count).flatMap { decode(record.place, count: record.range.count, into: $0) }
  }

  /// Decodes the bytes at `place`. Returns `nil` if that fails.
  fileprivate func decode(_ place: CompressedShard.Place, count: Int, into buffer: WritableBytes) -> Bytes? {
    configuration.codec.decode(UnsafeRawBufferPointer(place.bytes), into: buffer.memory) ? buffer.bytes(count) : nil
  }

  /// Counts that a piece was read. Called when it is decompressed, once for all waiters, and not when it is looked up,
  /// because one read may look it up several times.
  func touch(_ range: ByteRange, _ ticket: ChunkTicket) {
    let token = ticket.token
    let block = range.lowerBound >> token.grid.shift
    let lower = UInt32(range.lowerBound - block << token.grid.shift)
    let hash = ChunkTable.hash(token: token.number, block: block)
    shard(of: hash).state.withLock { state in
      for slot in state.slots(token.number, block, hash) where state.table[slot].lower == lower {
        state.table[slot].isTouched = true
      }
    }
  }

  /// Drops a piece that could not be decoded.
  func dropDamaged(_ range: ByteRange, _ ticket: ChunkTicket) {
    shard(of: ChunkTable.hash(token: ticket.token.number, block: range.lowerBound >> ticket.token.grid.shift)).state
      .withLock { $0.counts.damaged += 1 }
    erase(range, of: ticket.token)
  }
}

/// Decompresses a piece that was found. Keeps its segment alive.
private struct CompressedLoader: PieceLoader {
  let store: CompressedStore
  let place: CompressedShard.Place
  let range: ByteRange
  let ticket: ChunkTicket
  /// The piece was not read before: loading notes that it was.
  let isFirst: Bool

  var isQuick: Bool { range.count <= store.configuration.inlineLimit.bytes }

  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? {
    // A few at a time, to bound the memory they use together. `try?`: only cancellation ends the wait, and then it is not wanted.
    guard (try? await store.decodePermits.enter()) != nil else { return nil }
    defer { store.decodePermits.leave() }
    return decompress()
  }

  func answer() -> ReadAnswer<Bytes?> { .here(decompress()) }

  private func decompress() -> Bytes? {
    // Without memory the piece stays as it is, and may be read another time.
    guard let buffer = BlockBacking.allocate(range.count) else { return nil }
    guard let bytes = store.decode(place, count: range.count, into: buffer) else {
      store.dropDamaged(range, ticket)
      return nil
    }
    if isFirst { store.touch(range, ticket) }
    return bytes
  }
}
