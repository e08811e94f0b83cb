extension MemoryStore {
  /// Copies of the resident chunks, 64 slots at a time. Expired chunks are left out.
  package func residents() -> AnyIterator<[Chunk]> {
    var cursor: Int? = 0
    return AnyIterator {
      guard let place = cursor else { return nil }
      let (chunks, next) = self.residents(from: place)
      cursor = next
      return chunks
    }
  }

  private func residents(from cursor: Int) -> (chunks: [Chunk], next: Int?) {
    let (shard, first) = (cursor >> 40, cursor & (1 << 40 - 1))
    guard shard < shards.count else { return ([], nil) }
    let now = presentForLimits
    let (chunks, next) = shards.withLock(shard) { $0.residents(from: first, now: now) }
    if let next { return (chunks, shard << 40 | next) }
    return (chunks, shard + 1 < shards.count ? (shard + 1) << 40 : nil)
  }
}

extension ShardState {
  fileprivate mutating func residents(from first: Int, now: Int64) -> (chunks: [Chunk], next: Int?) {
    let end = min(max(1, first) + 64, table.slotsUsed)
    var chunks: [Chunk] = []
    for slot in max(1, first)..<max(1, first, end)
    where table.isUsed(slot) && (now == .min || !isExpired(slot, now)) {
      let token = sources.token(table[slot].token)
      let start = table[slot].block << token.grid.shift
      let pieces = pieces(slot).map {
        RangedBytes(start + $0.range.lowerBound..<start + $0.range.upperBound, $0.bytes)
      }
      let ticket = token.ticket(fetchedAt: ReadInstant(nanoseconds: table[slot].fetchedAt))
      chunks.append(
        Chunk(ticket: ticket, block: table[slot].block, piece: pieces[0], morePieces: Array(pieces[1...])))
    }
    return (chunks, end < table.slotsUsed ? end : nil)
  }
}
