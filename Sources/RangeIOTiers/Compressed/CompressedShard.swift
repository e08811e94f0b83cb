import RangeIO
import Synchronization

/// The contents of one shard of a compressed store: records, and the segments with their bytes. Everything here happens
/// under the shard's lock. Nothing encodes, decodes, copies or releases memory.
///
/// Segments are filled one after the other and freed as a whole, the oldest first. Records that were read since they
/// were written are copied first.
struct CompressedShard: ~Copyable {
  typealias Record = RecordTable.Record

  struct Segment {
    let memory: SegmentMemory
    /// The end of the part that is allocated.
    var used = 0
    /// The bytes of records that can be found.
    var liveBytes = 0
    /// The number of parts that were allocated and are being written.
    var pending = 0
  }

  /// Where a record's bytes are, or will be written.
  struct Place: Sendable {
    let memory: SegmentMemory
    let segment: UInt32
    let offset: UInt32
    let stored: Int

    var bytes: UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(start: memory.base + Int(offset), count: stored)
    }
  }

  /// Precedes each record's bytes: its slot, and the number of bytes.
  static let headerCount = 8

  var table = RecordTable()
  var sources = ShardSources()
  var counts = CompressedCounts()
  /// By number. Freed numbers are used again: that is safe, since a record counts only if table and segment agree.
  var segments: [Segment?] = []
  /// Filled and not yet freed, the oldest first.
  var sealed: [UInt32] = []
  var open: UInt32?
  /// The capacities of all segments.
  var segmentBytes = 0
  /// The bytes of live records: encoded, and decoded.
  var storedBytes = 0
  var rawBytes = 0
  /// A segment may have become empty.
  private var hasEmptySegment = false
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  var idleLimit = Int64.max
  /// When the idle limit was set. Pieces that were not tracked before start being idle then.
  var idleSince = Int64.min

  static func span(_ stored: Int) -> Int { headerCount + (stored + 7) & ~7 }

  // MARK: places

  /// A place for this many bytes in the open segment, or in `fresh`, which then becomes the open one. `nil` if neither
  /// has room.
  mutating func allocate(_ stored: Int, _ fresh: SegmentMemory?) -> Place? {
    if let open, let place = allocate(stored, in: open) { return place }
    guard let fresh else { return nil }
    let number = add(fresh)
    let place = allocate(stored, in: number)
    // A segment made for one large record is full at once, and does not close the open segment. Unless the open one is
    // full as well: otherwise it would never become the oldest.
    if let open, isFull(open) || !isFull(number) {
      sealed.append(open)
      self.open = nil
    }
    if open == nil { open = number } else { sealed.append(number) }
    return place
  }

  private func isFull(_ number: UInt32) -> Bool {
    let segment = segments[Int(number)]!
    return segment.memory.capacity - segment.used < segment.memory.capacity / 16
  }

  private mutating func add(_ memory: SegmentMemory) -> UInt32 {
    segmentBytes += memory.capacity
    if let free = segments.firstIndex(where: { $0 == nil }) {
      segments[free] = Segment(memory: memory)
      return UInt32(free)
    }
    segments.append(Segment(memory: memory))
    return UInt32(segments.count - 1)
  }

  private mutating func allocate(_ stored: Int, in number: UInt32) -> Place? {
    let segment = segments[Int(number)]!
    guard segment.used + Self.span(stored) <= segment.memory.capacity else { return nil }
    let header = segment.memory.base + segment.used
    // No slot yet: a walk through the segment skips it.
    header.storeBytes(of: 0, as: UInt32.self)
    header.storeBytes(of: UInt32(stored), toByteOffset: 4, as: UInt32.self)
    segments[Int(number)]!.used += Self.span(stored)
    segments[Int(number)]!.pending += 1
    return Place(
      memory: segment.memory, segment: number, offset: UInt32(segment.used + Self.headerCount), stored: stored)
  }

  /// Gives up a place. Nothing will be found there.
  mutating func abandon(_ place: Place) { segments[Int(place.segment)]!.pending -= 1 }

  private func mark(_ place: Place, slot: UInt32) {
    (place.memory.base + Int(place.offset) - Self.headerCount).storeBytes(of: slot, as: UInt32.self)
  }

  // MARK: records

  /// Publishes a record that was written, so that it can be found. Returns the number of records that it replaced;
  /// `nil` if its ticket is no longer valid.
  mutating func publish(_ record: Record, at place: Place, ticket: ChunkTicket) -> Int? {
    segments[Int(place.segment)]!.pending -= 1
    // Charged before checking the ticket. A removal raises the generation first, and skips tokens with no charge. So
    // one of the two sees the other.
    ticket.token.chargedBytesBelow.wrappingAdd(place.stored, ordering: .sequentiallyConsistent)
    guard ticket.isValid(for: record.range(on: ticket.token.grid)) else {
      ticket.token.chargedBytesBelow.wrappingSubtract(place.stored, ordering: .relaxed)
      counts.stale += 1
      return nil
    }
    let hash = ChunkTable.hash(token: record.token, block: record.block)
    let covered = slots(record.token, record.block, hash).filter {
      record.lower <= table[$0].lower && table[$0].upper <= record.upper
    }
    for slot in covered { remove(slot) }
    var record = record
    (record.segment, record.offset, record.stored) = (place.segment, place.offset, UInt32(place.stored))
    record.isUsed = true
    let slot = table.add(record, hash: hash)
    sources.add(ticket.token)
    mark(place, slot: slot)
    segments[Int(place.segment)]!.liveBytes += place.stored
    storedBytes += place.stored
    rawBytes += Int(record.count)
    counts.insertions += 1
    return covered.count + dropPieces(beside: slot, hash)
  }

  /// Drops the smallest piece of a block that has too many.
  private mutating func dropPieces(beside kept: UInt32, _ hash: UInt64) -> Int {
    let all = slots(table[kept].token, table[kept].block, hash)
    guard all.count > PieceList.maxCount else { return 0 }
    let smallest = all.filter { $0 != kept }.min { table[$0].count < table[$1].count }!
    counts.evictions += 1
    counts.evictedBytes += Int(table[smallest].stored)
    remove(smallest)
    return 1
  }

  /// Makes a copied record findable at its new place.
  ///
  /// - Parameter isSecondChance: whether it was copied because it had been read. That read then no longer counts.
  /// - Returns: false if the record is no longer where it was copied from.
  mutating func move(_ slot: UInt32, from old: Place, to new: Place, isSecondChance: Bool = true) -> Bool {
    segments[Int(new.segment)]!.pending -= 1
    guard isAt(slot, old.segment, old.offset) else { return false }
    segments[Int(old.segment)]!.liveBytes -= old.stored
    segments[Int(new.segment)]!.liveBytes += new.stored
    (table[slot].segment, table[slot].offset) = (new.segment, new.offset)
    if isSecondChance { table[slot].isTouched = false }
    mark(new, slot: slot)
    counts.reinsertions += 1
    return true
  }

  func isAt(_ slot: UInt32, _ segment: UInt32, _ offset: UInt32) -> Bool {
    slot != 0 && slot < table.slotsUsed && table[slot].isUsed && table[slot].segment == segment
      && table[slot].offset == offset
  }

  /// The records of a block.
  func slots(_ token: UInt64, _ block: Int, _ hash: UInt64) -> SmallArray<UInt32> {
    var slots = SmallArray<UInt32>()
    var slot = table.first(token: token, block: block, hash: hash)
    while slot != 0 {
      slots.append(slot)
      slot = table[slot].next
    }
    return slots
  }

  mutating func remove(_ slot: UInt32) {
    let record = table[slot]
    segments[Int(record.segment)]!.liveBytes -= Int(record.stored)
    storedBytes -= Int(record.stored)
    rawBytes -= Int(record.count)
    sources.token(record.token).chargedBytesBelow.wrappingSubtract(Int(record.stored), ordering: .relaxed)
    sources.remove(record.token)
    table.remove(slot)
    hasEmptySegment = hasEmptySegment || segments[Int(record.segment)]!.liveBytes == 0
  }

  /// Removes segments that have no live records. Returns their memory, to be released outside the lock.
  mutating func takeEmptySegments() -> [SegmentMemory] {
    guard hasEmptySegment else { return [] }
    hasEmptySegment = false
    let empty = sealed.filter { segments[Int($0)]!.liveBytes == 0 && segments[Int($0)]!.pending == 0 }
    sealed.removeAll { empty.contains($0) }
    return empty.map { endDraining($0) }
  }

  func place(_ slot: UInt32) -> Place {
    let record = table[slot]
    return Place(
      memory: segments[Int(record.segment)]!.memory, segment: record.segment, offset: record.offset,
      stored: Int(record.stored))
  }

  // MARK: time

  func isExpired(_ slot: UInt32, _ now: Int64) -> Bool {
    if AgeLimit.isReached(ageLimit, fetchedAt: table[slot].fetchedAt, now: now) { return true }
    return idleLimit != .max && now - max(table[slot].lastRead, idleSince) >= idleLimit
  }
}
