import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Reading: through the store's own calls, as `.caching` makes them, and through readers.
extension SpilledModel {
  func read() throws(Mismatch) {
    let index = anyKept()
    guard let token = token(of: index) else { return }
    let range = anyRange(of: kept[index])
    tally.reads += 1
    if let quick = life!.store.hit(range, token: token.number, grid: token.grid) {
      try expect(quick == content(range, index), "a wrong byte in \(range)")
      try expect(whyNot(range, index) == nil, "at hand, \(whyNot(range, index) ?? "")")
    }
    let ticket = token.ticket(fetchedAt: life!.store.now)
    let (pieces, held, gaps) = try lookUp(range, index, token)
    for gap in gaps { fetch(gap, ofRun: range.count, index, ticket) }
    for piece in held {
      let holding = Holding(kept: index, piece: piece)
      if holdings.count < 3, random.below(5) == 0 { holdings.append(holding) } else { try load(holding) }
    }
    for piece in pieces { try expect(piece.bytes == content(piece.range, index), "a byte that was found has changed") }
  }

  /// What is found, checked for being allowed.
  private func lookUp(
    _ range: ByteRange, _ index: Int, _ token: ChunkToken
  ) throws(Mismatch) -> (pieces: [RangedBytes], held: [DeferredPiece], gaps: [ByteRange]) {
    let store = life!.store
    let staged = store.spill!.counts().stagedHits
    let atStart = kept[index].births
    var (pieces, held, gaps): ([RangedBytes], [DeferredPiece], [ByteRange]) = ([], [], [])
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .hit(let bytes): pieces = [RangedBytes(range, bytes)]
    case .miss: gaps = [range]
    case .partial(let some, let below, let missing):
      try expect(!below.isEmpty || !missing.isEmpty, "a partial hit that is a hit")
      (pieces, held, gaps) = (some, below, missing)
    }
    let isStaged = store.spill!.counts().stagedHits > staged
    if isStaged { tally.staged += 1 }
    if !pieces.isEmpty, !isStaged { tally.fromMemory += 1 }
    if !gaps.isEmpty { tally.fromSource += 1 }
    var cursor = range.lowerBound
    for part in (pieces.map(\.range) + held.map(\.wanted) + gaps).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      try expect(part.lowerBound == cursor && !part.isEmpty, "the parts of \(range) leave a gap or overlap")
      cursor = part.upperBound
    }
    try expect(cursor == range.upperBound, "the parts of \(range) end at \(cursor)")
    for piece in pieces {
      try expect(piece.bytes == content(piece.range, index), "a wrong byte in \(piece.range)")
      let why = whyNot(piece.range, index, orAt: atStart)
      try expect(why == nil, "found, \(why ?? "")")
    }
    for piece in held { try check(piece, index, token, atStart) }
    return (pieces, held, gaps)
  }

  private func check(
    _ piece: DeferredPiece, _ index: Int, _ token: ChunkToken, _ atStart: [Int64]
  ) throws(Mismatch) {
    let isWithin =
      piece.range.lowerBound <= piece.wanted.lowerBound && piece.wanted.upperBound <= piece.range.upperBound
    try expect(isWithin && piece.ticket.token === token, "\(piece.range) for \(piece.wanted)")
    let why = whyNot(piece.range, index, orAt: atStart)
    try expect(why == nil, "held, \(why ?? "")")
    let fetchedAt = life!.origin + piece.ticket.fetchedAt.nanoseconds
    // It has to be as old as its oldest byte: never younger than any of them.
    try expect(
      units(piece.range).allSatisfy { fetchedAt <= max(kept[index].births[$0], atStart[$0]) + slack },
      "\(piece.range) was born \(fetchedAt), after some of its bytes")
  }

  /// Fetches the blocks of a gap, or exactly it.
  private func fetch(_ gap: ByteRange, ofRun run: Int, _ index: Int, _ ticket: ChunkTicket) {
    let store = life!.store
    let wide = random.below(5) == 0 ? gap : kept[index].grid.outward(gap, in: kept[index].births.count * Self.unit)
    guard let reservation = store.reserve(wide, ofRun: max(run, wide.count), for: ticket.token) else {
      return
    }
    guard random.below(20) > 0 else { return store.cancel(reservation) }
    // Whoever interferes may have removed it: then it is refused, and may not be found.
    if ticket.isValid { noteFetch(wide, index) }
    _ = store.insert(content(wide, index), at: wide, ticket: ticket, reservation: reservation)
  }

  /// Something is asked for from the source, and may be found from now on.
  func noteFetch(_ range: ByteRange, _ index: Int) {
    for unit in units(range) { kept[index].births[unit] = now }
  }

  // MARK: from below

  func load() throws(Mismatch) {
    guard !holdings.isEmpty else { return }
    try load(holdings.remove(at: random.below(holdings.count)))
  }

  private func load(_ holding: Holding) throws(Mismatch) {
    let loader = holding.piece.loader
    let before = hits
    if loader.isQuick || random.below(4) == 0 {
      let quick = loader.answer()
      if let failure { throw failure }
      if case .here(let bytes) = quick {
        guard let bytes else { return }
        count(before)
        return try check(bytes, of: holding)
      }
    }
    tally.lateLoads += 1
    start("load") { [self] in
      let before = hits
      guard let bytes = await loader.load(whenLate: {}) else { return }
      count(before)
      try check(bytes, of: holding)
    }
  }

  private var hits: (compressed: Int, spill: Int) {
    guard let life else { return (0, 0) }
    return (codec.decodes, life.spill.counts().hits)
  }

  private func count(_ before: (compressed: Int, spill: Int)) {
    if hits.spill > before.spill { tally.fromSpill += 1 } else { tally.fromCompressed += 1 }
  }

  private func check(_ bytes: Bytes, of holding: Holding) throws(Mismatch) {
    try expect(
      bytes == content(holding.piece.range, holding.kept), "a wrong byte was brought of \(holding.piece.range)")
  }

  // MARK: in the background

  /// Starts something that must end by itself, without an error.
  @discardableResult func start(_ what: String, _ body: @escaping @Sendable () async throws -> Void) -> Running {
    let running = Running()
    self.running.append((what, running))
    Task(executorPreference: executor) {
      do {
        try await body()
        running.end.withLock { $0 = .success(()) }
      } catch {
        running.end.withLock { $0 = .failure(error) }
      }
    }
    return running
  }

  func noteEnds() throws(Mismatch) {
    for (what, running) in running {
      guard case .failure(let error) = running.end.withLock({ $0 }) else { continue }
      if let mismatch = error as? Mismatch { throw mismatch }
      throw Mismatch(description: "operation \(operations): \(what): \(error)")
    }
    running.removeAll { $0.1.hasEnded }
  }

  /// A source as a reader has it. Notes what is asked for.
  private final class Source: RangeSource {
    private let model: SpilledModel
    private let index: Int

    init(_ model: SpilledModel, _ index: Int) {
      self.model = model
      self.index = index
    }

    func describe() async throws -> SourceDescription { model.versions[model.kept[index].version].description }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      model.noteFetch(range, index)
      return model.content(range, index)
    }
  }

  /// A reader with a cache of all three tiers, and a few reads of it.
  func readThroughCaching() {
    guard running.count < 6 else { return }
    let version = current[random.below(current.count)]
    let index = version * grids.count + random.below(grids.count)
    let ranges = (0..<1 + random.below(4)).map { _ in anyRange(of: kept[index]) }
    let (store, blockSize) = (life!.store, kept[index].grid.blockSize)
    let fill = [ReadPipeline.CacheFill.block, .block, .exact, .requestedFirst][random.below(4)]
    tally.reads += ranges.count
    start("a read") { [self] in
      let configuration = RangeReader.Configuration(
        background: BackgroundWork(executor: executor), time: ReadClock(clock))
      let reader = try await RangeReader(
        Source(self, index), [.caching(store, fill: fill, blockSize: .bytes(blockSize))], configuration: configuration)
      for range in ranges {
        let bytes = try await reader.read(range)
        try expect(bytes == content(range, index), "a reader got a wrong byte in \(range)")
        tally.throughCaching += 1
      }
      await reader.close()
    }
  }
}
