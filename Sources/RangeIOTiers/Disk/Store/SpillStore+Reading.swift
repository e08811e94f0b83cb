package import RangeIO

extension SpillStore {
  /// Returns what the store holds of `range`: bytes that still wait to be written, pieces to read from the disk, and
  /// gaps.
  ///
  /// - Complexity: O(blocks), one lock.
  package func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    let wallNow = configuration.wallClock()
    let now = self.now
    let found = state.withLock {
      state -> (waiting: [SpillLook.Waiting], deferred: [DeferredPiece], wakesWriter: Bool)? in
      guard let binding = state.sources.binding(of: token) else { return nil }
      guard let slot = binding.slot else {
        // Nothing of it is here.
        if binding.identity != nil { state.counts.misses += grid.blocks(covering: range).count }
        return ([], [], false)
      }
      var look = SpillLook(
        store: self, token: binding.token, slot: slot, grid: grid, now: now, wallNow: wallNow,
        isToRemoveFirst: state.isToRemoveFirst)
      for (block, part) in grid.pieces(of: range) { state.look(for: block, part, &look) }
      look.endRun()
      return (look.waiting, look.deferred, look.isToRemoveFirst && state.breaker.lets(now: now))
    }
    // Once for each token.
    guard let (waiting, deferred, wakesWriter) = found else {
      guard binding(of: token) != nil else { return .miss }
      return lookUp(range, token: token, grid: grid)
    }
    if wakesWriter { writer.wake(isUrgent: true) }
    // Outside of the lock, since some of it may have to be decoded.
    let pieces = waiting.compactMap(\.piece)
    guard !pieces.isEmpty || !deferred.isEmpty else { return .miss }
    if deferred.isEmpty, pieces.count == 1, pieces[0].range == range { return .hit(pieces[0].bytes) }
    // What nearly every look-up finds, without more lists.
    if pieces.isEmpty, deferred.count == 1, deferred[0].wanted == range {
      return .partial(pieces: [], deferred: deferred, gaps: [])
    }
    let covered = ByteRanges.normalize(pieces.map(\.range) + deferred.map(\.wanted))
    let gaps = ByteRanges.gaps(in: range, covered: covered)
    if deferred.isEmpty, gaps.isEmpty { return .hit(Bytes(concatenating: pieces.map(\.bytes))) }
    return .partial(pieces: pieces, deferred: deferred, gaps: gaps)
  }

  /// Tells where the bytes of `range` would come from: the directory, memory if they still wait to be written, or
  /// neither, with the reason. Does not count as a read.
  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    guard !state.withLock({ $0.isClosed }) else { return [.missing(range, .disk, "the store was closed")] }
    guard let binding = binding(of: token), binding.identity != nil else {
      return [.missing(range, .disk, "what version of the source this is cannot be written down")]
    }
    let kept = state.withLock { $0.lacksFreeSpace } ? Self.noFreeSpace : String.notKept
    let missing = costsMoreThanDisk(binding.token.source, for: grid.blockSize) ? kept : Self.notSlower
    guard let slot = binding.slot else { return [.missing(range, .disk, missing)] }
    let wallNow = configuration.wallClock()
    let now = self.now
    return state.withLock { state in
      // Like a look-up: does not use a sick disk, or a disk with removals still to be written.
      let isLeftAlone = state.isToRemoveFirst || !state.breaker.lets(now: now)
      return grid.pieces(of: range).flatMap { block, part -> [ReadExplanation.Part] in
        if let entry = state.waiting(slot, block, now: now) {
          return .parts(
            of: part, held: [entry.chunk.range], .memory, detail: "waits to be written to the disk"
          ) { [.missing($0, .disk, Self.cameLater)] }
        }
        let found = state.table.find(source: slot, block: block)
        guard found != 0 else { return [.missing(part, .disk, missing)] }
        guard !state.isExpired(state.table[found], wallNow: wallNow) else {
          return [.missing(part, .disk, "its time is over")]
        }
        guard !isLeftAlone else {
          return [.missing(part, .disk, "the disk is left alone for a while, since it failed or was slow")]
        }
        let whole = state.whole(block, of: slot, grid)
        return .parts(of: part, held: [whole], .disk, detail: state.table[found].told(of: whole.count)) {
          [.missing($0, .disk, Self.cameLater)]
        }
      }
    }
  }

  private static let notSlower =
    "the source says that it costs no more to read than a disk, so nothing of it is written: state its cost, or have the "
    + "store keep all sources"
  private static let noFreeSpace =
    "nothing new is written, since too little of the disk is free: make room, or lower `freeSpaceFloor`"
  private static let cameLater = "its block was written before the source had these bytes"

  /// The parts of `range` that are here, in order, block by block.
  package func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    guard let slot = binding(of: token)?.slot else { return [] }
    let wallNow = configuration.wallClock()
    let now = self.now
    return state.withLock { state in
      grid.pieces(of: range).compactMap { block, part in
        if let entry = state.waiting(slot, block, now: now) {
          return ByteRanges.intersection(part, entry.chunk.range)
        }
        let found = state.table.find(source: slot, block: block)
        guard found != 0, !state.isClosed, !state.isExpired(state.table[found], wallNow: wallNow) else { return nil }
        return ByteRanges.intersection(part, state.whole(block, of: slot, grid))
      }
    }
  }

  /// Counts that a run was read, from the page cache if it `isResident`. Called when it is read, once for all waiters, and
  /// not when it is looked up, because one read may look it up several times.
  func noteHits(of run: SpillRun, isResident: Bool) {
    if core.hits.add(run, isResident: isResident) { state.withLock { core.hits.tellOwn(&$0) } }
  }

  /// Removes a record that turned out to be damaged, or that could not be read.
  func drop(_ record: SpillRun.Part, of run: SpillRun) {
    state.withLock { state in
      if let found = state.find(record, of: run.slot, in: run.segment.number) { state.remove(found) }
    }
  }
}

