/// The memory of chunks that left a shard, and the charge that it gives back. Release it outside the lock. Not copied, which
/// would count references to each.
struct EvictedChunks: ~Copyable {
  /// Inline: most insertions evict one chunk.
  private var first: Unmanaged<BlockBacking>?
  private var more: [Unmanaged<BlockBacking>] = []
  var bytes = 0
  var blocks = 0
  /// A source that stays charged for what leaves of it, since more of it comes at once; 0: none.
  var stayingCharged: UInt64 = 0
  /// The part of ``bytes`` for which it stays charged. Who named the source uses it or gives it back.
  var stillCharged = 0

  var count: Int { first == nil ? 0 : more.count + 1 }

  /// Takes over the reference.
  mutating func add(_ memory: Unmanaged<BlockBacking>, bytes: Int) {
    if first == nil { first = memory } else { more.append(memory) }
    self.bytes += bytes
    blocks += 1
  }

  deinit { if let first { Hazards.release(first, more) } }
}

extension ShardState {
  /// Removes a chunk. The policy must have forgotten it already. Returns its charge.
  @discardableResult private mutating func takeOut(_ number: Int, _ gone: inout EvictedChunks) -> Int {
    let charge = self.charge(number)
    let token = table[number].token
    if table[number].isPinned { notePinned(-charge, table[number].pins) }
    gone.add(table.remove(number), bytes: charge)
    if token == gone.stayingCharged {
      bytes -= charge
      gone.stillCharged += charge
    } else {
      account(-charge, token)
    }
    sources.remove(token)
    return charge
  }

  /// Removes a chunk for a reason other than making room.
  @discardableResult mutating func erase(_ slot: Int, _ gone: inout EvictedChunks) -> Int {
    if !table[slot].isPinned { policy.lose(slot, table.notes) }
    return takeOut(slot, &gone)
  }

  /// Evicts what the policy chooses until this many bytes and blocks have left, or `most` chunks. `outlet`: receives
  /// the chunks as they leave.
  mutating func evict(bytes: Int, blocks: Int, most: Int, _ gone: inout EvictedChunks, to outlet: (any EvictionSink)?) {
    let first = gone.count
    var leaving: [Chunk] = []
    while gone.bytes < bytes || gone.blocks < blocks, gone.count - first < most, let slot = policy.evict(table.notes) {
      // A policy may be the user's.
      precondition(slot > 0 && slot < table.slotsUsed && table.isUsed(slot), "a policy evicts what is not there")
      if outlet != nil { leaving.append(chunk(slot)) }
      counts.evictedBytes += takeOut(slot, &gone)
      counts.evictions += 1
    }
    if let outlet { Self.hand(leaving, to: outlet) }
  }

  /// Sends evicted chunks on under the lock, so that they can always be found somewhere.
  private static func hand(_ chunks: [Chunk], to outlet: any EvictionSink) {
    guard !chunks.isEmpty else { return }
    for chunk in chunks {
      for piece in chunk.pieces { BlockBacking.disown(piece.bytes) }
    }
    outlet.take(chunks[...])
  }

  /// Evicts chunks of one source that exceeds its share: the next ones that a hand finds in at most 64 steps.
  mutating func evict(of token: ChunkToken, bytes: Int, _ gone: inout EvictedChunks, to outlet: (any EvictionSink)?) {
    guard sources.contains(token.number) else { return }
    var leaving: [Chunk] = []
    for _ in 0..<64 where gone.bytes < bytes && table.slotsUsed > 1 {
      let slot = ownHand < table.slotsUsed ? ownHand : 1
      ownHand = slot + 1
      guard table.isUsed(slot), table[slot].token == token.number, !table[slot].isPinned else { continue }
      if outlet != nil { leaving.append(chunk(slot)) }
      counts.evictedBytes += erase(slot, &gone)
      counts.evictions += 1
    }
    if let outlet { Self.hand(leaving, to: outlet) }
  }

  /// Removes chunks of one token by looking up each of `blocks`.
  mutating func erase(_ token: ChunkToken, lookingUp blocks: Range<Int>, _ gone: inout EvictedChunks) {
    for block in blocks {
      let slot = table.find(
        token: token.number, block: block, hash: ChunkTable.hash(token: token.number, block: block))
      if slot != 0 { erase(slot, &gone) }
    }
  }

