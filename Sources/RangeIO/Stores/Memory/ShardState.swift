import Synchronization

/// What one shard holds: the table, the policy, the counts. Everything here happens under the shard's lock, and nothing
/// of it waits, copies bytes or releases memory: what leaves is handed out for the caller to let go.
struct ShardState: ~Copyable {
  var table = ChunkTable()
  var policy: any EvictionPolicy
  var sources = ShardSources()
  var counts = MemoryCounts()
  /// What all chunks are charged, and those of them that are pinned.
  var bytes = 0
  var pinnedBytes = 0
  /// When each slot was last read, in nanoseconds; empty unless idleness is limited.
  var touched: [Int64] = []
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  var idleLimit = Int64.max
  /// Where the search for a victim among one source's chunks goes on.
  private var ownHand = 1

  init(policy: any EvictionPolicy) { self.policy = policy }

  /// The bytes that could be evicted.
  var evictableBytes: Int { bytes - pinnedBytes }
}

// MARK: looking up

extension ShardState {
  /// What is there of one block.
  enum Found {
    case whole(Bytes)
    case pieces(PieceList)
    /// One piece, and the part of the block that it covers.
    case part(Bytes, Range<Int>)
    case nothing
  }

  /// The slot of a chunk that has not expired, or 0. What has expired is taken out and appended to `gone`.
  @inline(__always) mutating func find(
    _ token: UInt64, _ block: Int, _ hash: UInt64, now: Int64, _ gone: inout Departures
  ) -> Int {
    let slot = table.find(token: token, block: block, hash: hash)
    if slot != 0, now != .min, isExpired(slot, now) {
      expire(slot, &gone)
      return 0
    }
    return slot
  }

  /// The bytes of a part of a block, if they are one piece, and time has no limits.
  @inline(__always) mutating func hit(_ token: UInt64, _ block: Int, _ hash: UInt64, _ wanted: Range<Int>) -> Bytes? {
    let (number, found) = table.look(token, block, hash)
    guard let note = found, note.pointee.kind != .list, Int(note.pointee.lower) <= wanted.lowerBound,
      wanted.upperBound <= Int(note.pointee.upper)
    else { return nil }
    if !note.pointee.isPinned { policy.hit(number) }
    counts.hits += 1
    counts.hitBytes += wanted.count
    let start = UnsafeRawPointer(note.pointee.base) + (wanted.lowerBound - Int(note.pointee.lower))
    return Bytes(
      owner: BlockBacking.object(of: note).takeUnretainedValue(), base: start, start: 0, count: wanted.count)
  }

  /// The bytes of `part` of a block, all of which are one piece in its slot.
  @inline(__always) private func bytes(_ number: Int, _ part: Range<Int>) -> Bytes {
    let start = UnsafeRawPointer(table[number].base) + (part.lowerBound - Int(table[number].lower))
    return Bytes(owner: table.owner(number).takeUnretainedValue(), base: start, start: 0, count: part.count)
  }

  /// The list in a slot that has one.
  private func list(_ number: Int) -> PieceList {
    unsafeDowncast(Unmanaged<AnyObject>.fromOpaque(table[number].base).takeUnretainedValue(), to: PieceList.self)
  }

  /// What a chunk is charged.
  func charge(_ number: Int) -> Int {
    guard table[number].kind == .list else { return MemoryStore.charge(of: Int(table[number].count)) }
    return MemoryStore.charge(of: list(number).pieces)
  }

  /// What is there of a block.
  ///
  /// - Parameters:
  ///   - wanted: within the block.
  ///   - now: `.min` where time has no limits.
  @inline(__always) mutating func lookUp(
    _ token: UInt64, _ block: Int, _ hash: UInt64, _ wanted: Range<Int>, now: Int64, _ gone: inout Departures
  ) -> Found {
    let number = find(token, block, hash, now: now, &gone)
    guard number != 0 else { return .nothing }
    if now != .min { touch(number, now) }
    let lower = Int(table[number].lower)
    let upper = Int(table[number].upper)
    guard wanted.lowerBound < upper, lower < wanted.upperBound else { return .nothing }
    if !table[number].isPinned { policy.hit(number) }
    guard table[number].kind != .list else { return .pieces(list(number)) }
    if lower <= wanted.lowerBound, wanted.upperBound <= upper { return .whole(bytes(number, wanted)) }
    let part = max(lower, wanted.lowerBound)..<min(upper, wanted.upperBound)
    return .part(bytes(number, part), part)
  }

