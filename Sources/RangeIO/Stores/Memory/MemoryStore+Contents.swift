extension MemoryStore {
  // MARK: asking

  package func has(_ range: ByteRange, of source: SourceDescription) -> Bool {
    guard source.has(range) else { return range.isEmpty }
    return ByteRanges.gaps(in: range, covered: cachedRanges(of: source, within: range)).isEmpty
  }

  /// Whether the store holds all of `range` under a token. Does not count as a read.
  package func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    let now = presentForLimits
    for (block, part) in grid.pieces(of: range) {
      let start = block << grid.shift
      let hash = ChunkTable.hash(token: token, block: block)
      let wanted = part.lowerBound - start..<part.upperBound - start
      let (isWhole, covered) = shards.withLock(shards.index(of: hash)) { state -> (Bool, [Range<Int>]) in
        let (slot, note) = state.table.look(token, block, hash)
        guard let note else { return (false, []) }
        if note.pointee.kind != .list, now == .min || !state.isExpired(slot, now) {
          return (Int(note.pointee.lower) <= wanted.lowerBound && wanted.upperBound <= Int(note.pointee.upper), [])
        }
        return (false, state.coverage(token, block, hash, now: now))
      }
      if isWhole { continue }
      guard ByteRanges.gaps(in: wanted, covered: covered).isEmpty else { return false }
    }
    return true
  }

  /// The parts of a range within one block that are here under a token, in order. Does not count as a read.
  func coverage(_ part: ByteRange, _ token: UInt64, _ grid: BlockGrid) -> [ByteRange] {
    let block = grid.block(at: part.lowerBound)
    let start = block << grid.shift
    let hash = ChunkTable.hash(token: token, block: block)
    let now = presentForLimits
    return shards.withLock(shards.index(of: hash)) { $0.coverage(token, block, hash, now: now) }
      .map { start + $0.lowerBound..<start + $0.upperBound }
  }

  /// Whether the store holds some of `range` under a token. Does not count as a read.
  package func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    let now = presentForLimits
    return grid.pieces(of: range).contains { block, part in
      let start = block << grid.shift
      let hash = ChunkTable.hash(token: token, block: block)
      let covered = shards.withLock(shards.index(of: hash)) { $0.coverage(token, block, hash, now: now) }
      return covered.contains { $0.overlaps(part.lowerBound - start..<part.upperBound - start) }
    }
  }

  /// Tells whether the bytes of `range` would come from memory, and if not, why. Does not count as a read.
  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    let now = presentForLimits
    return grid.pieces(of: range).flatMap { block, part in
      let hash = ChunkTable.hash(token: token, block: block)
      let held = coverage(part, token, grid)
      return [ReadExplanation.Part].parts(of: part, held: held, .memory) { gap in
        let isExpired = shards.withLock(shards.index(of: hash)) { state in
          let slot = state.table.find(token: token, block: block, hash: hash)
          return slot != 0 && now != .min && state.isExpired(slot, now)
        }
        if isExpired { return [.missing(gap, .memory, "its time is over")] }
        return [.missing(gap, .memory, held.isEmpty ? .notKept : "its block is kept without these bytes")]
      }
    }
  }

  /// The ranges of a source that are in the store, in order. Touching ranges are joined.
  ///
  /// - Complexity: O(blocks of the range or blocks of the store, whichever are fewer).
  public func cachedRanges(of source: SourceDescription, within range: ByteRange? = nil) -> [ByteRange] {
    let whole = 0..<source.byteCount
    guard let range = ByteRanges.intersection(range ?? whole, whole) else { return [] }
    let now = presentForLimits
    let found = sources.tokens(of: source).flatMap { ranges(of: $0, within: range, now: now) }
    return ByteRanges.normalize(found.compactMap { ByteRanges.intersection($0, range) })
  }

  /// The cached ranges of all sources: an entry for each version that has some.
  public func cachedRanges() -> [(source: SourceDescription, ranges: [ByteRange])] {
    var entries: [ObjectIdentifier: SourceEntry] = [:]
    for token in sources.all { entries[ObjectIdentifier(token.entry)] = token.entry }
    return entries.values.map { ($0.source, cachedRanges(of: $0.source)) }.filter { !$0.1.isEmpty }
      .sorted { $0.0.id < $1.0.id }
  }

  /// - Parameter now: `.min` to include what has expired.
  private func ranges(of token: ChunkToken, within range: ByteRange, now: Int64) -> [ByteRange] {
    let grid = token.grid
    let blocks = grid.blocks(covering: range)
    var ranges: [ByteRange] = []
    func note(_ pieces: [Range<Int>], _ block: Int) {
      let start = block << grid.shift
      ranges += pieces.map { start + $0.lowerBound..<start + $0.upperBound }
    }
    if blocks.count <= shards.count * 4096 {
      for block in blocks {
        let hash = ChunkTable.hash(token: token.number, block: block)
        note(
          shards.withLock(shards.index(of: hash)) { $0.coverage(token.number, block, hash, now: now) }, block)
      }
      return ranges
    }
    for shard in 0..<shards.count {
      var next: Int? = 0
      while let first = next {
        let found = shards.withLock(shard) { $0.coverage(token.number, scanningFrom: first, now: now) }
        for (block, pieces) in found.blocks where blocks.contains(block) { note(pieces, block) }
        next = found.next
      }
    }
    return ranges
  }

  // MARK: pinning and metadata

  /// Protects the blocks that hold `range` from eviction: the blocks that are here, and those added later. They count
  /// towards the limit, and age limits still apply.
  ///
  /// - Throws: `ReadError.Code.rangeNotSatisfiable` if the source has no such range.
  public func pin(_ range: ByteRange, of source: SourceDescription) throws {
    guard range.lowerBound >= 0, range.upperBound <= source.byteCount else {
      throw ReadError.rangeNotSatisfiable("\(range)", byteCount: source.byteCount, source: source.name)
    }
    guard !range.isEmpty else { return }
    // Tries again if the version is being retired right now.
    while !entry(of: source).pin(range) {}
    setPins(of: source)
  }

  /// Allows the blocks that hold `range` to be evicted again.
  public func unpin(_ range: ByteRange, of source: SourceDescription) {
    for token in sources.tokens(of: source) { token.entry.unpin(range) }
    setPins(of: source)
  }

  /// Sets the pins of the resident chunks to what the entry says. Includes expired chunks, since the limit may be
  /// raised.
  private func setPins(of source: SourceDescription) {
    for token in sources.tokens(of: source) {
      for range in ranges(of: token, within: 0..<source.byteCount, now: .min) {
        for block in token.grid.blocks(covering: range) {
          let hash = ChunkTable.hash(token: token.number, block: block)
          shards.change(shards.index(of: hash)) { state in
            let slot = state.table.find(token: token.number, block: block, hash: hash)
            guard slot != 0 else { return }
            state.pin(slot, token.entry.pins(token.grid.range(of: block, in: source.byteCount)))
          }
        }
      }
    }
  }

  /// Keeps a few bytes of your own with a version of a source: a parsed index, a title. They count towards the limit,
  /// and are removed when the source is removed or changes.
  ///
  /// - Parameter metadata: the store keeps a copy. `nil` removes the old metadata.
  /// - Throws: `ReadError.Code.limitExceeded` if there is no room. The old metadata is then still there.
  public func setMetadata(_ metadata: Bytes?, of source: SourceDescription) throws {
    guard let copy = metadata.map({ Bytes(Array($0)) }) else {
      for token in sources.tokens(of: source) { token.entry.forgetMetadata() }
      return
    }
    let charge = Self.charge(of: copy.count)
    var gone = EvictedChunks()
    defer { handOn(gone) }
    guard charge <= ledger.ownLimit / 2, makeRoom(bytes: charge, blocks: 0, &gone) else {
      throw ReadError(
        .limitExceeded, "no room for \(charge) bytes of metadata: keep less, or raise the limit",
        context: .init(source: source.name))
    }
    ledger.noteMetadata(charge)
    let kept = SourceEntry.Metadata(bytes: copy) { [ledger, weak self] in
      ledger.noteMetadata(-charge)
      ledger.give(bytes: charge, blocks: 0)
      self?.roomIsFree()
    }
    // Tries again if the version is being retired right now: metadata kept with it would never be freed.
    while !entry(of: source).keep(kept) {}
  }

  /// The metadata kept with a version of a source.
  public func metadata(of source: SourceDescription) -> Bytes? {
    sources.tokens(of: source).lazy.compactMap(\.entry.metadata).first
  }

  private func entry(of source: SourceDescription) -> SourceEntry {
    if let known = sources.tokens(of: source).first { return known.entry }
    let grid = BlockGrid(blockSize: source.preferredBlockSize) ?? BlockGrid(blockSize: 65_536)!
    let (token, retired) = sources.token(for: source, grid: grid, reading: false)
    for token in retired { eraseRetired(token) }
    return token.entry
  }
}

extension ShardState {
  /// The present parts of a token's blocks, among the next slots from `first` on.
  mutating func coverage(
    _ token: UInt64, scanningFrom first: Int, now: Int64
  ) -> (blocks: [(Int, [Range<Int>])], next: Int?) {
    guard sources.contains(token) else { return ([], nil) }
    var found: [(Int, [Range<Int>])] = []
    let next = scan(from: first) { state, slot in
      guard state.table[slot].token == token, now == .min || !state.isExpired(slot, now) else { return }
      found.append((state.table[slot].block, state.pieces(slot).map(\.range)))
    }
    return (found, next)
  }
}
