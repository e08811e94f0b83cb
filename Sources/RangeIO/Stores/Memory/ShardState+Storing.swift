import Synchronization

extension ShardState {
  /// A piece of a block that is to be stored.
  struct Arrival: Sendable {
    let piece: PieceList.Piece
    let block: Int
    /// The hash of its key.
    let hash: UInt64
    /// The bytes that it is charged if it is all that is here of the block.
    let charge: Int
    /// Its source was charged for it already.
    var isCharged = false
  }

  /// The pieces of a block, and their charge.
  struct Held: @unchecked Sendable {
    // Unchecked: `backing` is only compared, never read.
    let pieces: [PieceList.Piece]
    let charge: Int
    let slot: Int
    /// Tells whether the chunk was changed while its pieces were merged outside the lock. Held, so that no other object
    /// can get its address.
    let backing: BlockBacking
  }

  enum Stored: Sendable {
    /// Stored as a new chunk, and charged.
    case new
    /// Stored and charged. The old contents have been released.
    case stored
    /// All of it was already there.
    case present
    /// Some of it is there: merge outside the lock, then call ``replace(_:block:ticket:with:charge:_:)``.
    case merge(Held)
    /// The ticket is no longer valid, or the index has no room.
    case stale
  }

  /// Stores one piece of a block, unless pieces must be merged first.
  mutating func store(
    _ new: borrowing Arrival, _ ticket: borrowing ChunkTicket, _ pins: BlockBacking.Pins, now: Int64,
    _ gone: inout EvictedChunks
  ) -> Stored {
    guard ticket.isValid else {
      counts.stale += 1
      return .stale
    }
    let number = ticket.token.number
    let slot = find(number, new.block, new.hash, now: now, &gone)
    guard slot != 0 else {
      // Nothing reserves room for blocks that are too large for a key.
      guard UInt64(new.block) < ChunkTable.maxKeyPart, table.hasRoom(for: new.hash) else { return .stale }
      let (owner, lower) = Self.backing(of: [new.piece])
      let slot = table.add(token: number, block: new.block, hash: new.hash, lower: lower, owner: owner)
      table[slot].fetchedAt = ticket.fetchedAt.nanoseconds
      // Set in both cases: bytes that come back from a tier below may have been part of a pinned block.
      table[slot].pins = pins
      sources.add(ticket.token)
      if new.isCharged { bytes += new.charge } else { account(new.charge, number) }
      if !pins.isEmpty {
        notePinned(new.charge, pins)
      } else {
        enter(slot, key: new.hash, weight: new.charge)
      }
      // The later of the two, in case the limit was set after `now` was read.
      touch(slot, max(now, ticket.fetchedAt.nanoseconds))
      counts.insertions += 1
      return .new
    }
    let (old, piece) = (pieces(slot), new.piece)
    if old.contains(where: {
      $0.range.lowerBound <= piece.range.lowerBound && piece.range.upperBound <= $0.range.upperBound
    }) {
      return .present
    }
    guard
      old.allSatisfy({ piece.range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= piece.range.upperBound })
    else {
      let backing = table.owner(slot).takeUnretainedValue()
      return .merge(Held(pieces: old, charge: charge(slot), slot: slot, backing: backing))
    }
    put([piece], new.charge, fetchedAt: ticket.fetchedAt.nanoseconds, at: slot, &gone)
    return .stored
  }

  /// Replaces pieces with the pieces merged from them. Returns false if the chunk has changed, or the ticket is no
  /// longer valid.
  mutating func replace(
    _ held: Held, block: Int, ticket: ChunkTicket, with pieces: [PieceList.Piece], charge: Int,
    _ gone: inout EvictedChunks
  ) -> Bool {
    let slot = held.slot
    guard ticket.isValid, slot < table.slotsUsed, table.isUsed(slot),
      table.owner(slot).takeUnretainedValue() === held.backing,
      table[slot].token == ticket.token.number, table[slot].block == block
    else { return false }
    // The oldest wins: a chunk is as old as its oldest byte.
    put(pieces, charge, fetchedAt: min(table[slot].fetchedAt, ticket.fetchedAt.nanoseconds), at: slot, &gone)
    return true
  }

  /// Returns the object that the table stores for `pieces`, and where in the block they begin: the memory of a single
  /// piece, or a list. Retained once.
  private static func backing(of pieces: [PieceList.Piece]) -> (Unmanaged<BlockBacking>, lower: Int) {
    guard pieces.count > 1 else {
      // Bytes to be stored were claimed or copied: see `MemoryStore.owned`.
      let backing = unsafeDowncast(pieces[0].bytes.owner!, to: BlockBacking.self)
      return (.passRetained(backing), pieces[0].range.lowerBound)
    }
    let list = PieceList(pieces)
    return (.passRetained(.holding(list, count: list.extent.count)), list.extent.lowerBound)
  }

  private mutating func put(
    _ pieces: [PieceList.Piece], _ charge: Int, fetchedAt: Int64, at slot: Int, _ gone: inout EvictedChunks
  ) {
    let before = self.charge(slot)
    let pins = table[slot].pins
    let (owner, lower) = Self.backing(of: pieces)
    let old = table.exchange(slot, for: owner, lower: lower)
    table[slot].fetchedAt = fetchedAt
    table[slot].pins = pins
    gone.add(old, bytes: before)
    account(charge - before, table[slot].token)
    if !pins.isEmpty { notePinned(charge - before, pins) } else { policy.reweigh(slot, weight: charge, table.notes) }
  }

  /// Charges a source that has chunks here.
  mutating func account(_ charge: Int, _ token: UInt64) {
    bytes += charge
    sources.charge(charge, to: token)
  }

  /// Makes a chunk of a slot's contents.
  mutating func chunk(_ slot: Int) -> Chunk {
    let note = table[slot]
    let owner = table.owner(slot).takeUnretainedValue()
    let lastRead = slot < touched.count ? ReadClock.Instant(nanoseconds: touched[slot]) : nil
    let token = sources.token(note.token)
    let start = note.block << token.grid.shift
    // The current generation, under the lock: a removal that has started erases here later, and finds that the chunk is
    // gone.
    let ticket = token.ticket(fetchedAt: ReadClock.Instant(nanoseconds: note.fetchedAt))
    guard note.kind != .list else {
      let list = unsafeDowncast(Unmanaged<AnyObject>.fromOpaque(note.base).takeUnretainedValue(), to: PieceList.self)
      let pieces = list.pieces.map {
        RangedBytes(start + $0.range.lowerBound..<start + $0.range.upperBound, $0.bytes)
      }
      return Chunk(
        ticket: ticket, block: note.block, piece: pieces[0], morePieces: Array(pieces[1...]), lastRead: lastRead)
    }
    let bytes = Bytes(owner: owner, base: note.base, start: 0, count: Int(note.count))
    let piece = RangedBytes(start + Int(note.lower)..<start + Int(note.upper), bytes)
    return Chunk(ticket: ticket, block: note.block, piece: piece, lastRead: lastRead)
  }
}