/// One look-up under the state's lock, block by block.
private struct SpillLook {
  let store: SpillStore
  let token: ChunkToken
  let slot: Int
  let grid: BlockGrid
  let now: ReadClock.Instant
  let wallNow: Int64
  /// Removals made while the disk was not in use are written before it serves again.
  let isToRemoveFirst: Bool
  /// A chunk that waits to be written, and the part of it that is looked for.
  struct Waiting {
    let chunk: Chunk
    let part: ByteRange

    /// The bytes of the part; `nil` if they cannot be decoded.
    var piece: RangedBytes? {
      chunk.pieces.first.map { piece in
        let lower = part.lowerBound - piece.range.lowerBound
        return RangedBytes(part, piece.bytes.slice(lower..<lower + part.count))
      }
    }
  }
  var waiting: [Waiting] = []
  /// The pieces to be read from the disk.
  private(set) var deferred: [DeferredPiece] = []
  private var run: SpillRun?
  private var permit: SpillBreaker.Permit?

  init(
    store: SpillStore, token: ChunkToken, slot: Int, grid: BlockGrid, now: ReadClock.Instant, wallNow: Int64,
    isToRemoveFirst: Bool
  ) {
    (self.store, self.token, self.slot, self.grid) = (store, token, slot, grid)
    (self.now, self.wallNow, self.isToRemoveFirst) = (now, wallNow, isToRemoveFirst)
  }

  /// Adds a block on the disk. Returns false if the disk may not be read for it.
  mutating func add(_ block: SpillRun.Block, _ state: inout SpillState) -> Bool {
    // A sick disk is not used. A disk that is being tried is asked for one run.
    if permit == nil { permit = isToRemoveFirst ? .refused : state.breaker.ask(now: now) }
    guard permit != .refused else { return false }
    if run?.append(block) == true { return true }
    if run != nil {
      endRun()
      guard permit == .go else {
        permit = .refused
        return false
      }
    }
    let place = state.places[Int(block.record.segment)]!
    run = SpillRun(
      block, in: place.segment, slot: slot, identityCheck: state.sources[slot].check,
      identity: place.segment.cipher == nil ? nil : state.sources[slot].identity, local: place.locals[slot] ?? .max)
    return true
  }

  mutating func endRun() {
    guard let run, let permit else { return }
    self.run = nil
    // The current generation, under the lock: a removal that has started erases here later.
    let age = max(0, wallNow - run.fetchedAt)
    let ticket = token.ticket(fetchedAt: ReadClock.Instant(nanoseconds: now.nanoseconds - age))
    deferred.append(
      DeferredPiece(
        range: run.range, wanted: run.wanted, ticket: ticket, shouldPromote: true,
        loader: SpillLoader(store: store, run: run, permit: permit)))
  }
}

extension SpillState {
  fileprivate mutating func look(for block: Int, _ part: ByteRange, _ look: inout SpillLook) {
    if let chunk = waiting(look.slot, block, now: look.now)?.chunk,
      // The source may have grown since: what follows the old end is a gap.
      let part = ByteRanges.intersection(part, chunk.range)
    {
      look.waiting.append(.init(chunk: chunk, part: part))
      counts.stagedHits += 1
      return
    }
    let found = table.find(source: look.slot, block: block)
    guard found != 0, !isClosed else {
      counts.misses += 1
      return
    }
    let record = table[found]
    guard !isExpired(record, wallNow: look.wallNow) else {
      remove(found)
      counts.expirations += 1
      return
    }
    // As above, with the length of the source that is known here.
    let whole = whole(block, of: look.slot, look.grid)
    guard let wanted = ByteRanges.intersection(part, whole),
      look.add(.init(number: block, record: record, range: whole, wanted: wanted), &self)
    else {
      counts.misses += 1
      return
    }
  }

  /// The part of a source's block that is kept, by the length of the source known here. A reader may see more if the
  /// source has grown since.
  fileprivate func whole(_ block: Int, of slot: Int, _ grid: BlockGrid) -> ByteRange {
    let start = block << grid.shift
    return start..<start + sources[slot].identity.count(ofBlock: block)
  }

  /// The slot of a record that was found, if it is still the same record.
  func find(_ part: SpillRun.Part, of slot: Int, in segment: UInt64) -> UInt32? {
    let found = table.find(source: slot, block: part.block)
    guard found != 0, table[found].offset == part.offset,
      places[Int(table[found].segment)]?.segment.number == segment
    else { return nil }
    return found
  }
}

extension SpilledBlock {
  /// The form in which a block of `count` bytes is stored, for people.
  fileprivate func told(of count: Int) -> String {
    Int(stored) < count ? "compressed to \(max(1, Int(stored) * 100 / max(1, count)))%" : "stored as it is"
  }
}
