import Synchronization

extension CompressedStore {
  /// Erases the pieces that hold bytes of `range`.
  package func erase(_ range: ByteRange, of token: ChunkToken) {
    guard !range.isEmpty, token.chargedBytesBelow.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let blocks = token.grid.blocks(covering: range)
    guard blocks.count <= 4096 else {
      eraseByScanning(range, token)
      return
    }
    for (block, part) in token.grid.pieces(of: range) {
      let hash = ChunkTable.hash(token: token.number, block: block)
      change(shard(of: hash)) { state in
        var count = 0
        for slot in state.slots(token.number, block, hash)
        where Self.range(of: state.table[slot], token.grid).overlaps(part) {
          state.remove(slot)
          count += 1
        }
        return count
      }
    }
  }

  private func eraseByScanning(_ range: ByteRange, _ token: ChunkToken) {
    sweep { state, slot, _ in
      let record = state.table[slot]
      return record.token == token.number && Self.range(of: record, token.grid).overlaps(range)
    }
  }

  private static func range(of record: RecordTable.Record, _ grid: BlockGrid) -> ByteRange {
    let start = record.block << grid.shift
    return start + record.piece.lowerBound..<start + record.piece.upperBound
  }

  /// Removes the records for which `isMeant` returns true, with one lock for each 256 slots. `isMeant` receives the
  /// time of each step.
  ///
  /// - Returns: the number of records removed.
  @discardableResult private func sweep(where isMeant: (borrowing CompressedShard, UInt32, Int64) -> Bool) -> Int {
    var count = 0
    for shard in shards {
      var next: Int? = 1
      while let first = next {
        change(shard) { state in
          let now = presentForLimits
          let end = min(first + 256, state.table.slotsUsed)
          var removed = 0
          for slot in UInt32(first)..<UInt32(max(first, end))
          where state.table[slot].isUsed && isMeant(state, slot, now) {
            state.remove(slot)
            removed += 1
          }
          next = end < state.table.slotsUsed ? end : nil
          count += removed
          return removed
        }
      }
    }
    return count
  }

  /// Runs `body`, which returns the number of records it removed, and gives back what that frees.
  private func change(_ shard: Shard, _ body: (inout CompressedShard) -> Int) {
    let (count, empty) = shard.state.withLock { state -> (Int, [SegmentMemory]) in
      let count = body(&state)
      let empty = count > 0 ? state.takeEmptySegments() : []
      if !empty.isEmpty { shard.segmentBytes.store(state.segmentBytes, ordering: .relaxed) }
      return (count, empty)
    }
    ledger.give(count * RecordTable.charge)
    withExtendedLifetime(empty) {}
  }

  /// Removes pieces that are older, or have been idle for longer, than the limits allow.
  package func removeExpired() {
    guard presentForLimits != .min else { return }
    // Uses the time of each step: with an earlier time, newer pieces would seem to come from the future, and be
    // removed.
    let count = sweep { $2 != .min && $0.isExpired($1, $2) }
    shards[0].state.withLock { $0.counts.expirations += count }
  }

  /// Erases all records, and all segments but one for each shard.
  package func eraseAll() { sweep { _, _, _ in true } }
}