  /// The parts of a block that are there, without counting as a read.
  func coverage(_ token: UInt64, _ block: Int, _ hash: UInt64, now: Int64) -> [Range<Int>] {
    let slot = table.find(token: token, block: block, hash: hash)
    guard slot != 0, now == .min || !isExpired(slot, now) else { return [] }
    return pieces(slot).map(\.range)
  }

  /// The pieces of a chunk.
  func pieces(_ slot: Int) -> [PieceList.Piece] {
    guard table[slot].kind != .list else { return list(slot).pieces }
    let range = Int(table[slot].lower)..<Int(table[slot].upper)
    return [.init(range: range, bytes: bytes(slot, range))]
  }
}

// MARK: storing

extension ShardState {
  /// What a chunk is, to notice whether it was changed while its pieces were merged outside the lock.
  ///
  /// Holds the chunk's object, so that no other can come to stand at its address.
  struct Version: Equatable, @unchecked Sendable {
    // Unchecked: a reference to compare, of which nothing is read.
    let slot: Int
    let backing: BlockBacking

    static func == (a: Version, b: Version) -> Bool { a.slot == b.slot && a.backing === b.backing }
  }

  enum Stored: Sendable {
    /// Kept: the charge is taken. What was there before has departed.
    case stored
    /// All of it was there already.
    case present
    /// Some of it is there: merge outside the lock, and try again with ``replace(_:_:_:_:_:)``.
    case merge([PieceList.Piece], Version, charge: Int)
    /// The ticket is not valid any more.
    case stale
  }

  /// Stores one piece of a block, unless pieces have to be merged for that.
  mutating func store(
    _ piece: PieceList.Piece, block: Int, hash: UInt64, ticket: ChunkTicket, charge: Int, isPinned: Bool, now: Int64,
    _ gone: inout Departures
  ) -> Stored {
    guard ticket.isValid else {
      counts.stale += 1
      return .stale
    }
    let token = ticket.token
    let slot = find(token.number, block, hash, now: now, &gone)
    guard slot != 0 else {
      let slot = table.add(token: token.number, block: block, hash: hash, owner: Self.backing(of: [piece]))
      table[slot].birth = ticket.birth.nanoseconds
      sources.add(token)
      account(token, charge)
      if isPinned {
        table[slot].isPinned = true
        pinnedBytes += charge
      } else {
        policy.insert(slot, key: hash, weight: charge)
      }
      // By its birth, where the limit came after `now` was looked at.
      touch(slot, max(now, ticket.birth.nanoseconds))
      counts.insertions += 1
      return .stored
    }
    let old = pieces(slot)
    if old.contains(where: {
      $0.range.lowerBound <= piece.range.lowerBound && piece.range.upperBound <= $0.range.upperBound
    }) {
      return .present
    }
    guard
      old.allSatisfy({ piece.range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= piece.range.upperBound })
    else { return .merge(old, version(slot), charge: self.charge(slot)) }
    put([piece], charge, birth: ticket.birth.nanoseconds, at: slot, &gone)
    return .stored
  }

  /// Puts merged pieces in the place of those that they were merged from.
  ///
  /// - Returns: false if the chunk is another by now, or the ticket not valid any more.
  mutating func replace(
    _ version: Version, block: Int, ticket: ChunkTicket, with pieces: [PieceList.Piece], charge: Int,
    _ gone: inout Departures
  ) -> Bool {
    let slot = version.slot
    guard ticket.isValid, slot < table.slotsUsed, table.isUsed(slot), self.version(slot) == version,
      table[slot].token == ticket.token.number, table[slot].block == block
    else { return false }
    // The oldest birth wins: a chunk is as old as its oldest byte.
    put(pieces, charge, birth: min(table[slot].birth, ticket.birth.nanoseconds), at: slot, &gone)
    return true
  }

  private func version(_ slot: Int) -> Version {
    Version(slot: slot, backing: table.owner(slot).takeUnretainedValue())
  }

