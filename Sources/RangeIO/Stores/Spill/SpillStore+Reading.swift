extension SpillStore {
  /// Bytes that are read from a file at once, at most.
  static let longestRead = 1 << 20

  /// What is here of `range`: what waits to be written, at hand; what is on the disk, to be read; and gaps.
  ///
  /// - Complexity: O(blocks), one lock.
  public func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    guard let slot = slot(of: token) else { return .miss }
    var pieces: [ChunkPiece] = []
    var held: [HeldPiece] = []
    let wallNow = configuration.wallClock()
    let now = self.now
    state.withLock { state in
      guard let token = state.sources.binding(of: token)?.token else { return }
      var run: SpillRun?
      var permit: SpillBreaker.Permit?
      for (block, part) in grid.pieces(of: range) {
        let key = SpillTable.key(source: slot, block: block)
        if state.staging.bytes > 0, let entry = state.staging[key], entry.chunk.ticket.isValid {
          let piece = entry.chunk.piece
          let lower = part.lowerBound - piece.range.lowerBound
          pieces.append(ChunkPiece(part, piece.bytes.slice(lower..<lower + part.count)))
          state.counts.stagedHits += 1
          continue
        }
        let found = state.table.find(source: slot, block: block)
        guard found != 0, !state.isClosed else {
          state.counts.misses += 1
          continue
        }
        let record = state.table[found]
        guard !state.isExpired(record.birthMilliseconds * 1_000_000, wallNow: wallNow) else {
          state.remove(found)
          state.counts.expirations += 1
          continue
        }
        // A sick disk is left alone. One that is tried is asked for one run.
        if permit == nil { permit = state.breaker.ask(now: now) }
        guard permit != .refused else {
          state.counts.misses += 1
          continue
        }
        let count = state.sources[slot].identity.count(ofBlock: block)
        let whole = block << grid.shift..<block << grid.shift + count
        if run?.append(record, block: block, whole, part) == true { continue }
        if let full = run {
          held.append(hold(full, permit!, token, wallNow, now))
          run = nil
          if permit == .tries { permit = .refused }
          guard permit != .refused else {
            state.counts.misses += 1
            continue
          }
        }
        let place = state.places[Int(record.segment)]!
        run = SpillRun(
          place.segment, slot: slot, identityCheck: state.sources[slot].check,
          local: place.locals[slot] ?? .max, record, block: block, whole, part)
      }
      if let run { held.append(hold(run, permit ?? .go, token, wallNow, now)) }
    }
    guard !pieces.isEmpty || !held.isEmpty else { return .miss }
    if held.isEmpty, pieces.count == 1, pieces[0].range == range { return .hit(pieces[0].bytes) }
    let covered = ByteRanges.normalize(pieces.map(\.range) + held.map(\.wanted))
    let gaps = ByteRanges.gaps(in: range, covered: covered)
    if held.isEmpty, gaps.isEmpty { return .hit(Bytes(concatenating: pieces.map(\.bytes))) }
    return .partial(pieces: pieces, held: held, gaps: gaps)
  }

  /// The slot of a token by its number.
  func slot(of token: UInt64) -> Int? {
    if let known = state.withLock({ $0.sources.binding(of: token) }) { return known.slot }
    return sources.token(numbered: token).flatMap { slot(of: $0) }
  }

  private func hold(
    _ run: SpillRun, _ permit: SpillBreaker.Permit, _ token: ChunkToken, _ wallNow: Int64, _ now: ReadInstant
  ) -> HeldPiece {
    // The generation of this moment, under the lock: a removal that has begun erases here later.
    let age = max(0, wallNow - run.birth)
    let ticket = token.ticket(birth: ReadInstant(nanoseconds: now.nanoseconds - age))
    return HeldPiece(
      range: run.range, wanted: run.wanted, ticket: ticket, rises: true,
      loader: SpillLoader(store: self, run: run, permit: permit))
  }

  /// Whether all of `range` is here. Does not count as a read.
  public func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    look(range, token, grid) { found, all in found.count == all }
  }

  /// Whether some of `range` is here. Does not count as a read.
  public func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    look(range, token, grid) { found, _ in !found.isEmpty }
  }

  private func look(
    _ range: ByteRange, _ token: UInt64, _ grid: BlockGrid, _ answer: (_ found: [Int], _ all: Int) -> Bool
  ) -> Bool {
    guard let slot = slot(of: token) else { return false }
    let wallNow = configuration.wallClock()
    let blocks = grid.blocks(covering: range)
    return answer(
      state.withLock { state in
        blocks.filter { block in
          if let entry = state.staging[SpillTable.key(source: slot, block: block)] { return entry.chunk.ticket.isValid }
          let found = state.table.find(source: slot, block: block)
          return found != 0 && !state.isClosed
            && !state.isExpired(state.table[found].birthMilliseconds * 1_000_000, wallNow: wallNow)
        }
      }, blocks.count)
  }

  /// Counts that a run was read: when it is, once for all who wait for it, and not when it is looked up, which one read may
  /// do several times.
  func noteHits(of run: SpillRun) {
    state.withLock { state in
      state.counts.hits += run.parts.count
      state.counts.hitBytes += run.wanted.count
      for part in run.parts {
        let found = state.table.find(source: run.slot, block: part.block)
        guard found != 0, state.table[found].offset == part.offset,
          state.places[Int(state.table[found].segment)]?.segment === run.segment
        else { continue }
        state.noteHit(found)
      }
    }
  }

  /// Takes records out that turned out to be damaged, or that could not be read.
  func drop(_ record: SpillRun.Part, of run: SpillRun) {
    state.withLock { state in
      let found = state.table.find(source: run.slot, block: record.block)
      guard found != 0, state.table[found].offset == record.offset,
        state.places[Int(state.table[found].segment)]?.segment === run.segment
      else { return }
      state.remove(found)
    }
  }
}

