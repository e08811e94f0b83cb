import Synchronization

extension MemoryStore {
  /// The charge of one block of `byteCount` bytes: its bytes and their object, rounded up as the allocator does, and
  /// its part of the bookkeeping (a slot, its share of the index, the policy's byte and its ghost's).
  package static func charge(of byteCount: Int) -> Int { BlockBacking.footprint(of: byteCount) + tableShare }
  private static let tableShare = 24

  /// The charge of a block with several pieces.
  static func charge(of pieces: [PieceList.Piece]) -> Int {
    pieces.count == 1 ? charge(of: pieces[0].range.count) : PieceList.footprint(pieces) + tableShare
  }

  /// The charge of all blocks of `range`.
  private static func charge(of range: ByteRange, on grid: BlockGrid) -> (bytes: Int, blocks: Int)? {
    let blocks = grid.blocks(covering: range)
    // The end of the last block may exceed the largest integer.
    let first = grid.range(of: blocks.lowerBound, in: range.upperBound).upperBound - range.lowerBound
    guard blocks.count > 1 else { return (charge(of: first), 1) }
    let last = grid.range(of: blocks.upperBound - 1, in: range.upperBound).count
    let (middle, overflow) = charge(of: grid.blockSize).multipliedReportingOverflow(by: blocks.count - 2)
    let (sum, overflow2) = middle.addingReportingOverflow(charge(of: first) + charge(of: last))
    return overflow || overflow2 ? nil : (sum, blocks.count)
  }

