/// What waits to be written: which chunks are taken, found meanwhile, and taken back; and removals.
extension SpillState {
  /// Stages a chunk, or refuses it.
  ///
  /// - Parameters:
  ///   - isGated: whether a full store takes only what comes for the second time.
  ///   - largest: the largest record of this source that fits into a segment.
  /// - Returns: also an invalid chunk that it replaced: release it outside of the lock.
  mutating func offer(
    _ chunk: Chunk, of identity: SpillIdentity, isGated: Bool, largest: Int, now: ReadInstant, wallNow: Int64
  ) -> (SpillStore.Offer, SpillStaging.Entry?) {
    counts.offered += 1
    guard !isClosed, chunk.ticket.isValid else {
      counts.stale += 1
      return (.stale, nil)
    }
    guard SpillFormat.recordCount(payload: chunk.piece.range.count) <= largest,
      chunk.byteCount + SpillStaging.overhead <= staging.limit
    else {
      counts.ineligible += 1
      return (.neverFits, nil)
    }
    // An append-only source is known here by the length it had at first: a record of a later part would have another
    // length than its block.
    guard chunk.piece.range.count == identity.count(ofBlock: chunk.block) else {
      counts.ineligible += 1
      return (.ineligible, nil)
    }
    guard !isExpired(chunk, now: now) else {
      counts.ineligible += 1
      counts.expirations += 1
      return (.ineligible, nil)
    }
    let known = sources.binding(of: chunk.token.number)?.slot
    let found = known.map { table.find(source: $0, block: chunk.block) } ?? 0
    if found != 0,
      !isExpired(table[found].birthMilliseconds * 1_000_000, wallNow: wallNow)
    {
      counts.present += 1
      return (.taken, nil)
    }
    if isGated, isFull {
      let fingerprint = Ghost.fingerprint(of: SpillTable.ghostKey(check: identity.check, block: chunk.block))
      guard ghost.remove(fingerprint) else {
        ghost.insert(fingerprint, limit: max(16, table.count))
        counts.gated += 1
        return (.gated, nil)
      }
    }
    // Writing may also try a sick disk, since there may be nothing yet to read.
    guard breaker.lets(now: now), writesPausedUntil.map({ now >= $0 }) ?? true else {
      counts.dropped += 1
      return (.dropped, nil)
    }
    // A source is entered with its first chunk, but not for a chunk that finds no room.
    guard known != nil || staging.hasRoom(for: chunk),
      let slot = sources.enter(sourceOf: chunk.token.number),
      let key = SpillTable.key(source: slot, block: chunk.block)
    else {
      counts.dropped += 1
      return (.dropped, nil)
    }
    let (isTaken, replaced) = stage(chunk, slot: slot, key: key)
    return (isTaken ? .taken : .dropped, replaced)
  }

  /// The waiting chunk of a block, if it may still be found.
  func waiting(_ source: Int, _ block: Int, now: ReadInstant) -> SpillStaging.Entry? {
    guard staging.bytes > 0, let key = SpillTable.key(source: source, block: block), let entry = staging[key],
      entry.chunk.ticket.isValid, !isExpired(entry.chunk, now: now)
    else { return nil }
    return entry
  }

  /// Queues a chunk to be written, unless a valid one with the same key is here.
  ///
  /// - Returns: false without room. Also an invalid chunk that it replaced: release it outside of the lock.
  mutating func stage(
    _ chunk: Chunk, slot: Int, key: UInt64
  ) -> (isTaken: Bool, replaced: SpillStaging.Entry?) {
    var replaced: SpillStaging.Entry?
    if let old = staging[key] {
      guard !old.chunk.ticket.isValid else {
        counts.present += 1
        return (true, nil)
      }
      replaced = staging.remove(key)
      sources[slot].staged -= 1
      counts.stale += 1
    }
    guard staging.append(chunk, slot: slot, key: key) else {
      counts.dropped += 1
      return (false, replaced)
    }
    sources[slot].staged += 1
    sources[slot].removed.remove(UInt64(chunk.block))
    return (true, replaced)
  }

  /// Removes waiting chunks, and chunks being written, for which `isMeant` returns true. The caller counts the reason.
  mutating func unstage(where isMeant: (UInt64, SpillStaging.Entry) -> Bool) -> [SpillStaging.Entry] {
    let removed = staging.remove(where: isMeant)
    for entry in removed { sources[entry.slot].staged -= 1 }
    return removed
  }

  /// Removes the waiting chunks of some blocks of a source. The caller counts the reason.
  mutating func unstage(_ slot: Int, _ blocks: Range<Int>) -> [SpillStaging.Entry] {
    guard sources[slot].staged > 0 else { return [] }
    guard blocks.count < staging.count else {
      return unstage { $1.slot == slot && blocks.contains($1.chunk.block) }
    }
    let removed = blocks.compactMap { SpillTable.key(source: slot, block: $0).flatMap { staging.remove($0) } }
    sources[slot].staged -= removed.count
    return removed
  }

  /// Removes an entry that was written, or cannot be written; `nil` if it was removed in between.
  mutating func unstage(_ key: UInt64, _ number: UInt64) -> SpillStaging.Entry? {
    guard let entry = staging.finish(key, number) else { return nil }
    sources[entry.slot].staged -= 1
    return entry
  }

  // MARK: removals

  /// Notes a removal to be written down, unless an earlier one covers it. Its source is not forgotten until then.
  mutating func note(_ removal: SpillStaging.Removal) {
    guard !sources[removal.slot].removed.contains(removal.blocks) else { return }
    sources[removal.slot].removed.add(removal.blocks)
    let (isOneMore, replaced) = staging.note(removal)
    if isOneMore { sources[removal.slot].removals += 1 }
    release(replaced)
  }

  /// Notes that everything must be removed.
  mutating func noteClearing() { release(staging.noteClearing()) }

  /// Notes that removals were written down, or need not be.
  mutating func release(_ removals: [SpillStaging.Removal]) {
    for removal in removals { sources[removal.slot].removals -= 1 }
  }
}