/// Records of neighbouring blocks that lie side by side in one segment, to be read at once.
struct SpillRun: Sendable {
  /// One of them.
  struct Part: Sendable {
    let block: Int
    /// Where its record begins.
    let offset: Int
    let stored: Int
    /// The bytes of the block.
    let count: Int
  }

  let segment: SpillSegment
  let slot: Int
  let identityCheck: UInt32
  /// The source's number within the segment.
  let local: UInt32
  private(set) var parts: [Part]
  /// The blocks.
  private(set) var range: ByteRange
  /// What is wanted of them.
  private(set) var wanted: ByteRange
  /// Of the oldest, nanoseconds since 1970.
  private(set) var birth: Int64

  init(
    _ segment: SpillSegment, slot: Int, identityCheck: UInt32, local: UInt32, _ record: SpillTable.Record, block: Int,
    _ range: ByteRange, _ wanted: ByteRange
  ) {
    self.segment = segment
    self.slot = slot
    self.identityCheck = identityCheck
    self.local = local
    self.range = range
    self.wanted = wanted
    place = record.segment
    birth = record.birthMilliseconds * 1_000_000
    parts = [Part(block: block, offset: record.offset, stored: Int(record.stored), count: range.count)]
  }

  private let place: UInt32

  /// Where the first record begins.
  var offset: Int { parts[0].offset }
  /// Up to the end of the last payload.
  var byteCount: Int {
    let last = parts[parts.count - 1]
    return last.offset + SpillFormat.recordHeaderCount + last.stored - offset
  }

  /// Adds a record if it lies behind the last one and is not too much.
  mutating func append(_ record: SpillTable.Record, block: Int, _ range: ByteRange, _ wanted: ByteRange) -> Bool {
    let last = parts[parts.count - 1]
    guard record.segment == place, record.offset == last.offset + SpillFormat.recordCount(payload: last.stored),
      range.lowerBound == self.range.upperBound,
      record.offset + record.span - offset <= SpillStore.longestRead
    else { return false }
    parts.append(Part(block: block, offset: record.offset, stored: Int(record.stored), count: range.count))
    self.range = self.range.lowerBound..<range.upperBound
    self.wanted = self.wanted.lowerBound..<wanted.upperBound
    birth = min(birth, record.birthMilliseconds * 1_000_000)
    return true
  }
}