  /// Makes room for `range` before it is fetched, for all of it or none.
  public func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    var gone = EvictedChunks()
    guard canBeKept(range, token), let charge = Self.charge(of: range, on: token.grid),
      isAdmitted(range, run, token, charge)
    else {
      refused()
      return nil
    }
    defer { handOn(gone) }
    let isPaid = configuration.sourceShare == 1 && (sourceCharges == nil || token.payment != .none)
    if isPaid { gone.stayingCharged = token.number }
    // Charged at once, so that reads in flight together stay within the source's share.
    let own = isPaid ? 0 : token.charge(charge.bytes)
    // What the source itself takes must be there at the same time.
    let due = isPaid ? nil : sourceCharges?.due(for: token)
    let bytes = charge.bytes + (due?.bytes ?? 0)
    let isExpected = bytes <= ledger.ownLimit && room.expect(charge.bytes)
    guard isExpected, makeRoomInShare(of: token, charge.bytes, own, &gone),
      makeRoom(bytes: bytes, blocks: charge.blocks, near: shards.index(of: Self.key(of: range, token)), &gone)
    else {
      if isExpected { room.forget(charge.bytes) }
      if let due { sourceCharges?.cancel(due.payment) }
      let charged = isPaid ? gone.stillCharged : charge.bytes
      if charged != 0 { token.charge(-charged) }
      refused()
      // What was evicted in vain is given back by now.
      roomIsFree()
      return nil
    }
    if let due, sourceCharges?.pay(due.payment, for: token) == false { ledger.give(bytes: due.bytes, blocks: 0) }
    if isPaid, !chargeAgain(token, charge.bytes, &gone) {
      cancel(ChunkReservation(byteCount: charge.bytes, blockCount: charge.blocks, token: nil))
      refused()
      return nil
    }
    return ChunkReservation(byteCount: charge.bytes, blockCount: charge.blocks, token: token)
  }

  /// Charges a source that was paid for, once there is room: with what it was charged for chunks that left, which in a full store
  /// is just as much. All threads would write that account.
  ///
  /// - Returns: false, with nothing charged, if its last chunk has left in between, and there is no room to pay for it again.
  private func chargeAgain(_ token: ChunkToken, _ bytes: Int, _ gone: inout EvictedChunks) -> Bool {
    let stillCharged = gone.stillCharged
    (gone.stayingCharged, gone.stillCharged) = (0, 0)
    if bytes != stillCharged { token.charge(bytes - stillCharged) }
    // Charged all the time, it is paid for.
    guard stillCharged == 0, let due = sourceCharges?.due(for: token) else { return true }
    guard makeRoom(bytes: due.bytes, blocks: 0, &gone) else {
      sourceCharges?.cancel(due.payment)
      token.charge(-bytes)
      return false
    }
    if sourceCharges?.pay(due.payment, for: token) == false { ledger.give(bytes: due.bytes, blocks: 0) }
    return true
  }

  /// The outlet, if there is one, has taken these chunks. It continues here, outside of locks.
  func handOn(_ gone: borrowing EvictedChunks) {
    if gone.count > 0 { outlet?.proceed() }
  }

  /// Cancels a reservation that is not needed.
  public func cancel(_ reservation: ChunkReservation) {
    reservation.token?.charge(-reservation.byteCount)
    room.forget(reservation.byteCount)
    ledger.give(bytes: reservation.byteCount, blocks: reservation.blockCount)
    roomIsFree()
  }

  /// Checks that the token is alive and the keys of the table can represent the range.
  private func canBeKept(_ range: ByteRange, _ token: ChunkToken) -> Bool {
    token.isAlive && token.number < ChunkTable.maxKeyPart && token.grid.shift <= 30
      && UInt64(range.upperBound >> token.grid.shift) < ChunkTable.maxKeyPart
  }

  /// The key of the first block.
  private static func key(of range: ByteRange, _ token: ChunkToken) -> UInt64 {
    ChunkTable.hash(token: token.number, block: range.lowerBound >> token.grid.shift)
  }

  /// Decides whether a run may enter: not if it would empty half of the store at once, or if the policy refuses it.
  private func isAdmitted(
    _ range: ByteRange, _ run: Int, _ token: ChunkToken, _ charge: (bytes: Int, blocks: Int)
  ) -> Bool {
    let most = charge.blocks == 1 && run <= token.grid.blockSize ? ledger.ownLimit : ledger.ownLimit / 2
    guard max(run, charge.bytes) <= most, charge.blocks <= max(1, ledger.blockLimit / 2) else { return false }
    return shards.admits(Self.key(of: range, token), weight: max(run, charge.bytes))
  }

  /// Keeps a source within its share. `own`: its charge, `bytes` included.
  private func makeRoomInShare(of token: ChunkToken, _ bytes: Int, _ own: Int, _ gone: inout EvictedChunks) -> Bool {
    guard configuration.sourceShare < 1 else { return true }
    let share = Int(Double(ledger.ownLimit) * configuration.sourceShare)
    let missing = own - share
    guard missing > 0 else { return true }
    guard bytes <= share else { return false }
    // In bounded steps, each holding a lock only briefly: the rarer its chunks are, the longer a source searches for
    // them.
    for round in 0..<32 * shards.count where gone.bytes < missing {
      let before = (bytes: gone.bytes, blocks: gone.blocks)
      shards.change(round % shards.count) { $0.evict(of: token, bytes: missing, &gone, to: outlet) }
      ledger.give(bytes: gone.bytes - before.bytes, blocks: gone.blocks - before.blocks)
    }
    return gone.bytes >= missing
  }

  /// Takes this much from the accounts, and evicts until it is available.
  ///
  /// - Parameter home: the shard to evict from if it has its share; `nil`: the fullest.
  func makeRoom(bytes: Int, blocks: Int, near home: Int? = nil, _ gone: inout EvictedChunks) -> Bool {
    // Looked at first: of a full store, to take and give back would be two writes to what all threads share.
    let excess = ledger.missing(bytes: bytes, blocks: blocks)
    if excess.bytes <= 0, excess.blocks <= 0, ledger.take(bytes: bytes, blocks: blocks) { return true }
    followBudget()
    var home = home
    var empty: Set<Int> = []
    var tries = 0
    repeat {
      if removals.step() != nil { continue }
      let missing = ledger.lacking(bytes: bytes, blocks: blocks)
      let near = home.flatMap { shards.hasItsShare($0, of: ledger.bytes) ? $0 : nil }
      home = nil
      guard let shard = near ?? shards.fullest(except: empty) else { return false }
      let before = (bytes: gone.bytes, blocks: gone.blocks)
      shards.change(shard) {
        $0.evict(
          bytes: before.bytes + max(0, missing.bytes), blocks: before.blocks + max(0, missing.blocks), most: 64, &gone,
          to: outlet)
      }
      let freed = (bytes: gone.bytes - before.bytes, blocks: gone.blocks - before.blocks)
      if ledger.exchange(freed, for: (bytes, blocks)) { break }
      if freed.blocks == 0 {
        // Others may have made room in between, so evicting nothing need not mean that there is nothing.
        if missing.bytes > 0 || missing.blocks > 0 { empty.insert(shard) }
        // Nor does the room grant much while it looks at the system, though nothing is missing.
        tries += 1
        guard tries < 4 * shards.count else { return false }
      }
      ledger.give(bytes: freed.bytes, blocks: freed.blocks)
    } while !ledger.take(bytes: bytes, blocks: blocks)
    if gone.count > 0 { roomIsFree() }
    return true
  }

  /// Keeps the bytes of `range`, block by block.
  @discardableResult public func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool {
    var pool = EvictedChunks()
    pool.bytes = reservation.byteCount
    pool.blocks = reservation.blockCount
    var isPublished = true
    // What the source is charged already, if the room was made for it.
    var charged = reservation.token === ticket.token ? reservation.byteCount : 0
    let grid = ticket.token.grid
    let byteCount = ticket.token.entry.byteCount
    reservation.hold?.onEnd { [weak self, token = ticket.token] in self?.release(range, of: token) }
    for block in grid.blocks(covering: range) {
      let whole = grid.range(of: block, in: byteCount)
      let part = range.clamped(to: whole)
      let start = whole.lowerBound
      let slice =
        part == range ? bytes : bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      guard let owned = owned(slice) else {
        // No memory for a copy: the block is not kept, which only costs time.
        isPublished = false
        continue
      }
      let piece = PieceList.Piece(range: part.lowerBound - start..<part.upperBound - start, bytes: owned)
      isPublished = store(piece, block, whole, ticket, reservation.hold, &pool, &charged) && isPublished
    }
    let left = reservation.token === ticket.token ? charged : reservation.byteCount
    if left != 0 { reservation.token?.charge(-left) }
    room.forget(reservation.byteCount)
    ledger.give(bytes: pool.bytes, blocks: pool.blocks)
    evictExcess()
    // The reserved bytes are chunks now, and can be evicted.
    roomIsFree()
    // The replaced chunks are released here, outside of all locks.
    return isPublished
  }

  /// The reader of what was read ahead has passed it, or will not read it: from now on it is like any newcomer.
  private func release(_ range: ByteRange, of token: ChunkToken) {
    let blocks = token.grid.blocks(covering: range)
    var first = blocks.lowerBound
    while first < blocks.upperBound {
      let end = min(blocks.upperBound, shards.end(ofRunFrom: first))
      shards.change(shards.index(of: ChunkTable.hash(token: token.number, block: first))) {
        for block in first..<end { $0.release(token.number, block) }
      }
      first = end
    }
    // Tasks that wait for the limit to be reached can evict it.
    roomIsFree()
  }

  /// Evicts what exceeds a limit that was lowered while bytes were being fetched: the task that lowered it may have
  /// given up. And has the fullest stores give up what exceeds what the system leaves now.
  private func evictExcess() {
    var empty: Set<Int> = []
    while case let excess = ledger.missing(bytes: 0, blocks: 0).bytes, excess > 0 {
      if removals.step() != nil { continue }
      guard let shard = shards.fullest(except: empty) else { break }
      evictSome(excess, from: shard, &empty, to: outlet)
    }
    room.shrink()
  }

  /// Stores one piece. `pool` pays for it, and receives what is replaced. `charged`: what its source is charged already, of
  /// which a new chunk takes its own.
  private func store(
    _ piece: PieceList.Piece, _ block: Int, _ whole: ByteRange, _ ticket: ChunkTicket, _ hold: ReadAheadHold?,
    _ pool: inout EvictedChunks, _ charged: inout Int
  ) -> Bool {
    let hash = ChunkTable.hash(token: ticket.token.number, block: block)
    let shard = shards.index(of: hash)
    let charge = Self.charge(of: piece.range.count)
    let isCharged = charged >= charge
    let new = ShardState.Arrival(
      piece: piece, block: block, hash: hash, charge: charge, isCharged: isCharged)
    let now = presentForLimits
    // Bounded: in each round that fails, another insertion into this block has succeeded.
    for _ in 0..<4 {
      let stored = shards.change(shard) {
        // Asked under the lock. A caller that pins goes through the chunks afterwards, so it finds this one, or its pin
        // is seen here. So does the end of a hold.
        var pins: BlockBacking.Pins = ticket.token.entry.pins(whole) ? .user : []
        if let hold, !hold.isOver { pins.insert(.ahead) }
        return $0.store(new, ticket, pins, now: now, &pool)
      }
      switch stored {
      case .new, .stored:
        if isCharged, case .new = stored { charged -= charge }
        pool.bytes -= charge
        pool.blocks -= 1
        return true
      case .present: return true
      case .stale: return false
      case .merge(let held): if let result = merge(new, ticket, into: held, shard, &pool) { return result }
      }
    }
    return true
  }

  /// Merges pieces of one block outside the lock, and exchanges them for the old ones. Returns `nil` if the block was
  /// changed in between. Then everything must be done again.
  private func merge(
    _ new: ShardState.Arrival, _ ticket: ChunkTicket, into held: ShardState.Held, _ shard: Int,
    _ pool: inout EvictedChunks
  ) -> Bool? {
    guard let merged = PieceList.merge(held.pieces, with: new.piece) else { return true }
    let charge = Self.charge(of: merged.pieces)
    let extra = charge - held.charge - new.charge
    if extra > 0 {
      guard ledger.take(bytes: extra, blocks: 0) else {
        refused()
        return true
      }
      pool.bytes += extra
    }
    let isReplaced = shards.change(shard) { state in
      let done = state.replace(
        held, block: new.block, ticket: ticket, with: merged.pieces, charge: charge, &pool)
      if done {
        state.counts.merges += 1
        state.counts.consolidations += merged.isConsolidated ? 1 : 0
        state.counts.droppedPieceBytes += merged.droppedByteCount
      }
      return done
    }
    guard isReplaced else { return ticket.isValid ? nil : false }
    pool.bytes -= charge
    pool.blocks -= 1
    return true
  }

  /// `bytes` in memory that no other chunk and no other store uses. Copied only if necessary.
  private func owned(_ bytes: Bytes) -> Bytes? {
    let bytes = bytes.contiguous()
    return BlockBacking.claim(bytes) ? bytes : BlockBacking.claimedCopy(of: bytes)
  }
}
