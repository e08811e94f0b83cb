import Synchronization

extension MemoryStore {
  /// Returns the bytes of `range` if they are in one piece of one block.
  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid, isAbsent: inout Bool) -> Bytes? {
    // Unchecked: only a range that begins below zero could overflow, and its block is never found.
    let block = range.lowerBound &>> grid.shift
    let start = block &<< grid.shift
    let (lower, upper) = (range.lowerBound &- start, range.upperBound &- start)
    guard upper <= 1 &<< grid.shift, !hasTimeLimits.load(ordering: .relaxed) else { return nil }
    let hash = ChunkTable.hash(token: token, block: block)
    let (root, floor) = shards.published(shards.index(of: hash))
    switch ChunkTable.hit(root, token, block, hash, from: lower, to: upper, floor: floor) {
    case .hit(let bytes):
      unlocked.add(upper &- lower)
      if sample.contains(hash) { noteSampled(hash, grid) }
      return bytes
    case .absent:
      isAbsent = true
      return nil
    case .unclear:
      let bytes = shards.withLock(shards.index(of: hash)) { $0.hit(token, block, hash, lower..<upper) }
      if bytes != nil, sample.contains(hash) { noteSampled(hash, grid) }
      return bytes
    }
  }

  /// Tells the models of other sizes of a sampled look-up.
  @inline(never) private func noteSampled(_ hash: UInt64, _ grid: BlockGrid) {
    models.note(hash, weight: Self.charge(of: grid.blockSize))
  }

  /// Counts as a miss what ``hit(_:token:grid:isAbsent:)`` has found to be absent.
  ///
  /// - Parameter isFirst: `true` if it was not read lately, so that a store of another size would not keep it, either.
  func noteMiss(_ range: ByteRange, token: UInt64, grid: BlockGrid, isFirst: Bool) {
    bypassMisses.add(1)
    let hash = ChunkTable.hash(token: token, block: range.lowerBound >> grid.shift)
    guard sample.contains(hash) else { return }
    if isFirst { models.note(hash, weight: 0) } else { noteSampled(hash, grid) }
  }

  package func expect(_ offset: Int, token: UInt64, grid: BlockGrid) {
    shards.prefetch(ChunkTable.hash(token: token, block: offset &>> grid.shift))
  }

  /// Returns what the store holds of `range`.
  public func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    lookUp(range, token: token.number, grid: token.grid)
  }

  /// - Complexity: for one block O(1), no allocation, one lock. For several O(blocks), a lock for each extent of four.
  package func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    let block = range.lowerBound >> grid.shift
    guard (range.upperBound - 1) >> grid.shift == block else { return lookUpSeveral(range, token, grid) }
    let start = block << grid.shift
    let wanted = range.lowerBound - start..<range.upperBound - start
    let hash = ChunkTable.hash(token: token, block: block)
    let now = presentForLimits
    var gone = EvictedChunks()
    let found = shards.withLock(shards.index(of: hash)) { state in
      let found = state.lookUp(token, block, hash, wanted, now: now, &gone)
      state.count(found, wanted)
      return found
    }
    if gone.blocks > 0 { release(gone) }
    if sample.contains(hash) { noteSampled(hash, grid) }
    switch found {
    case .whole(let bytes): return .hit(bytes)
    case .nothing: return .miss
    case .part, .pieces:
      var gathered = Gathered(range, capacity: 2)
      gathered.add(found, blockAt: start, wanted)
      return gathered.lookup
    }
  }

  private func lookUpSeveral(_ range: ByteRange, _ token: UInt64, _ grid: BlockGrid) -> ChunkLookup {
    let blocks = grid.blocks(covering: range)
    var gathered = Gathered(range, capacity: min(blocks.count, 1024))
    var gone = EvictedChunks()
    let now = presentForLimits
    var first = blocks.lowerBound
    while first < blocks.upperBound {
      // All blocks of an extent are in one shard.
      let end = min(blocks.upperBound, shards.end(ofRunFrom: first))
      let shard = shards.index(of: ChunkTable.hash(token: token, block: first))
      shards.withLock(shard) { state in
        for block in first..<end {
          let start = block << grid.shift
          let wanted = max(range.lowerBound - start, 0)..<min(range.upperBound - start, grid.blockSize)
          let hash = ChunkTable.hash(token: token, block: block)
          let found = state.lookUp(token, block, hash, wanted, now: now, &gone)
          state.count(found, wanted)
          gathered.add(found, blockAt: start, wanted)
        }
      }
      for block in first..<end {
        let hash = ChunkTable.hash(token: token, block: block)
        if sample.contains(hash) { noteSampled(hash, grid) }
      }
      first = end
    }
    if gone.blocks > 0 { release(gone) }
    return gathered.lookup
  }

  /// Gives back the charge of evicted chunks, and wakes tasks that wait for room. The last reference frees the memory
  /// itself.
  func release(_ gone: borrowing EvictedChunks) {
    ledger.give(bytes: gone.bytes, blocks: gone.blocks)
    roomIsFree()
  }

  // MARK: asking

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

  package func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    let now = presentForLimits
    return grid.pieces(of: range).flatMap { block, part in
      let hash = ChunkTable.hash(token: token, block: block)
      let start = block << grid.shift
      return shards.withLock(shards.index(of: hash)) { $0.coverage(token, block, hash, now: now) }
        .compactMap { ByteRanges.intersection(start + $0.lowerBound..<start + $0.upperBound, part) }
    }
  }

  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    let now = presentForLimits
    return grid.pieces(of: range).flatMap { block, part in
      let hash = ChunkTable.hash(token: token, block: block)
      let held = coverage(part, token: token, grid: grid)
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

  /// The ranges that are here under a token. `now`: `.min` to include what has expired.
  func ranges(of token: ChunkToken, within range: ByteRange, now: Int64) -> [ByteRange] {
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
        note(shards.withLock(shards.index(of: hash)) { $0.coverage(token.number, block, hash, now: now) }, block)
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

  /// Copies of the resident chunks, 64 slots at a time. Expired chunks are left out.
  package func residents() -> AnyIterator<[Chunk]> {
    .steps(through: shards.count) { shard, first in
      let now = self.presentForLimits
      return self.shards.withLock(shard) { $0.residents(from: first, now: now) }
    }
  }
}

extension ShardState {
  /// Counts one block of a look-up.
  @inline(__always) mutating func count(_ found: Found, _ wanted: Range<Int>) {
    switch found {
    case .whole:
      counts.hits += 1
      counts.hitBytes += wanted.count
    case .nothing: counts.misses += 1
    case .part(_, let part):
      counts.partialHits += 1
      counts.hitBytes += part.count
    case .pieces(let list):
      let bytes = list.pieces.reduce(0) { $0 + (ByteRanges.intersection($1.range, wanted)?.count ?? 0) }
      counts.hitBytes += bytes
      if bytes == wanted.count {
        counts.hits += 1
      } else if bytes > 0 {
        counts.partialHits += 1
      } else {
        counts.misses += 1
      }
    }
  }
}

/// The pieces of a look-up, joined from block to block.
private struct Gathered {
  private let range: ByteRange
  private var pieces: [RangedBytes] = []
  private var gaps: [ByteRange] = []
  /// The end of the part that has been looked up.
  private var cursor: Int

  init(_ range: ByteRange, capacity: Int) {
    self.range = range
    cursor = range.lowerBound
    pieces.reserveCapacity(capacity)
  }

  mutating func add(_ found: ShardState.Found, blockAt start: Int, _ wanted: Range<Int>) {
    switch found {
    case .whole(let bytes): add(start + wanted.lowerBound..<start + wanted.upperBound, bytes)
    case .part(let bytes, let part): add(start + part.lowerBound..<start + part.upperBound, bytes)
    case .pieces(let list):
      for piece in list.pieces {
        guard let part = ByteRanges.intersection(piece.range, wanted) else { continue }
        add(
          start + part.lowerBound..<start + part.upperBound,
          piece.bytes.slice(part.lowerBound - piece.range.lowerBound..<part.upperBound - piece.range.lowerBound))
      }
    case .nothing: break
    }
  }

  private mutating func add(_ range: ByteRange, _ bytes: Bytes) {
    if cursor < range.lowerBound { gaps.append(cursor..<range.lowerBound) }
    pieces.append(RangedBytes(range, bytes))
    cursor = range.upperBound
  }

  var lookup: ChunkLookup {
    guard !pieces.isEmpty else { return .miss }
    let gaps = cursor < range.upperBound ? gaps + [cursor..<range.upperBound] : gaps
    guard !gaps.isEmpty else { return .hit(Bytes(concatenating: pieces.lazy.map(\.bytes))) }
    return .partial(pieces: pieces, gaps: gaps)
  }
}
