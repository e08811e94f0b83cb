import RangeIO

/// The chunks and removals that wait to be written to a spill directory, bounded in bytes. Chunks are found by key
/// until they can be found on the disk. Protected by its store's lock.
struct SpillStaging {
  /// The answer to a chunk that is offered.
  enum Offer: Equatable {
    /// It will be written.
    case taken
    /// It is already on the disk.
    case present
    /// It cannot be kept.
    case ineligible
    /// It came for the first time.
    case gated
    /// Too many wait, or the disk is sick.
    case dropped
    /// It was removed in between.
    case stale
    /// Its record is larger than a segment.
    case neverFits
  }

  struct Entry {
    let chunk: Chunk
    let slot: Int
    /// Counts up from 1. Distinguishes entries with the same key.
    let number: UInt64
    /// The memory that it uses, including this entry.
    let charge: Int
    /// It is written on trial, see ``SpillAdmission``.
    var isOnTrial = false
    var isBeingWritten = false
  }

  struct Removal {
    let slot: Int
    let blocks: Range<UInt64>
    /// Counts up from 1 in the order of the removals. A merged removal has the lowest number of its parts.
    var number: UInt64 = 0
  }

  /// The number of bytes that may be here. A lower limit applies to new chunks only.
  var limit: Int
  private(set) var bytes = 0
  private var entries: [UInt64: Entry] = [:]
  /// The entries that are not being written yet.
  private var order = TicketQueue<(key: UInt64, number: UInt64)>()
  /// The number of the last chunk that was taken.
  private(set) var lastNumber: UInt64 = 0
  /// The bytes of entries that are not being written yet.
  private(set) var waitingBytes = 0
  private(set) var removals: [Removal] = []
  /// Everything on the disk must be removed before anything else is written.
  private(set) var clears = false
  /// The number of the last removal that was noted.
  private(set) var lastRemoval: UInt64 = 0
  /// The removal number of ``clears``.
  private var clearing: UInt64 = 0

  /// The most removals that may wait, as long as most are of one source. Beyond that the whole source is removed, which
  /// only costs time.
  static let maxRemovals = 16_384
  /// The memory of an entry in addition to its bytes.
  static let overhead = 192

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }
  var isIdle: Bool { entries.isEmpty && removals.isEmpty && !clears }
  /// There is something that can be written now.
  var hasWork: Bool { waitingBytes > 0 || hasRemovals }
  /// There is something to remove on the disk.
  var hasRemovals: Bool { clears || !removals.isEmpty }

  subscript(key: UInt64) -> Entry? { entries[key] }

  func hasRoom(for chunk: Chunk) -> Bool { chunk.byteCount + Self.overhead <= limit - bytes }

  /// Adds a chunk under a key that none has. Returns false if there is no room.
  mutating func append(_ chunk: Chunk, slot: Int, key: UInt64, isOnTrial: Bool = false) -> Bool {
    let charge = chunk.byteCount + Self.overhead
    guard hasRoom(for: chunk) else { return false }
    lastNumber += 1
    entries[key] = Entry(chunk: chunk, slot: slot, number: lastNumber, charge: charge, isOnTrial: isOnTrial)
    order.append((key, lastNumber))
    order.compact { [entries] in entries[$0.key]?.number == $0.number }
    bytes += charge
    waitingBytes += charge
    return true
  }

  /// The chunks to write next: up to this many bytes, sorted by source and block.
  mutating func nextBatch(upTo most: Int) -> [(key: UInt64, entry: Entry)] {
    var batch: [(key: UInt64, entry: Entry)] = []
    var sum = 0
    while batch.isEmpty || sum < most,
      let (key, _) = order.first(where: { [entries] in entries[$0.key]?.number == $0.number })
    {
      order.removeFirst()
      entries[key]!.isBeingWritten = true
      let entry = entries[key]!
      waitingBytes -= entry.charge
      sum += entry.charge
      batch.append((key, entry))
    }
    batch.sort { $0.key < $1.key }
    return batch
  }

  /// Removes an entry that is on the disk now, or cannot be written. Returns the entry, unless it was already removed.
  mutating func finish(_ key: UInt64, _ number: UInt64) -> Entry? {
    guard let entry = entries[key], entry.number == number else { return nil }
    return take(key, entry)
  }

  private mutating func take(_ key: UInt64, _ entry: Entry) -> Entry {
    entries[key] = nil
    bytes -= entry.charge
    if !entry.isBeingWritten {
      waitingBytes -= entry.charge
      order.removed()
    }
    return entry
  }

  mutating func remove(where isMeant: (UInt64, Entry) -> Bool) -> [Entry] {
    entries.filter { isMeant($0.key, $0.value) }.map { take($0.key, $0.value) }
  }

  mutating func remove(_ key: UInt64) -> Entry? { entries[key].map { take(key, $0) } }

  // MARK: removals

  /// Notes a removal. Merges it with the previous one if they touch. Returns whether this adds one more removal, and
  /// the removals that it replaces.
  mutating func note(_ removal: Removal) -> (isOneMore: Bool, replaced: [Removal]) {
    lastRemoval += 1
    if let last = removals.last, last.slot == removal.slot, last.blocks.lowerBound <= removal.blocks.upperBound,
      removal.blocks.lowerBound <= last.blocks.upperBound
    {
      let lower = min(last.blocks.lowerBound, removal.blocks.lowerBound)
      let upper = max(last.blocks.upperBound, removal.blocks.upperBound)
      removals[removals.count - 1] = Removal(slot: last.slot, blocks: lower..<upper, number: last.number)
      return (false, [])
    }
    guard removals.count >= Self.maxRemovals else {
      removals.append(Removal(slot: removal.slot, blocks: removal.blocks, number: lastRemoval))
      return (true, [])
    }
    let replaced = removals.filter { $0.slot == removal.slot }
    removals.removeAll { $0.slot == removal.slot }
    let number = replaced.map(\.number).min() ?? lastRemoval
    removals.append(Removal(slot: removal.slot, blocks: 0..<SpillTable.maxBlock + 1, number: number))
    return (true, replaced)
  }

  /// Notes that everything must be removed. Returns the removals that need not be written down any more.
  mutating func noteClearing() -> [Removal] {
    lastRemoval += 1
    clearing = oldestRemoval ?? lastRemoval
    defer { (clears, removals) = (true, []) }
    return removals
  }

  /// The number of the first removal that is not on the disk.
  var oldestRemoval: UInt64? {
    let oldest = removals.lazy.map(\.number).min()
    return clears ? min(clearing, oldest ?? clearing) : oldest
  }

  /// The number of the first chunk that is not being written yet.
  var firstWaiting: UInt64? {
    mutating get { order.first { [entries] in entries[$0.key]?.number == $0.number }?.number }
  }

  /// Every chunk, to compare with a recount.
  var all: [UInt64: Entry] { entries }

  mutating func takeRemovals() -> (clears: Bool, removals: [Removal]) {
    defer { (clears, removals) = (false, []) }
    return (clears, removals)
  }

  /// Puts back removals that could not be written.
  mutating func putBack(_ taken: (clears: Bool, removals: [Removal])) {
    // Before anything that was noted since.
    if taken.clears { (clears, clearing) = (true, 0) }
    removals = taken.removals + removals
  }
}

