extension MemoryStore {
  /// Returns the bytes of `range` if they are in one piece of one block.
  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? {
    let block = range.lowerBound >> grid.shift
    let start = block << grid.shift
    guard range.upperBound - start <= grid.blockSize, presentForLimits == .min else { return nil }
    let hash = ChunkTable.hash(token: token, block: block)
    return shards.withLock(shards.index(of: hash)) {
      $0.hit(token, block, hash, range.lowerBound - start..<range.upperBound - start)
    }
  }

  /// Returns what the store holds of `range`.
  public func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    lookUp(range, token: token.number, grid: token.grid)
  }

  /// Returns what the store holds of `range`.
  ///
  /// - Complexity: for one block O(1), no allocation, one lock. For several O(blocks), a lock for each extent of 16.
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
      let end = min(blocks.upperBound, (first | 15) + 1)
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
      first = end
    }
    if gone.blocks > 0 { release(gone) }
    return gathered.lookup
  }

  /// Gives back the charge of evicted chunks, and wakes tasks that wait for room. The last reference frees the memory
  /// itself.
  func release(_ gone: EvictedChunks) {
    ledger.give(bytes: gone.bytes, blocks: gone.blocks)
    roomIsFree()
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
    addGap(to: range.lowerBound)
    pieces.append(RangedBytes(range, bytes))
    cursor = range.upperBound
  }

  private mutating func addGap(to end: Int) {
    if cursor < end { gaps.append(cursor..<end) }
  }

  var lookup: ChunkLookup {
    guard !pieces.isEmpty else { return .miss }
    var whole = self
    whole.addGap(to: range.upperBound)
    guard !whole.gaps.isEmpty else { return .hit(Bytes(concatenating: pieces.lazy.map(\.bytes))) }
    return .partial(pieces: pieces, gaps: whole.gaps)
  }
}
