import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// Looking up, and what comes into the store.
extension MemoryModel {
  mutating func lookUp() throws(Mismatch) {
    let index = anyKept()
    let token = kept[index].token
    let range = anyRange(of: kept[index])
    let quick = store.hit(range, token: token.number, grid: token.grid)
    if let quick { try expect(quick == content(range, index), "a wrong byte in \(range)") }
    let found = store.lookUp(range, token: token.number, grid: token.grid)
    var pieces: [RangedBytes] = []
    var gaps: [ByteRange] = []
    switch found {
    case .hit(let bytes): pieces = [RangedBytes(range, bytes)]
    case .miss: gaps = [range]
    case .partial(let some, _, let missing):
      try expect(!some.isEmpty && !missing.isEmpty, "a partial hit that is not one")
      (pieces, gaps) = (some, missing)
    }
    if quick != nil { try expect(gaps.isEmpty, "a hit that is gone") }
    tally.hits += gaps.isEmpty ? 1 : 0
    tally.partialHits += gaps.isEmpty || pieces.isEmpty ? 0 : 1
    try checkTiles(range, pieces.map(\.range), gaps)
    for piece in pieces { try expect(piece.bytes == content(piece.range, index), "a wrong byte in \(piece.range)") }
    var there: [UInt64] = Array(repeating: 0, count: kept[index].blocks.count)
    for piece in pieces {
      for (block, bits) in parts(of: piece.range, token.grid) { there[block] |= bits }
    }
    for (block, bits) in parts(of: range, token.grid) {
      if isExpired(index, block) {
        kept[index].blocks[block] = 0
        tally.expired += 1
      }
      let expected = kept[index].blocks[block] & bits
      try expect(there[block] == expected, "block \(block) has \(there[block]), not \(expected)")
    }
  }

  /// Pieces and gaps are, each in order, and together, the range.
  private func checkTiles(_ range: ByteRange, _ pieces: [ByteRange], _ gaps: [ByteRange]) throws(Mismatch) {
    var (pieces, gaps) = (pieces[...], gaps[...])
    var cursor = range.lowerBound
    while cursor < range.upperBound {
      if pieces.first?.lowerBound == cursor {
        cursor = pieces.removeFirst().upperBound
      } else if gaps.first?.lowerBound == cursor {
        cursor = gaps.removeFirst().upperBound
      } else {
        break
      }
    }
    try expect(cursor == range.upperBound && pieces.isEmpty && gaps.isEmpty, "pieces and gaps are not \(range)")
  }

  mutating func insertAtOnce() throws(Mismatch) {
    let index = anyKept()
    let before = underway.count
    try begin(index)
    if underway.count > before { try insert(underway.removeLast()) }
  }

  /// Reserves, for bytes that come later or never.
  mutating func begin() throws(Mismatch) {
    if underway.count < 4 { try begin(anyKept()) }
  }

  private mutating func begin(_ index: Int) throws(Mismatch) {
    let token = kept[index].token
    let range = anyRange(of: kept[index])
    let run = range.count + (random.below(8) == 0 ? random.below(limit) : 0)
    let ticket = token.ticket(fetchedAt: store.now)
    let parts = parts(of: range, token.grid)
    let charge = parts.reduce(0) { $0 + MemoryStore.charge(of: $1.bits.nonzeroBitCount * unit) }
    let fits = isAdmitted(index, run, charge: charge, blocks: parts.count)

    _ = evicted.takeAll()
    let reserved = store.reserve(range, ofRun: run, for: token)
    try take(evicted.takeAll())
    if share == 1 { try expect((reserved != nil) == fits, "room for \(charge) bytes: \(!fits)") }
    guard let reservation = reserved else {
      tally.refused += 1
      return
    }
    try expect(reservation.byteCount == charge && reservation.blockCount == parts.count, "reserved something else")
    underway.append(
      Underway(kept: index, generation: kept[index].generation, range: range, ticket: ticket, reservation: reservation))
    if share < 1 {
      let reserved = underway.reduce(0) { $0 + ($1.kept == index ? $1.reservation.byteCount : 0) }
      let held = MemoryRecount(store).entries.reduce(0) { $0 + ($1.token === token ? $1.charge : 0) }
      try expect(reserved + held <= Int(Double(limit) * share), "a source has \(reserved) + \(held), over its share")
    }
  }

