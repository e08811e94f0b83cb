/// All that a spill store knows in memory. Under its lock nothing is read, written, encoded, or released that is large.
struct SpillState: ~Copyable {
  /// A segment that has a place.
  struct Place {
    var segment: SpillSegment
    /// Of records that are found, with their headers.
    var liveBytes = 0
    /// Of those among them that were read since they were written.
    var hitBytes = 0
    /// Segments go in this order: as they were made, but for those that were spared.
    var rank: UInt64
    /// Its length, or what is set aside for it.
    var length: Int
    var isSealed = false
    /// Whether it is being let go of.
    var isDraining = false
    /// The number of each source within it.
    var locals: [Int: UInt32] = [:]
    /// By slot, with the sequences below which they apply.
    var tombstones: [(slot: Int, blocks: Range<UInt64>, bound: UInt64)] = []
  }

  /// Who waits until what came before is written.
  struct Flush {
    let answer: Promise<Void>
    /// The last removal that came before.
    let lastRemoval: UInt64
  }

  var table = SpillTable()
  var sources = SpillSources()
  var places: [Place?] = []
  var staging: SpillStaging
  var ghost = Ghost()
  var counts = SpillCounts()
  var breaker: SpillBreaker
  /// Whether segments have had to go for others: then only what comes again is written.
  var isFull = false
  /// The segments that could not be read when the directory was opened, and are there, by their numbers: what is charged
  /// for them.
  var unread: [UInt64: Int] = [:]
  /// What files take that are of an older epoch, and could not be removed.
  var leftBytes = 0
  /// Whether a source was removed that one of those may hold: who waits for that next is told.
  var mayReturn = false
  /// Whether the blocks of outdated versions are being taken out.
  var isSweepingOutdated = false
  /// Whether removals could not be written for want of room: then what is well otherwise serves before they are.
  var lacksRoomToRemove = false
  /// Whether a thread writes.
  var isWriting = false
  /// Whether a timer will have what waits written.
  var isLingering = false
  /// Whether a timer will have removals written that could not be.
  var isRetrying = false
  /// Whether nothing more is taken.
  var isClosed = false
  /// Whether the directory is not ours any more: nothing in it may be changed.
  var isGivenUp = false
  /// Nothing is written until then.
  var writesPausedUntil: ReadInstant?
  /// The pause after the next failure to write.
  var writesPause: Duration = .seconds(5)
  /// Payloads of records that are found, and what they decode to.
  var storedBytes = 0
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  /// Given to a segment that is spared: counts up from the numbers that segments have.
  var lastRank: UInt64 = 0
  /// Who waits until all is written that came before.
  var flushes: [Flush] = []
  /// Why the last batch could not be written; `nil` if it was.
  var writeFailure: ReadError?
  /// Whether nothing is written because readers hold what would go: until one of them lets go, or the pause is over.
  var isHeldUp = false
  /// Who waits until the directory is given up.
  var closing: Promise<Void>?
  /// Why the disk failed last.
  var lastFailure: ReadError?

  init(stagingLimit: Int, rules: SpillBreaker.Rules) {
    staging = SpillStaging(limit: stagingLimit)
    breaker = SpillBreaker(rules: rules)
  }

  /// Whether what was removed while the disk was left alone is to be removed there before it serves again.
  var isToRemoveFirst: Bool { !breaker.isClosed && staging.hasRemovals && !lacksRoomToRemove }

  // MARK: places

  mutating func add(_ place: Place) -> UInt32 {
    if let free = places.firstIndex(where: { $0 == nil }) {
      places[free] = place
      return UInt32(free)
    }
    places.append(place)
    return UInt32(places.count - 1)
  }

  /// Whether readers hold segments: some that are there, or that went and count until they let go.
  mutating func isReadFrom(charged: Int) -> Bool {
    var known = SpillStore.fixedBytes + leftBytes + unread.values.reduce(0, +)
    for index in places.indices where places[index] != nil {
      if !isKnownUniquelyReferenced(&places[index]!.segment) { return true }
      known += places[index]!.segment.chargedBytes
    }
    return charged > known
  }

