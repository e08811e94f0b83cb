@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What holds after every operation, and at rest; and what may not be lost on the way.
extension TieredModel {
  func check() throws(Mismatch) {
    try noteResize()
    let (bytes, limit) = (tiers.budget.bytes, tiers.budget.limit.bytes)
    // Above a limit that was lowered it only goes down.
    let most = resizing == nil && !isOverLimit ? limit : max(limit, lastBytes)
    try expect((0...most).contains(bytes), "\(bytes) bytes are taken of \(limit)")
    try expect(tiers.budget.peakBytes <= highestLimit, "\(tiers.budget.peakBytes) bytes were taken of \(highestLimit)")
    if bytes <= limit, resizing == nil { isOverLimit = false }
    lastBytes = bytes
    let below = tiers.compressed!.ledger
    // What was found keeps its segment, and what is pinned stays: but no more comes.
    let mostBelow = max(below.limit, lastBytesBelow)
    try expect(below.bytes <= mostBelow, "\(below.bytes) bytes are below, over \(below.limit)")
    lastBytesBelow = below.bytes
    let moving = store.mover.counts()
    if resizing == nil { try expect(moving.bytes <= moving.limit, "\(moving.bytes) are on their way") }
  }

  func recount() throws(Mismatch) { try recount(.no) }

  func recount(_ quiet: TieredRecount.Quiet) throws(Mismatch) {
    var recount = TieredRecount(store, quiet)
    if operations % 200 == 0 || quiet == .atRest {
      recount.compare { [self] in content($1, Int($0.number) - 1) }
    }
    try expect(recount.faults.isEmpty, recount.faults.first ?? "")
    for entry in recount.memory.entries {
      let isPinned = isPinned(Int(entry.token.number) - 1, entry.block)
      try expect(entry.isPinned == isPinned, "block \(entry.block) is pinned: \(!isPinned)")
      tally.pinnedBlocks += isPinned ? 1 : 0
    }
    for piece in recount.pieces {
      let births = kept[Int(piece.token.number) - 1].births
      let isKnown = units(piece.range).allSatisfy { births[$0] != Self.none && piece.fetchedAt <= births[$0] }
      try expect(isKnown, "\(piece.range) of token \(piece.token.number) is below, and must not be")
    }
  }

  // MARK: jobs

  func runJobs(_ most: Int) throws(Mismatch) {
    for _ in 0..<most {
      let isPaused = pausedUntil.map { now < $0 } ?? false
      let (encodes, interferences) = (codec.encodes, nested)
      let waiting = store.mover.queue.all
      let before = store.counts()
      guard executor.step() else { return }
      tally.jobs += 1
      if let failure { throw failure }
      try check()
      guard nested == interferences else { continue }
      if isPaused { try expect(codec.encodes == encodes, "a chunk was compressed under pressure") }
      if resizing == nil { try checkLosses(waiting, before) }
    }
  }

  /// Whether what was on its way is anywhere, unless it is counted that it is not.
  private func checkLosses(_ waiting: [DemotionQueueState.Entry], _ before: TieredStore.Counts)
    throws(Mismatch)
  {
    let after = store.counts()
    var lost = 0
    var what: [String] = []
    for entry in waiting where entry.chunk.ticket.isValid {
      let token = entry.chunk.token
      for piece in entry.chunk.pieces where !isAnywhere(piece.range, token) {
        // A piece that overlaps one which is above goes as a whole, since no byte is to rest twice.
        let block = token.grid.outward(piece.range, in: token.source.byteCount)
        if !store.upper.holdsSome(of: block, token: token.number, grid: token.grid) {
          lost += 1
          what.append("\(piece.range) of \(entry.chunk.pieces.map(\.range)) in \(block)")
        }
      }
    }
    guard lost > 0 else { return }
    // Eviction below takes pieces that were on their way, too.
    let counted =
      after.moving.refused - before.moving.refused + after.moving.dropped - before.moving.dropped
      + after.compressed.evictions - before.compressed.evictions
      + after.compressed.incompressible - before.compressed.incompressible
      + after.compressed.dropped - before.compressed.dropped
      + after.compressed.expirations - before.compressed.expirations
      + after.memory.expirations - before.memory.expirations
    try expect(counted > 0 || isTimed, "\(lost) pieces were lost on their way: \(what)")
  }

  /// Whether all of a piece is held in one place, without a look-up.
  private func isAnywhere(_ range: ByteRange, _ token: ChunkToken) -> Bool {
    let isMoving = store.mover.queue.all.contains { entry in
      entry.chunk.token === token && entry.chunk.pieces.contains { $0.range == range }
    }
    return isMoving || tiers.memory.holds(range, token: token.number, grid: token.grid)
      || tiers.compressed!.holds(range, token: token.number, grid: token.grid)
  }

  // MARK: rest

  /// Ends all that is under way, and compares all there is.
  func settle() throws(Mismatch) {
    // Nothing new begins in the midst of this.
    isNested = true
    defer { isNested = false }
    removals = []
    while !flights.isEmpty { try arrive() }
    while !holdings.isEmpty { try load() }
    // What ages, and who sweeps it, would go on for ever; a resize may wait for others to run.
    for _ in 0..<2000 {
      try runJobs(1)
      if resizing == nil, store.mover.isIdle { break }
    }
    try expect(store.mover.isIdle, "chunks are moved for ever: \(store.statistics())")
    let bytes = "\(tiers.budget.bytes) bytes of \(tiers.budget.limit.bytes), \(tiers.compressed!.ledger.bytes) below"
    try expect(resizing == nil, "a resize never ends, with \(bytes) of \(tiers.compressed!.ledger.limit)")
    store.change(.expire)
    try check()
    try recount(.atRest)
    tally.rests += 1
  }
}