/// The chunks and removals that wait to be written: which chunks are taken, found meanwhile, and taken back.
extension SpillState {
  /// Stages a chunk, or refuses it. `largest` is the largest record of its source that fits into a segment. Returns also
  /// an invalid chunk that it replaced: release it outside of the lock.
  mutating func offer(
    _ chunk: Chunk, of identity: SpillIdentity, isGated: Bool, largest: Int, now: ReadClock.Instant, wallNow: Int64
  ) -> (SpillStaging.Offer, SpillStaging.Entry?) {
    counts.offered += 1
    guard !isClosed, chunk.isValid else {
      counts.stale += 1
      return (.stale, nil)
    }
    guard SpillFormat.recordCount(payload: chunk.range.count) <= largest,
      chunk.byteCount + SpillStaging.overhead <= staging.limit
    else {
      counts.ineligible += 1
      return (.neverFits, nil)
    }
    // An append-only source is known here by the length it had at first: a record of a later part would have another
    // length than its block.
    guard chunk.range.count == identity.count(ofBlock: chunk.block) else {
      counts.ineligible += 1
      return (.ineligible, nil)
    }
    guard !isExpired(chunk, now: now) else {
      counts.ineligible += 1
      counts.expirations += 1
      return (.ineligible, nil)
    }
    let remembered = SpillTable.ghostKey(check: identity.check, block: chunk.block)
    if isGated, isFull { admission.saw(remembered, among: table.count) }
    let known = sources.binding(of: chunk.token.number)?.slot
    let found = known.map { table.find(source: $0, block: chunk.block) } ?? 0
    if found != 0, !isExpired(table[found], wallNow: wallNow) {
      counts.present += 1
      return (.present, nil)
    }
    var isOnTrial = false
    if isGated, isFull {
      let verdict = admission.judge(remembered, among: table.count)
      guard verdict != .refused else {
        counts.rejectedAdmission += 1
        return (.gated, nil)
      }
      isOnTrial = verdict == .onTrial
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
    var replaced: SpillStaging.Entry?
    if let old = staging[key] {
      guard !old.chunk.isValid else {
        counts.present += 1
        return (.taken, nil)
      }
      replaced = staging.remove(key)
      sources[slot].staged -= 1
      counts.stale += 1
    }
    guard staging.append(chunk, slot: slot, key: key, isOnTrial: isOnTrial) else {
      counts.dropped += 1
      return (.dropped, replaced)
    }
    sources[slot].staged += 1
    sources[slot].removed.remove(UInt64(chunk.block))
    return (.taken, replaced)
  }

  /// The waiting chunk of a block, if it may still be found.
  func waiting(_ source: Int, _ block: Int, now: ReadClock.Instant) -> SpillStaging.Entry? {
    guard staging.bytes > 0, let key = SpillTable.key(source: source, block: block), let entry = staging[key],
      entry.chunk.isValid, !isExpired(entry.chunk, now: now)
    else { return nil }
    return entry
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
    guard blocks.count < staging.count else { return unstage { $1.slot == slot && blocks.contains($1.chunk.block) } }
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

  mutating func noteClearing() { release(staging.noteClearing()) }

  /// Notes that removals were written down, or need not be.
  mutating func release(_ removals: [SpillStaging.Removal]) {
    for removal in removals { sources[removal.slot].removals -= 1 }
  }

  // MARK: flushes

  /// Notes a waiter for all that is here by now.
  mutating func note(flush answer: Promise<Void>) {
    flushes.append(.init(answer: answer, lastRemoval: staging.lastRemoval, lastChunk: staging.lastNumber))
  }

  /// Nothing waits to be written that came before it. Between two batches.
  mutating func isDue(_ flush: Flush) -> Bool {
    staging.firstWaiting ?? .max > flush.lastChunk && staging.oldestRemoval ?? .max > flush.lastRemoval
  }

  /// A flush is due while more may wait: it does not wait for what came after it.
  var hasFlushDue: Bool {
    mutating get {
      for flush in flushes where isDue(flush) { return true }
      return false
    }
  }
}