  /// The lowest number of a segment that is there.
  var oldestSegment: UInt64? { places.lazy.compactMap { $0?.segment.number }.min() }

  // MARK: records

  /// Enters a place for a block, in the stead of any that is known.
  mutating func set(_ source: Int, _ block: Int, _ record: SpillTable.Record) {
    if let before = table.set(source: source, block: block, record) { uncount(before, source) }
    places[Int(record.segment)]!.liveBytes += record.span
    if record.hits > 0 { places[Int(record.segment)]!.hitBytes += record.span }
    storedBytes += Int(record.stored)
    sources.add(source, stored: Int(record.stored), segment: places[Int(record.segment)]!.segment.number)
  }

  private mutating func uncount(_ record: SpillTable.Record, _ source: Int) {
    places[Int(record.segment)]!.liveBytes -= record.span
    if record.hits > 0 { places[Int(record.segment)]!.hitBytes -= record.span }
    storedBytes -= Int(record.stored)
    sources.remove(source, stored: Int(record.stored))
  }

  /// Takes a block out.
  mutating func remove(_ slot: UInt32) {
    let record = table[slot]
    uncount(record, record.source)
    table.remove(slot)
  }

  /// A block was found and is read.
  mutating func noteHit(_ slot: UInt32) {
    let record = table[slot]
    guard record.hits < SpillTable.Record.mostHits else { return }
    if record.hits == 0 { places[Int(record.segment)]!.hitBytes += record.span }
    table[slot].hits += 1
  }

  /// A block's segment was spared: it must be read again to be spared again.
  mutating func spendHit(_ slot: UInt32) {
    let record = table[slot]
    guard record.hits > 0 else { return }
    if record.hits == 1 { places[Int(record.segment)]!.hitBytes -= record.span }
    table[slot].hits -= 1
  }

  /// Takes out the blocks among so many slots from `first` that `isMeant`.
  ///
  /// - Returns: where to go on, and how many were taken out; no place at the end.
  mutating func sweep(
    from first: Int, _ isMeant: @Sendable (SpillTable.Record) -> Bool
  ) -> (next: Int?, removed: Int) {
    let end = min(first + Self.sweptAtOnce, table.slotsUsed)
    var removed = 0
    for slot in UInt32(first)..<UInt32(max(first, end)) where table[slot].isUsed && isMeant(table[slot]) {
      remove(slot)
      removed += 1
    }
    return (end < table.slotsUsed ? end : nil, removed)
  }
  static let sweptAtOnce = 4096

  /// A version is read, which makes those useless that nobody reads.
  ///
  /// - Returns: what waited to be written of them, to be let go of outside of the lock.
  mutating func outdate(othersThan identity: SpillIdentity) -> [SpillStaging.Entry] {
    sources.unreadVersions(besides: identity).flatMap { outdate($0) }
  }

  /// A version is not read any more: what is here of it goes, and cannot be found meanwhile since no token stands for it.
  ///
  /// - Returns: what waited to be written of it.
  mutating func outdate(_ slot: Int) -> [SpillStaging.Entry] {
    sources.setOutdated(slot, true)
    let staged = sources[slot].staged == 0 ? [] : unstage { $1.slot == slot }
    counts.stale += staged.count
    return staged
  }

  /// Whether somebody is to take out the blocks of outdated versions: the caller, from now on.
  mutating func beginSweepingOutdated() -> Bool {
    guard sources.outdatedBlocks > 0, !isSweepingOutdated else { return false }
    isSweepingOutdated = true
    return true
  }