  /// Whether there is room for a range, once all has been evicted that can be.
  private func isAdmitted(_ index: Int, _ run: Int, charge: Int, blocks: Int) -> Bool {
    let isOne = blocks == 1 && run <= kept[index].token.grid.blockSize
    guard kept[index].isAlive, max(run, charge) <= (isOne ? limit : limit / 2) else { return false }
    guard blocks <= max(1, blockLimit / 2) else { return false }
    let recount = MemoryRecount(store)
    let stays = recount.pinnedBytes + metadataBytes + outstanding.bytes
    return stays + charge <= limit && recount.pinnedBlocks + outstanding.blocks <= blockLimit - blocks
  }

  /// What was reserved for arrives, or its read has failed.
  mutating func arrive() throws(Mismatch) {
    guard !underway.isEmpty else { return }
    let one = underway.remove(at: random.below(underway.count))
    if random.below(3) == 0 { store.cancel(one.reservation) } else { try insert(one) }
  }

  private mutating func insert(_ one: Underway) throws(Mismatch) {
    let before = store.counts()
    _ = evicted.takeAll()
    let isPublished = store.insert(
      arriving(one.range, one.kept), at: one.range, ticket: one.ticket, reservation: one.reservation)
    let after = store.counts()
    guard kept[one.kept].isAlive, kept[one.kept].generation == one.generation else {
      try expect(!isPublished, "bytes that were removed were kept")
      tally.stale += 1
      return try take(evicted.takeAll())
    }
    try expect(isPublished, "bytes were not kept")
    let dropped = (after.droppedPieceBytes - before.droppedPieceBytes) / unit
    try note(one, dropped: dropped, refused: after.dropped - before.dropped)
    try take(evicted.takeAll())
    tally.inserted += 1
    tally.merged += after.merges - before.merges
    tally.dropped += dropped
  }

  /// Adds what has come to the model.
  ///
  /// - Parameters:
  ///   - dropped: units that had no place among the pieces of a block.
  ///   - refused: blocks for which there was no room to put pieces together.
  private mutating func note(_ one: Underway, dropped: Int, refused: Int) throws(Mismatch) {
    let index = one.kept
    let grid = kept[index].token.grid
    let fetchedAt = one.ticket.fetchedAt.nanoseconds
    let entries = MemoryRecount(store).entries.filter { $0.token === kept[index].token }
    var (dropped, refused) = (dropped, refused)
    for (block, new) in parts(of: one.range, grid) {
      if isExpired(index, block) {
        kept[index].blocks[block] = 0
        tally.expired += 1
      }
      let old = kept[index].blocks[block]
      guard let entry = entries.first(where: { $0.block == block }) else {
        // More was held than the limit that came meanwhile allows: it is gone again, and said to be.
        kept[index].blocks[block] = old | new
        continue
      }
      let now = entry.pieces.reduce(0) { $0 | bits($1.range) }
      if now != old | new, now == old, refused > 0 {
        refused -= 1
      } else {
        try expect(now & ~(old | new) == 0 && now & new == new, "block \(block) has \(now) of \(old) and \(new)")
        dropped -= (old | new).nonzeroBitCount - now.nonzeroBitCount
      }
      let oldBirth = old == 0 ? fetchedAt : kept[index].births[block]
      // As old as the oldest byte; unchanged if all was there; young if all is new.
      let isPossible =
        entry.fetchedAt == min(oldBirth, fetchedAt) || entry.fetchedAt == oldBirth && new & ~old == 0
        || entry.fetchedAt == fetchedAt && old & ~new == 0 || now == old && entry.fetchedAt == oldBirth
      try expect(isPossible, "block \(block) was born \(entry.fetchedAt), not \(oldBirth) or \(fetchedAt)")
      kept[index].blocks[block] = now
      kept[index].births[block] = entry.fetchedAt
    }
    try expect(dropped == 0 && refused >= 0, "\(dropped) units were dropped more than are missing")
  }

  /// The bytes of a range, as sources give them: a part of something larger, a rope of anything, or a rope of blocks.
  private mutating func arriving(_ range: ByteRange, _ index: Int) -> Bytes {
    let bytes = content(range, index)
    switch random.below(3) {
    case 0: return bytes
    case 1:
      let middle = random.below(bytes.count)
      return Bytes(concatenating: [Bytes(Array(bytes.slice(0..<middle))), bytes.slice(middle..<bytes.count)])
    default:
      return Bytes(
        concatenating: kept[index].token.grid.pieces(of: range).map { piece in
          let part = bytes.slice(piece.range.lowerBound - range.lowerBound..<piece.range.upperBound - range.lowerBound)
          guard let buffer = BlockBacking.allocate(part.count) else { return part }
          part.copyBytes(to: buffer.memory)
          return buffer.bytes(part.count)
        })
    }
  }
}
