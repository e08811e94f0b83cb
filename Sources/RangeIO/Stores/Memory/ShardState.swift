import Synchronization

/// The contents of one shard: the table, the policy, the counters. Everything here happens under the shard's lock.
/// Nothing waits, copies bytes or releases memory: what leaves is returned to the caller, who releases it.
struct ShardState: ~Copyable {
  var table: ChunkTable
  var policy: ShardPolicy
  /// The memory of the table's index.
  let memory: IndexMemory
  /// Consulted after every few insertions; `nil` if the policy is fixed.
  let tuner: SharedTuner?
  private var insertionsUntilConsultation = SelfTuned.insertionsPerConsultation
  var sources = ShardSources()
  var counts = MemoryCounts()
  /// The charge of all chunks, of those that stay, and of those that stay only since they were read ahead.
  var bytes = 0
  var pinnedBytes = 0
  var aheadBytes = 0
  /// When each slot was last read, in nanoseconds; empty if there is no idle limit.
  var touched: [Int64] = []
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  var idleLimit = Int64.max
  /// Where the search for a victim among one source's chunks continues.
  var ownHand = 1

  init(policy: any EvictionPolicy, tuner: SharedTuner?, memory: IndexMemory) {
    table = ChunkTable(memory)
    self.memory = memory
    self.policy = ShardPolicy(policy)
    self.tuner = tuner
  }

  /// The bytes that could be evicted.
  var evictableBytes: Int { bytes - pinnedBytes }

  /// Tells the policy of a new chunk.
  mutating func enter(_ slot: Int, key: UInt64, weight: Int) {
    tell(slot, key: key, weight: weight)
    guard let tuner else { return }
    insertionsUntilConsultation -= 1
    guard insertionsUntilConsultation == 0 else { return }
    // If another shard's policy has the tuner, with the next insertion.
    insertionsUntilConsultation = tuner.advise(&policy) ? SelfTuned.insertionsPerConsultation : 1
  }

  /// Tells the policy of a chunk, and readers without the lock at which level its reads are sampled.
  ///
  /// - Parameter isRead: `false` for a chunk that was here all the time.
  mutating func tell(_ slot: Int, key: UInt64, weight: Int, isRead: Bool = true) {
    policy.insert(slot, key: key, weight: weight, isRead: isRead, table.notes)
    BlockBacking.reads(of: table.note(slot)).pointee.store(policy.level(slot), ordering: .relaxed)
  }
}

extension ShardState {
  /// The part of a block that a shard holds.
  enum Found {
    case whole(Bytes)
    case pieces(PieceList)
    /// One piece, and the part of the block that it covers.
    case part(Bytes, Range<Int>)
    case nothing
  }

  /// The slot of a chunk that has not expired, or 0. An expired chunk is removed and appended to `gone`.
  @inline(__always) mutating func find(
    _ token: UInt64, _ block: Int, _ hash: UInt64, now: Int64, _ gone: inout EvictedChunks
  ) -> Int {
    let slot = table.find(token: token, block: block, hash: hash)
    if slot != 0, now != .min, isExpired(slot, now) {
      expire(slot, &gone)
      return 0
    }
    return slot
  }

  /// The bytes of a part of a block, if they are one piece, of a read that was left to the lock. Counts nothing else.
  mutating func hit(_ token: UInt64, _ block: Int, _ hash: UInt64, _ wanted: Range<Int>) -> Bytes? {
    let number = table.find(token: token, block: block, hash: hash)
    guard number != 0, table[number].kind != .list, Int(table[number].lower) <= wanted.lowerBound,
      wanted.upperBound <= Int(table[number].upper)
    else { return nil }
    if !table[number].isPinned { policy.hit(number, table.notes) }
    counts.hits += 1
    counts.hitBytes += wanted.count
    return bytes(number, wanted)
  }

  /// The bytes of `part` of a block. All of them must be in the slot's one piece.
  @inline(__always) private func bytes(_ number: Int, _ part: Range<Int>) -> Bytes {
    let start = UnsafeRawPointer(table[number].base) + (part.lowerBound - Int(table[number].lower))
    return Bytes(owner: table.owner(number).takeUnretainedValue(), base: start, start: 0, count: part.count)
  }

  /// The list in a slot that has a list.
  private func list(_ number: Int) -> PieceList {
    unsafeDowncast(Unmanaged<AnyObject>.fromOpaque(table[number].base).takeUnretainedValue(), to: PieceList.self)
  }

  func charge(_ number: Int) -> Int {
    guard table[number].kind == .list else { return MemoryStore.charge(of: Int(table[number].count)) }
    return MemoryStore.charge(of: list(number).pieces)
  }

  /// Looks up a block.
  ///
  /// - Parameters:
  ///   - wanted: the range within the block.
  ///   - now: `.min` if there are no time limits.
  @inline(__always) mutating func lookUp(
    _ token: UInt64, _ block: Int, _ hash: UInt64, _ wanted: Range<Int>, now: Int64, _ gone: inout EvictedChunks
  ) -> Found {
    let number = find(token, block, hash, now: now, &gone)
    guard number != 0 else { return .nothing }
    if now != .min { touch(number, now) }
    let lower = Int(table[number].lower)
    let upper = Int(table[number].upper)
    guard wanted.lowerBound < upper, lower < wanted.upperBound else { return .nothing }
    if !table[number].isPinned { policy.hit(number, table.notes) }
    guard table[number].kind != .list else { return .pieces(list(number)) }
    if lower <= wanted.lowerBound, wanted.upperBound <= upper { return .whole(bytes(number, wanted)) }
    let part = max(lower, wanted.lowerBound)..<min(upper, wanted.upperBound)
    return .part(bytes(number, part), part)
  }

  /// The present parts of a block. Does not count as a read.
  func coverage(_ token: UInt64, _ block: Int, _ hash: UInt64, now: Int64) -> [Range<Int>] {
    let slot = table.find(token: token, block: block, hash: hash)
    guard slot != 0, now == .min || !isExpired(slot, now) else { return [] }
    return pieces(slot).map(\.range)
  }

  func pieces(_ slot: Int) -> [PieceList.Piece] {
    guard table[slot].kind != .list else { return list(slot).pieces }
    let range = Int(table[slot].lower)..<Int(table[slot].upper)
    return [.init(range: range, bytes: bytes(slot, range))]
  }

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

  /// Copies of the chunks in the next slots from `first` on, and where to continue.
  mutating func residents(from first: Int, now: Int64) -> ([Chunk], Int?) {
    let end = min(max(1, first) + 64, table.slotsUsed)
    var chunks: [Chunk] = []
    for slot in max(1, first)..<max(1, first, end)
    where table.isUsed(slot) && (now == .min || !isExpired(slot, now)) {
      chunks.append(chunk(slot))
    }
    return (chunks, end < table.slotsUsed ? end : nil)
  }
}