  /// What holds `pieces` in the table: the memory of the only one, or a list.
  ///
  /// - Returns: retained once.
  private static func backing(of pieces: [PieceList.Piece]) -> Unmanaged<BlockBacking> {
    let backing: BlockBacking
    let extent: Range<Int>
    if pieces.count == 1 {
      // What comes to be stored was claimed or copied: see `MemoryStore.owned`.
      backing = unsafeDowncast(pieces[0].bytes.owner!, to: BlockBacking.self)
      extent = pieces[0].range
    } else {
      let list = PieceList(pieces)
      extent = list.extent
      backing = .holding(list, count: extent.count)
    }
    let retained = Unmanaged.passRetained(backing)
    BlockBacking.note(of: retained).pointee.lower = UInt32(extent.lowerBound)
    return retained
  }

  private mutating func put(
    _ pieces: [PieceList.Piece], _ charge: Int, birth: Int64, at slot: Int, _ gone: inout Departures
  ) {
    let before = self.charge(slot)
    let isPinned = table[slot].isPinned
    let old = table.exchange(slot, for: Self.backing(of: pieces))
    table[slot].birth = birth
    table[slot].isPinned = isPinned
    // Its note is what it was: only the table's own reference has left.
    let replaced = chunk(old)
    gone.add(replaced, bytes: before)
    account(replaced.token, charge - before)
    if isPinned { pinnedBytes += charge - before } else { policy.reweigh(slot, weight: charge) }
  }

  private mutating func account(_ token: ChunkToken, _ charge: Int) {
    bytes += charge
    token.chargedBytes.wrappingAdd(charge, ordering: .relaxed)
  }

  /// What the table held, its reference taken over.
  private mutating func chunk(_ backing: Unmanaged<BlockBacking>) -> Chunk {
    let note = BlockBacking.note(of: backing).pointee
    let owner = backing.takeRetainedValue()
    let token = sources.token(note.token)
    let start = note.block << token.grid.shift
    let birth = ReadInstant(nanoseconds: note.birth)
    guard note.kind != .list else {
      let list = unsafeDowncast(Unmanaged<AnyObject>.fromOpaque(note.base).takeUnretainedValue(), to: PieceList.self)
      let pieces = list.pieces.map {
        ChunkPiece(start + $0.range.lowerBound..<start + $0.range.upperBound, $0.bytes)
      }
      withExtendedLifetime(owner) {}
      return Chunk(token: token, block: note.block, birth: birth, piece: pieces[0], morePieces: Array(pieces[1...]))
    }
    let bytes = Bytes(owner: owner, base: note.base, start: 0, count: Int(note.count))
    let piece = ChunkPiece(start + Int(note.lower)..<start + Int(note.upper), bytes)
    return Chunk(token: token, block: note.block, birth: birth, piece: piece, morePieces: [])
  }
}

// MARK: letting go

/// What has left a shard, and what that gives back to the accounts. Let go outside the lock.
struct Departures {
  var chunks: [Chunk] = []
  var bytes = 0
  var blocks = 0

  mutating func add(_ chunk: Chunk, bytes: Int) {
    chunks.append(chunk)
    self.bytes += bytes
    blocks += 1
  }
}

extension ShardState {
  /// Takes a chunk out. The policy must have forgotten it.
  ///
  /// - Returns: what it was charged.
  @discardableResult private mutating func takeOut(_ number: Int, _ gone: inout Departures) -> Int {
    let charge = self.charge(number)
    if table[number].isPinned { pinnedBytes -= charge }
    let chunk = chunk(table.remove(number))
    account(chunk.token, -charge)
    sources.remove(chunk.token.number)
    gone.add(chunk, bytes: charge)
    return charge
  }

  /// Takes a chunk out for another reason than to make room.
  @discardableResult mutating func erase(_ slot: Int, _ gone: inout Departures) -> Int {
    if !table[slot].isPinned { policy.remove(slot) }
    return takeOut(slot, &gone)
  }

  /// Evicts what the policy chooses until so many bytes and blocks have left, at most `most` chunks.
  mutating func evict(bytes: Int, blocks: Int, most: Int, _ gone: inout Departures) {
    var count = 0
    while gone.bytes < bytes || gone.blocks < blocks, count < most, let slot = policy.evict() {
      counts.evictedBytes += takeOut(slot, &gone)
      counts.evictions += 1
      count += 1
    }
  }

  /// Evicts chunks of one source, which has more than its share: the next ones that a hand meets in at most 64 steps.
  mutating func evict(of token: ChunkToken, bytes: Int, _ gone: inout Departures) {
    guard sources.contains(token.number) else { return }
    for _ in 0..<64 where gone.bytes < bytes && table.slotsUsed > 1 {
      let slot = ownHand < table.slotsUsed ? ownHand : 1
      ownHand = slot + 1
      guard table.isUsed(slot), table[slot].token == token.number, !table[slot].isPinned else { continue }
      counts.evictedBytes += erase(slot, &gone)
      counts.evictions += 1
    }
  }

