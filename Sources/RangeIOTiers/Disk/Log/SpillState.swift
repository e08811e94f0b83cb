import RangeIO

/// Everything that a spill store knows in memory. While its lock is held, nothing is read, written or encoded, and
/// nothing large is released.
package struct SpillState: ~Copyable {
  /// A removal that was written down: the blocks of a source, by its slot, and the sequence below which it applies.
  typealias Tombstone = (slot: Int, blocks: Range<UInt64>, bound: UInt64)

  /// A segment in the list of places.
  package struct Place {
    var segment: SpillSegment
    /// The size of live records, including headers.
    package var liveBytes = 0
    /// The part of them that was read since it was written.
    var hitBytes = 0
    /// The order in which segments are freed: the order of creation, except for segments that were spared.
    var rank: UInt64
    /// The length of the file, or its preallocated size.
    var length: Int
    var isSealed = false
    var isDraining = false
    /// The number of each source within the segment.
    var locals: [Int: UInt32] = [:]
    /// By slot, with the sequences below which they apply.
    var tombstones: [Tombstone] = []
  }

  /// A waiter for everything that came before it to be written.
  struct Flush {
    let answer: Promise<Void>
    /// The last removal before the flush.
    let lastRemoval: UInt64
    /// The last chunk before the flush.
    let lastChunk: UInt64
  }

  package var table = SpillTable()
  package var sources = SpillSources()
  package var places: [Place?] = []
  var staging: SpillStaging
  var admission = SpillAdmission()
  /// The store chooses by itself whether blocks are compressed.
  let choosesCodec: Bool
  /// Its choice.
  var codecChoice = SpillCodecChoice()
  /// The counts kept here; ``counts(_:)`` fills in the rest.
  var counts = DiskCounts()
  /// Index places that were checked for blocks of outdated versions. For tests.
  var sweptOutdated = 0
  var breaker: SpillBreaker
  /// There is room for more only when segments are freed. Then only blocks that come again are written. Not set where
  /// other processes have filled a limit that is shared: they may end.
  var isFull = false
  /// The segments that exist but could not be read when the directory was opened, by number, with the bytes charged for
  /// them.
  var unread: [UInt64: Int] = [:]
  /// Those of them that are encrypted with a key that is not there.
  var otherKeys: Set<UInt64> = []
  /// The files of an older epoch that could not be removed, by number, with the bytes charged for them.
  var outdated: [UInt64: Int] = [:]
  /// A source was removed that one of those segments may hold. The next flush then fails.
  var mayReturn = false
  var isSweepingOutdated = false
  /// Removals could not be written because there is no room. Then a disk that is otherwise healthy is used before they are written.
  var lacksRoomToRemove = false
  /// Nothing is written because the disk has too little free space.
  var lacksFreeSpace = false
  var isWriting = false
  /// A timer will start writing what waits.
  var isLingering = false
  /// A timer will retry removals that could not be written.
  var isRetrying = false
  /// Nothing more is taken.
  var isClosed = false
  /// Everything was removed from memory, because the store was closed.
  private(set) var isForgotten = false
  /// The directory is no longer ours: nothing in it may be changed.
  var isGivenUp = false
  /// Nothing is written before this time.
  var writesPausedUntil: ReadClock.Instant?
  /// The pause after the next failed write.
  var writesPause: Duration = .seconds(5)
  /// The payload size of live records.
  var storedBytes = 0
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  /// The last rank given to a new or spared segment. Counts up from the numbers of the segments.
  var lastRank: UInt64 = 0
  /// Waiters for everything before them to be written.
  var flushes: [Flush] = []
  /// Why the last batch could not be written; `nil` if it was written.
  var writeFailure: ReadError?
  /// Writing is paused because readers hold the segments to free: until a reader releases one, or the pause is over.
  var isHeldUp = false
  /// The waiters for the directory to be closed.
  var closings: [Promise<Void>] = []
  var lastFailure: ReadError?

  /// Of a directory that is only looked at.
  package init() { self.init(stagingLimit: 0, rules: .init()) }

  init(stagingLimit: Int, rules: SpillBreaker.Rules, choosesCodec: Bool = false) {
    self.choosesCodec = choosesCodec
    staging = SpillStaging(limit: stagingLimit)
    breaker = SpillBreaker(rules: rules)
  }

  /// Removals made while the disk was not in use must be written before it serves again.
  var isToRemoveFirst: Bool { !breaker.isClosed && staging.hasRemovals && !lacksRoomToRemove }

  /// Returns the counts, with what is here now or was here when the store was closed.
  func counts(_ ledger: SpillLedger) -> DiskCounts {
    var all = counts
    guard !isForgotten else { return all }
    all.blocks = table.count
    all.storedBytes = storedBytes
    all.sources = sources.count
    all.segments = places.count { $0 != nil } + unread.count
    all.segmentsLeftOut = unread.count
    all.segmentsOfOtherKeys = otherKeys.count { unread[$0] != nil }
    all.indexBytes = table.byteCount + admission.byteCount + sources.byteCount
    all.stagedBytes = staging.bytes
    all.bytes = ledger.bytes
    if choosesCodec { all.choice = codecChoice }
    all.lacksFreeSpace = lacksFreeSpace
    all.breaker = breaker.state
    all.breakerOpenings = breaker.openings
    all.breakerClosings = breaker.closings
    return all
  }

  /// Removes everything from memory: the store is closed. Returns what the caller must release outside of the lock.
  mutating func forgetAll(_ ledger: SpillLedger) -> (places: [Place?], staging: SpillStaging) {
    counts.dropped += staging.count
    let all = (places, staging)
    staging = SpillStaging(limit: staging.limit)
    counts = counts(ledger)
    isForgotten = true
    table = SpillTable()
    sources = SpillSources()
    places = []
    storedBytes = 0
    admission = SpillAdmission()
    return all
  }

  // MARK: places

  mutating func add(_ place: Place) -> UInt32 {
    if let free = places.firstIndex(where: { $0 == nil }) {
      places[free] = place
      return UInt32(free)
    }
    places.append(place)
    return UInt32(places.count - 1)
  }

  /// Checks whether readers hold segments: existing ones, or removed ones that count until they are released.
  mutating func isReadFrom(charged: Int) -> Bool {
    var known = SpillFormat.fixedBytes + outdatedBytes + unread.values.reduce(0, +)
    for index in places.indices where places[index] != nil {
      if !isKnownUniquelyReferenced(&places[index]!.segment) { return true }
      known += places[index]!.segment.chargedBytes
    }
    return charged > known
  }

  var outdatedBytes: Int { outdated.values.reduce(0, +) }

  var oldestSegment: UInt64? { places.lazy.compactMap { $0?.segment.number }.min() }

  // MARK: records

  /// Enters the place of a block. Replaces the known one, if any.
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

  mutating func remove(_ slot: UInt32) {
    let record = table[slot]
    uncount(record, record.source)
    table.remove(slot)
  }

  /// Notes that a block was found and is read.
  mutating func noteHit(_ slot: UInt32) {
    let record = table[slot]
    if record.reads < SpillTable.Record.maxReads { table[slot].reads += 1 }
    guard record.hits < SpillTable.Record.maxHits else { return }
    if record.hits == 0 { places[Int(record.segment)]!.hitBytes += record.span }
    table[slot].hits += 1
  }

  /// Takes a hit from a block whose segment was spared: it must be read again to be spared again.
  mutating func spendHit(_ slot: UInt32) {
    let record = table[slot]
    guard record.hits > 0 else { return }
    if record.hits == 1 { places[Int(record.segment)]!.hitBytes -= record.span }
    table[slot].hits -= 1
  }

  /// The slots of the index that are examined at once, from `first` on, and where to continue; `nil` at the end.
  func part(from first: Int) -> (slots: Range<UInt32>, next: Int?) {
    let end = min(first + Self.sweptAtOnce, table.slotsUsed)
    return (UInt32(first)..<UInt32(max(first, end)), end < table.slotsUsed ? end : nil)
  }
  static let sweptAtOnce = 4096

  /// Removes the blocks for which `isMeant` returns true from some slots. Returns how many were removed.
  mutating func remove(from slots: Range<UInt32>, _ isMeant: (SpillTable.Record) -> Bool) -> Int {
    let before = table.count
    for slot in slots where table[slot].isUsed && isMeant(table[slot]) { remove(slot) }
    return before - table.count
  }

  /// A version is read now. This makes the versions that are not read useless. Returns their chunks that waited to be
  /// written. Release them outside of the lock.
  mutating func outdate(othersThan identity: SpillIdentity) -> [SpillStaging.Entry] {
    sources.unreadVersions(besides: identity).flatMap { outdate($0) }
  }

  /// A version is no longer read. Its blocks will be removed; until then they cannot be found, since no token stands
  /// for it. Returns its chunks that waited to be written.
  mutating func outdate(_ slot: Int) -> [SpillStaging.Entry] {
    sources.setOutdated(slot, true)
    let staged = sources[slot].staged == 0 ? [] : unstage { $1.slot == slot }
    counts.stale += staged.count
    return staged
  }

  /// Returns `true` if the caller must now remove the blocks of outdated versions.
  mutating func beginSweepingOutdated() -> Bool {
    guard sources.outdatedBlocks > 0, !isSweepingOutdated else { return false }
    isSweepingOutdated = true
    return true
  }

  /// Examines some slots from `first` on, and removes blocks of outdated versions. Returns where to continue; `nil`
  /// when there are no more, which ends the sweep.
  mutating func sweepOutdated(from first: Int) -> Int? {
    let (slots, next) = part(from: first)
    for slot in slots where table[slot].isUsed && sources[table[slot].source].isOutdated { remove(slot) }
    sweptOutdated += slots.count
    guard sources.outdatedBlocks > 0 else {
      isSweepingOutdated = false
      return nil
    }
    // From the start again, for versions that became outdated behind this point.
    return next ?? 1
  }

  // MARK: time

  /// When to retry what could not be written.
  func nextTry(after now: ReadClock.Instant) -> ReadClock.Instant {
    let pauses = [writesPausedUntil, breaker.state == .open ? breaker.opensAgainAt : nil].compactMap { $0 }
    return max(pauses.max() ?? now, now.advanced(by: .seconds(1)))
  }

  /// Checks whether a chunk of the tiers above is too old.
  func isExpired(_ chunk: Chunk, now: ReadClock.Instant) -> Bool {
    guard ageLimit != .max else { return false }
    return now < chunk.fetchedAt || now.nanoseconds - chunk.fetchedAt.nanoseconds >= ageLimit
  }

  /// Checks whether a record is too old now. Also `true` if the clock was set back.
  func isExpired(_ record: SpillTable.Record, wallNow: Int64) -> Bool {
    guard ageLimit != .max else { return false }
    return record.fetchedAt > wallNow || wallNow - record.fetchedAt >= ageLimit
  }
}

extension SpillState {
  /// The work so far, which decides whether blocks are compressed.
  var use: SpillCodecChoice.Use {
    .init(
      writtenBlocks: counts.written, readBlocks: counts.hits, reads: counts.reads, residentReads: counts.residentReads,
      isFull: isFull)
  }
}