  /// Removes chunks of one token by going through the next slots from `first` on. Returns where to continue, or `nil`
  /// at the end.
  mutating func erase(
    _ token: ChunkToken, _ blocks: Range<Int>, scanningFrom first: Int, _ gone: inout EvictedChunks
  ) -> Int? {
    guard sources.contains(token.number) else { return nil }
    return scan(from: first) { shard, slot in
      if shard.table[slot].token == token.number, blocks.contains(shard.table[slot].block) { shard.erase(slot, &gone) }
    }
  }

  /// Removes all chunks among the next slots from `first` on. Returns where to continue, or `nil` at the end.
  mutating func eraseAll(from first: Int, _ gone: inout EvictedChunks) -> Int? {
    scan(from: first) { shard, slot in shard.erase(slot, &gone) }
  }

  /// Takes out all chunks at once, to be freed in steps. `fresh`: the policy to use from now on.
  mutating func detach(_ fresh: any EvictionPolicy) -> DetachedShard? {
    guard table.count > 0 else { return nil }
    var contents = ShardState(policy: fresh, tuner: tuner, memory: memory)
    contents.counts = counts
    contents.ageLimit = ageLimit
    contents.idleLimit = idleLimit
    swap(&self, &contents)
    return DetachedShard(contents)
  }

  /// Calls `body` for the next used slots: few enough to hold the lock only briefly.
  mutating func scan(from first: Int, _ body: (inout ShardState, Int) -> Void) -> Int? {
    let end = min(max(1, first) + 256, table.slotsUsed)
    for slot in max(1, first)..<max(1, first, end) where table.isUsed(slot) { body(&self, slot) }
    return end < table.slotsUsed ? end : nil
  }

  @inline(__always) func isExpired(_ slot: Int, _ now: Int64) -> Bool {
    if AgeLimit.isReached(ageLimit, fetchedAt: table[slot].fetchedAt, now: now) { return true }
    return idleLimit != .max && slot < touched.count && now - touched[slot] >= idleLimit
  }

  mutating func expire(_ slot: Int, _ gone: inout EvictedChunks) {
    counts.expiredBytes += erase(slot, &gone)
    counts.expirations += 1
  }

  /// Removes expired chunks among the next slots from `first` on. Returns where to continue, or `nil` at the end.
  mutating func sweep(from first: Int, now: Int64, _ gone: inout EvictedChunks) -> Int? {
    scan(from: first) { shard, slot in if shard.isExpired(slot, now) { shard.expire(slot, &gone) } }
  }

  mutating func touch(_ slot: Int, _ now: Int64) {
    guard idleLimit != .max else { return }
    if slot >= touched.count { touched.append(contentsOf: repeatElement(now, count: slot + 1 - touched.count)) }
    touched[slot] = now
  }

  mutating func limit(age: Int64, idle: Int64, now: Int64) {
    // Chunks that were not tracked before start being idle now.
    if idleLimit == .max, idle != .max { touched = Array(repeating: now, count: table.slotsUsed) }
    if idle == .max { touched = [] }
    ageLimit = age
    idleLimit = idle
  }

  /// Sets why a chunk stays, or gives it back to the policy.
  ///
  /// What was read ahead is told as if it was read only now, for the first time: so it would be if nothing was read ahead.
  mutating func pin(_ slot: Int, _ pins: BlockBacking.Pins) {
    let before = table[slot].pins
    guard before != pins else { return }
    table[slot].pins = pins
    let charge = self.charge(slot)
    notePinned(-charge, before)
    notePinned(charge, pins)
    if before.isEmpty {
      policy.remove(slot, table.notes)
    } else if pins.isEmpty {
      let hash = ChunkTable.hash(token: table[slot].token, block: table[slot].block)
      if before == .ahead {
        enter(slot, key: hash, weight: charge)
      } else {
        tell(slot, key: hash, weight: charge, isRead: false)
      }
    }
  }

  /// Counts `charge` more bytes that stay for these reasons.
  mutating func notePinned(_ charge: Int, _ pins: BlockBacking.Pins) {
    guard !pins.isEmpty else { return }
    pinnedBytes += charge
    if pins == .ahead { aheadBytes += charge }
  }

  /// The reader of a block that was read ahead has passed it, if it is here.
  mutating func release(_ token: UInt64, _ block: Int) {
    let slot = table.find(token: token, block: block, hash: ChunkTable.hash(token: token, block: block))
    if slot != 0 { pin(slot, table[slot].pins.subtracting(.ahead)) }
  }
}
