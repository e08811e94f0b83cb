@testable import RangeIO
@testable import RangeIOTestSupport

/// What holds after every operation.
extension MemoryModel {
  var metadataBytes: Int { versions.reduce(0) { $0 + $1.metadataCharge } }
  var reservedBlocks: Int { underway.reduce(0) { $0 + $1.reservation.blockCount } }

  /// What is reserved. What was removed and is not given back yet makes room for whatever wants it.
  var outstanding: (bytes: Int, blocks: Int) {
    (underway.reduce(0) { $0 + $1.reservation.byteCount }, reservedBlocks)
  }

  mutating func check() throws(Mismatch) {
    let recount = MemoryRecount(store, isQuiet: underway.isEmpty && removal == nil)
    try expect(recount.faults.isEmpty, recount.faults.first ?? "")
    for entry in recount.entries {
      let index = Int(entry.token.number) - 1
      let there = entry.pieces.reduce(0) { $0 | bits($1.range) }
      let expected = kept[index].blocks[entry.block]
      try expect(there == expected, "block \(entry.block) of token \(index + 1) holds \(there), not \(expected)")
      let isPinned = isPinned(index, entry.block)
      try expect(entry.isPinned == isPinned, "block \(entry.block) of token \(index + 1) is pinned: \(!isPinned)")
      tally.pinnedBlocks += isPinned ? 1 : 0
      guard operations % 16 == 0 else { continue }
      for piece in entry.pieces {
        let start = entry.block << entry.token.grid.shift
        let range = start + piece.range.lowerBound..<start + piece.range.upperBound
        try expect(piece.bytes == content(range, index), "a wrong byte is kept in \(range)")
      }
    }
    let blocks = kept.reduce(0) { $1.isAlive ? $1.blocks.reduce($0) { $0 + ($1 == 0 ? 0 : 1) } : $0 }
    try expect(recount.entries.count == blocks, "\(recount.entries.count) blocks, not \(blocks)")
    try checkAccounts(recount)
  }

  private mutating func checkAccounts(_ recount: MemoryRecount) throws(Mismatch) {
    let counted = store.counts()
    let outstanding = outstanding
    let bytes = recount.bytes + metadataBytes + outstanding.bytes + counted.removedBytes
    try expect(removal != nil || counted.removedBytes == 0, "\(counted.removedBytes) removed bytes stay")
    try expect(counted.bytes == bytes, "\(counted.bytes) bytes are counted, \(bytes) held")
    try expect(counted.reservedBytes == outstanding.bytes, "\(counted.reservedBytes) bytes are said to be reserved")
    try expect(counted.pinnedBytes == recount.pinnedBytes, "\(counted.pinnedBytes) bytes are said to be pinned")
    try expect(counted.blocks == recount.entries.count, "\(counted.blocks) blocks are counted")
    let blocks = counted.blocks + outstanding.blocks
    try expect(
      counted.removedBytes > 0 ? store.ledger.blocks > blocks : store.ledger.blocks == blocks,
      "\(store.ledger.blocks) blocks are counted")
    try expect(counted.limit == limit, "the limit is \(counted.limit)")
    try expect(counted.peakBytes <= highestLimit, "\(counted.peakBytes) bytes were held, over \(highestLimit)")
    try expect(store.ledger.blocks <= blockLimit, "\(store.ledger.blocks) blocks, over \(blockLimit)")
    if counted.bytes <= limit { isOverLimit = false }
    try expect(isOverLimit || counted.bytes <= limit, "\(counted.bytes) bytes are held, over \(limit)")
  }
}