  /// Takes out the blocks of outdated versions among so many slots from `first`.
  ///
  /// - Returns: where to go on; `nil` when there are no more, which ends the sweep.
  mutating func sweepOutdated(from first: Int) -> Int? {
    let end = min(first + Self.sweptAtOnce, table.slotsUsed)
    for slot in UInt32(first)..<UInt32(max(first, end))
    where table[slot].isUsed && sources[table[slot].source].isOutdated {
      remove(slot)
    }
    counts.sweptOutdated += max(0, end - first)
    guard sources.outdatedBlocks > 0 else {
      isSweepingOutdated = false
      return nil
    }
    // From the start again, for what became outdated behind this.
    return end < table.slotsUsed ? end : 1
  }

  // MARK: what waits

  /// What waits to be written of a block, if it may still be found.
  func waiting(_ source: Int, _ block: Int, now: ReadInstant) -> SpillStaging.Entry? {
    guard staging.bytes > 0, let key = SpillTable.key(source: source, block: block), let entry = staging[key],
      entry.chunk.ticket.isValid, !isExpired(entry.chunk, now: now)
    else { return nil }
    return entry
  }

  /// Enters a chunk to be written, unless one of its key is here that is still wanted.
  ///
  /// - Returns: false without room. And one that was not wanted any more, to be let go of outside of the lock.
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

  /// Takes out what waits, and what is being written, as far as `isMeant`. Whoever calls this counts why.
  mutating func unstage(where isMeant: (UInt64, SpillStaging.Entry) -> Bool) -> [SpillStaging.Entry] {
    let removed = staging.remove(where: isMeant)
    for entry in removed { sources[entry.slot].staged -= 1 }
    return removed
  }

  /// Takes out what waits of some blocks of a source. Whoever calls this counts why.
  mutating func unstage(_ slot: Int, _ blocks: Range<Int>) -> [SpillStaging.Entry] {
    guard sources[slot].staged > 0 else { return [] }
    guard blocks.count < staging.count else {
      return unstage { $1.slot == slot && blocks.contains($1.chunk.block) }
    }
    let removed = blocks.compactMap { SpillTable.key(source: slot, block: $0).flatMap { staging.remove($0) } }
    sources[slot].staged -= removed.count
    return removed
  }

  /// Takes an entry out that was written, or cannot be; `nil` if it was taken out meanwhile.
  mutating func unstage(_ key: UInt64, _ number: UInt64) -> SpillStaging.Entry? {
    guard let entry = staging.finish(key, number) else { return nil }
    sources[entry.slot].staged -= 1
    return entry
  }

  /// Notes a removal to be written down, unless an earlier one says it already. Until it is, its source is not forgotten.
  mutating func note(_ removal: SpillStaging.Removal) {
    guard !sources[removal.slot].removed.contains(removal.blocks) else { return }
    sources[removal.slot].removed.add(removal.blocks)
    let (isOneMore, replaced) = staging.note(removal)
    if isOneMore { sources[removal.slot].removals += 1 }
    release(replaced)
  }

  /// Notes that everything is to be removed.
  mutating func noteClearing() { release(staging.noteClearing()) }

  /// Removals were written down, or need not be.
  mutating func release(_ removals: [SpillStaging.Removal]) {
    for removal in removals { sources[removal.slot].removals -= 1 }
  }

  /// When what could not be written may be tried again.
  func nextTry(after now: ReadInstant) -> ReadInstant {
    let pauses = [writesPausedUntil, breaker.state == .open ? breaker.opensAgainAt : nil].compactMap { $0 }
    return max(pauses.max() ?? now, now.advanced(by: .seconds(1)))
  }

  // MARK: time

  /// Whether a chunk of the tiers above is too old.
  func isExpired(_ chunk: Chunk, now: ReadInstant) -> Bool {
    guard ageLimit != .max else { return false }
    return now < chunk.fetchedAt || now.nanoseconds - chunk.fetchedAt.nanoseconds >= ageLimit
  }

  /// Whether a chunk born then is too old now. A clock that was set back makes it so, too.
  func isExpired(_ fetchedAt: Int64, wallNow: Int64) -> Bool {
    guard ageLimit != .max else { return false }
    return fetchedAt > wallNow || wallNow - fetchedAt >= ageLimit
  }
}