  /// Takes out chunks of one token, found by looking each of `blocks` up.
  mutating func erase(_ token: ChunkToken, lookingUp blocks: Range<Int>, _ gone: inout Departures) {
    for block in blocks {
      let slot = table.find(
        token: token.number, block: block, hash: ChunkTable.hash(token: token.number, block: block))
      if slot != 0 { erase(slot, &gone) }
    }
  }

  /// Takes out chunks of one token, found by going through the next slots from `first` on.
  ///
  /// - Returns: where to go on, or `nil` at the end.
  mutating func erase(
    _ token: ChunkToken, _ blocks: Range<Int>, scanningFrom first: Int, _ gone: inout Departures
  ) -> Int? {
    guard sources.contains(token.number) else { return nil }
    return scan(from: first) { shard, slot in
      if shard.table[slot].token == token.number, blocks.contains(shard.table[slot].block) { shard.erase(slot, &gone) }
    }
  }

  /// Takes out all chunks among the next slots from `first` on.
  ///
  /// - Returns: where to go on, or `nil` at the end.
  mutating func eraseAll(from first: Int, _ gone: inout Departures) -> Int? {
    scan(from: first) { shard, slot in shard.erase(slot, &gone) }
  }

  /// Takes all chunks out at once, to be let go in steps.
  ///
  /// - Parameter fresh: the policy to go on with.
  mutating func detach(_ fresh: any EvictionPolicy) -> DetachedShard? {
    guard table.count > 0 else { return nil }
    var contents = ShardState(policy: fresh)
    contents.counts = counts
    contents.ageLimit = ageLimit
    contents.idleLimit = idleLimit
    swap(&self, &contents)
    return DetachedShard(contents)
  }

  /// Does something with the next slots in use: few enough for one hold of the lock.
  mutating func scan(from first: Int, _ body: (inout ShardState, Int) -> Void) -> Int? {
    let end = min(max(1, first) + 256, table.slotsUsed)
    for slot in max(1, first)..<max(1, first, end) where table.isUsed(slot) { body(&self, slot) }
    return end < table.slotsUsed ? end : nil
  }

  @inline(__always) func isExpired(_ slot: Int, _ now: Int64) -> Bool {
    // A clock that was set back makes what is kept no younger.
    if ageLimit != .max, now < table[slot].birth || now - table[slot].birth >= ageLimit { return true }
    return idleLimit != .max && slot < touched.count && now - touched[slot] >= idleLimit
  }

  private mutating func expire(_ slot: Int, _ gone: inout Departures) {
    counts.expiredBytes += erase(slot, &gone)
    counts.expirations += 1
  }

  /// Takes out what has expired among the next slots from `first` on.
  ///
  /// - Returns: where to go on, or `nil` at the end.
  mutating func sweep(from first: Int, now: Int64, _ gone: inout Departures) -> Int? {
    scan(from: first) { shard, slot in if shard.isExpired(slot, now) { shard.expire(slot, &gone) } }
  }

  mutating func touch(_ slot: Int, _ now: Int64) {
    guard idleLimit != .max else { return }
    if slot >= touched.count { touched.append(contentsOf: repeatElement(now, count: slot + 1 - touched.count)) }
    touched[slot] = now
  }

  mutating func limit(age: Int64, idle: Int64, now: Int64) {
    // What was never watched begins to be idle now.
    if idleLimit == .max, idle != .max { touched = Array(repeating: now, count: table.slotsUsed) }
    if idle == .max { touched = [] }
    ageLimit = age
    idleLimit = idle
  }

  /// Pins a chunk, or gives it back to the policy.
  mutating func pin(_ slot: Int, _ isPinned: Bool) {
    guard table[slot].isPinned != isPinned else { return }
    table[slot].isPinned = isPinned
    let charge = self.charge(slot)
    pinnedBytes += isPinned ? charge : -charge
    if isPinned {
      policy.remove(slot)
    } else {
      let hash = ChunkTable.hash(token: table[slot].token, block: table[slot].block)
      policy.insert(slot, key: hash, weight: charge)
    }
  }
}
