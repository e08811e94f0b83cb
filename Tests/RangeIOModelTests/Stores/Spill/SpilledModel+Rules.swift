import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What holds after every operation, and at rest.
extension SpilledModel {
  func check() throws(Mismatch) {
    try noteEnds()
    if resizing?.hasEnded == true { resizing = nil }
    guard let life else { return }
    let budget = life.tiers.budget
    let most = resizing == nil ? max(budget.limit.bytes, lowestSeen) : life.highestLimit
    try expect((0...most).contains(budget.bytes), "\(budget.bytes) bytes of memory are taken of \(most)")
    try expect(budget.peakBytes <= life.highestLimit, "\(budget.peakBytes) bytes were taken of \(life.highestLimit)")
    let ledger = life.spill.ledger
    try expect(ledger.bytes <= spillLimit, "\(ledger.bytes) bytes of the disk are counted of \(spillLimit)")
    try expect(ledger.peakBytes <= spillLimit, "\(ledger.peakBytes) bytes of the disk were counted of \(spillLimit)")
    let allocated = disk.allocatedByteCount
    try expect(allocated <= ledger.bytes, "\(allocated) bytes of the disk are taken, \(ledger.bytes) are counted")
    let staging = life.spill.state.withLock { ($0.staging.bytes, $0.staging.limit) }
    try expect(staging.0 <= staging.1, "\(staging.0) bytes wait to be written, over \(staging.1)")
  }

  /// After a resize that what is pinned has kept from reaching its limit, more may be held.
  private var lowestSeen: Int { life!.highestLimit }

  func recount() throws(Mismatch) { try recount(isAtRest: false) }

  func recount(isAtRest: Bool) throws(Mismatch) {
    guard let life else { return }
    let spill = SpillRecount(life.spill, isAtRest: isAtRest)
    try expect(spill.faults.isEmpty, "spill: \(spill.faults.first ?? "")")
    var tiers = TieredRecount(life.store.inner!, isAtRest ? .atRest : .no, of: life.store)
    if isAtRest || operations % 200 == 0 { tiers.compare { [self] in content($1, index(of: $0)) } }
    try expect(tiers.faults.isEmpty, tiers.faults.first ?? "")
    for piece in tiers.pieces {
      let births = kept[index(of: piece.token)].births
      let isKnown = units(piece.range).allSatisfy { births[$0] != Self.none }
      try expect(isKnown, "\(piece.range) of token \(piece.token.number) is compressed, and must not be")
    }
    for block in spill.blocks { try check(block) }
  }

  /// Nothing may be found on the disk that must not be.
  private func check(_ block: SpillRecount.Block) throws(Mismatch) {
    let index = kept.indices.first { index in
      SpillIdentity(versions[kept[index].version].description, kept[index].grid) == block.identity
    }
    guard let index else { throw Mismatch(description: "operation \(operations): a block of no source is on the disk") }
    let range = kept[index].grid.range(of: block.block, in: kept[index].births.count * Self.unit)
    let births = kept[index].births
    try expect(
      units(range).allSatisfy { births[$0] != Self.none },
      "block \(block.block) of version \(kept[index].version) is on the disk, and must not be found")
  }

  // MARK: jobs

  func runJobs(_ most: Int, isChecking: Bool = true) throws(Mismatch) {
    for _ in 0..<most {
      guard executor.step() else { return }
      tally.jobs += 1
      if let failure { throw failure }
      if isChecking { try check() }
    }
  }

  // MARK: rest

  /// Has all end that is under way.
  func endAll() throws(Mismatch) {
    isNested = true
    defer { isNested = false }
    life!.removals = []
    while !holdings.isEmpty { try load() }
    for _ in 0..<20_000 where !running.isEmpty || !isQuiet {
      guard executor.step() else { break }
      if let failure { throw failure }
      try noteEnds()
    }
    try expect(running.isEmpty, "it hangs: \(running.map(\.what))")
    try expect(isQuiet, "chunks are moved for ever: \(life!.store.counts())")
    resizing = nil
  }

  private var isQuiet: Bool {
    life!.store.mover.isIdle && life!.store.inner!.mover.isIdle && !life!.spill.state.withLock { $0.isWriting }
  }

  /// Ends all that is under way, and compares all there is.
  func settle() throws(Mismatch) {
    try endAll()
    life!.store.handleMemoryPressure(.normal)
    try flush()
    life!.store.change(.expire)
    try check()
    try recount(isAtRest: true)
    tally.rests += 1
  }
}
