extension CompressedStore {
  /// Decompressed copies of the resident pieces, 64 slots at a time. Expired pieces are left out.
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
    let (shard, first) = (cursor >> 40, max(1, cursor & (1 << 40 - 1)))
    guard shard < shards.count else { return ([], nil) }
    let now = presentForLimits
    let (found, next) = shards[shard].state.withLock { state -> ([EvictedRecord], Int?) in
      let end = min(first + 64, state.table.slotsUsed)
      var found: [EvictedRecord] = []
      for slot in UInt32(first)..<UInt32(max(first, end))
      where state.table[slot].isUsed && (now == .min || !state.isExpired(slot, now)) {
        found.append(state.copy(slot))
      }
      return (found, end < state.table.slotsUsed ? end : nil)
    }
    let chunks = found.compactMap { record -> Chunk? in
      decode(record.place, count: record.range.count).map {
        Chunk(
          ticket: record.ticket, block: record.block, piece: RangedBytes(record.range, $0), lastRead: record.lastRead)
      }
    }
    if let next { return (chunks, shard << 40 | next) }
    return (chunks, shard + 1 < shards.count ? (shard + 1) << 40 : nil)
  }
}

extension CompressedShard {
  /// A copy of a record, as if it were evicted now.
  fileprivate mutating func copy(_ slot: UInt32) -> EvictedRecord {
    let record = table[slot]
    let token = sources.token(record.token)
    let start = record.block << token.grid.shift
    return EvictedRecord(
      ticket: token.ticket(fetchedAt: ReadInstant(nanoseconds: record.fetchedAt)), block: record.block,
      range: start + Int(record.lower)..<start + Int(record.upper), place: place(slot),
      lastRead: ReadInstant(nanoseconds: record.lastRead))
  }
}
