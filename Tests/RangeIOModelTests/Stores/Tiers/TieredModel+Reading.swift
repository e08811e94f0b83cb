import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Reading as `.caching` does: what is found, what is held, what is fetched, and who waits for whom.
extension TieredModel {
  func read() throws(Mismatch) {
    let index = anyKept()
    let token = kept[index].token
    let range = anyRange(of: kept[index])
    tally.reads += 1
    if let quick = store.hit(range, token: token.number, grid: token.grid) {
      try expect(quick == content(range, index), "a wrong byte in \(range)")
      try expect(mayBeFound(range, index), "at hand, \(whyNot(range, index))")
    }
    let ticket = token.ticket(fetchedAt: store.now)
    let (pieces, held, gaps) = try lookUp(range, index)
    touch(range, index)
    if token.isAlive { for gap in gaps { try fetch(gap, of: range, index, ticket) } }
    for piece in held { try bring(Holding(kept: index, generation: kept[index].generation, piece: piece)) }
    // All that was found still is right, whatever has happened to it.
    for piece in pieces { try expect(piece.bytes == content(piece.range, index), "a byte that was found has changed") }
  }

  /// What is found, checked for being allowed.
  func lookUp(
    _ range: ByteRange, _ index: Int
  ) throws(Mismatch) -> (pieces: [RangedBytes], held: [DeferredPiece], gaps: [ByteRange]) {
    let token = kept[index].token
    let before = store.mover.counts().hits
    var (pieces, held, gaps): ([RangedBytes], [DeferredPiece], [ByteRange]) = ([], [], [])
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .hit(let bytes): pieces = [RangedBytes(range, bytes)]
    case .miss: gaps = [range]
    case .partial(let some, let below, let missing):
      try expect(!some.isEmpty || !below.isEmpty, "a partial hit that is a miss")
      try expect(!below.isEmpty || !missing.isEmpty, "a partial hit that is a hit")
      (pieces, held, gaps) = (some, below, missing)
    }
    let fromQueue = store.mover.counts().hits - before
    tally.fromQueue += fromQueue > 0 ? 1 : 0
    tally.fromMemory += fromQueue == 0 && !pieces.isEmpty ? 1 : 0
    tally.fromBelow += held.isEmpty ? 0 : 1
    tally.fromSource += gaps.isEmpty ? 0 : 1
    try checkTiles(range, pieces.map(\.range) + held.map(\.wanted) + gaps)
    for parts in [pieces.map(\.range), held.map(\.wanted), gaps] {
      try expect(parts == parts.sorted { $0.lowerBound < $1.lowerBound }, "\(parts) are not in order")
    }
    for piece in pieces {
      try expect(piece.bytes == content(piece.range, index), "a wrong byte in \(piece.range)")
      try expect(mayBeFound(piece.range, index), "found, \(whyNot(piece.range, index))")
    }
    for piece in held { try check(piece, index) }
    return (pieces, held, gaps)
  }

  private func check(_ piece: DeferredPiece, _ index: Int) throws(Mismatch) {
    let token = kept[index].token
    let isWithin =
      piece.range.lowerBound <= piece.wanted.lowerBound && piece.wanted.upperBound <= piece.range.upperBound
    try expect(isWithin && token.grid.blocks(covering: piece.range).count == 1, "\(piece.range) for \(piece.wanted)")
    try expect(piece.ticket.token === token, "a piece of another token")
    try expect(mayBeFound(piece.range, index), "held, \(whyNot(piece.range, index))")
    let births = kept[index].births
    // It has to be as old as its oldest byte: never younger than any of them.
    let isAsOld = units(piece.range).allSatisfy { piece.ticket.fetchedAt.nanoseconds <= births[$0] }
    try expect(isAsOld, "\(piece.range) was born \(piece.ticket.fetchedAt.nanoseconds), after some of its bytes")
  }

  private func checkTiles(_ range: ByteRange, _ parts: [ByteRange]) throws(Mismatch) {
    var cursor = range.lowerBound
    for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      try expect(part.lowerBound == cursor && !part.isEmpty, "\(parts) are not \(range)")
      cursor = part.upperBound
    }
    try expect(cursor == range.upperBound, "\(parts) are not \(range)")
  }

  // MARK: from the source

  /// Fetches a gap, but for what is on its way already.
  private func fetch(_ gap: ByteRange, of range: ByteRange, _ index: Int, _ ticket: ChunkTicket) throws(Mismatch) {
    let grid = kept[index].token.grid
    let wide = fill == .block ? grid.outward(gap, in: versions[kept[index].version].content.count) : gap
    let generation = kept[index].generation
    let underWay =
      flights.filter { $0.kept == index && $0.generation == generation }.map(\.range)
      + (holdings + loading).filter { $0.kept == index && $0.generation == generation }.map(\.piece.range)
    var parts = ByteRanges.gaps(in: wide, covered: underWay)
    // Nobody is interested in what is beside the gap alone.
    parts.removeAll { !$0.overlaps(gap) }
    if parts != [wide] { tally.joined += 1 }
    for part in parts {
      guard let reservation = store.reserve(part, ofRun: max(part.count, gap.count), for: ticket.token)
      else {
        tally.refused += 1
        continue
      }
      let flight = Flight(kept: index, generation: generation, range: part, ticket: ticket, reservation: reservation)
      if flights.count < 5, random.below(3) == 0 { flights.append(flight) } else { try insert(flight) }
    }
  }

  /// What was on its way arrives, or its read has failed.
  func arrive() throws(Mismatch) {
    guard !flights.isEmpty else { return }
    let flight = flights.remove(at: random.below(flights.count))
    guard random.below(4) > 0 else {
      tally.failed += 1
      return store.cancel(flight.reservation)
    }
    try insert(flight)
  }

  func insert(_ flight: Flight) throws(Mismatch) {
    let index = flight.kept
    let isWelcome = kept[index].isAlive && kept[index].generation == flight.generation
    let isKept = store.insert(
      arriving(flight.range, index), at: flight.range, ticket: flight.ticket, reservation: flight.reservation)
    try expect(isKept == isWelcome, "bytes of \(flight.range) were kept: \(!isWelcome)")
    guard isWelcome else {
      tally.stale += 1
      return
    }
    for unit in units(flight.range) {
      kept[index].births[unit] = max(kept[index].births[unit], flight.ticket.fetchedAt.nanoseconds)
    }
    touch(flight.range, index)
  }

  /// The bytes of a range, as sources give them: a part of something larger, or a rope of blocks.
  private func arriving(_ range: ByteRange, _ index: Int) -> Bytes {
    let bytes = content(range, index)
    guard random.below(2) == 0 else { return bytes }
    return Bytes(
      concatenating: kept[index].token.grid.pieces(of: range).map { piece in
        let part = bytes.slice(piece.range.lowerBound - range.lowerBound..<piece.range.upperBound - range.lowerBound)
        guard let buffer = BlockBacking.allocate(part.count) else { return part }
        part.copyBytes(to: buffer.memory)
        return buffer.bytes(part.count)
      })
  }

  // MARK: from below

  /// Brings what was found below, unless somebody else does: now or later.
  private func bring(_ holding: Holding) throws(Mismatch) {
    let isUnderWay = (holdings + loading).contains {
      $0.kept == holding.kept && $0.generation == holding.generation && $0.piece.range.overlaps(holding.piece.range)
    }
    if isUnderWay {
      tally.joined += 1
      return
    }
    if holdings.count < 3, random.below(5) == 0 { holdings.append(holding) } else { try load(holding) }
  }

  func load() throws(Mismatch) {
    guard !holdings.isEmpty else { return }
    tally.late += 1
    try load(holdings.remove(at: random.below(holdings.count)))
  }

  func load(_ holding: Holding) throws(Mismatch) {
    let index = holding.kept
    let failures = codec.failures
    let above = tiers.memory.counts().insertions
    loading.append(holding)
    let bytes = holding.piece.loader.answeredBytes
    loading.removeLast()
    if let failure { throw failure }
    touch(holding.piece.range, index)
    guard let bytes else {
      try expect(codec.failures > failures, "\(holding.piece.range) could not be brought")
      tally.damaged += 1
      return
    }
    tally.shouldPromote += tiers.memory.counts().insertions > above ? 1 : 0
    try expect(bytes == content(holding.piece.range, index), "a wrong byte was brought of \(holding.piece.range)")
  }
}
