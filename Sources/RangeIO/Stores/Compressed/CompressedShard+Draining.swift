/// Freeing segments: which one, and which of its records are copied.
extension CompressedShard {
  /// The work that remains for a segment that is being freed.
  struct Draining {
    let number: UInt32
    /// Whether all of it is copied, not only what was read.
    var isCompaction = false
    /// The records to copy: their slots and where they are.
    var survivors: [(slot: UInt32, place: Place)] = []
    /// Records that could be found in it, and no longer can.
    var evicted: [EvictedRecord] = []
    var evictedCount = 0
  }

  /// A segment whose live share is below this is emptied before the oldest one is freed, by copying all of it: copying
  /// is cheap compared with compressing again or reading the source.
  static let compactedBelow = 0.6

  /// Starts freeing a segment: the emptiest one if its live share is below ``compactedBelow``, otherwise the oldest.
  /// Removes the records that are not copied.
  ///
  /// - Parameters:
  ///   - collecting: whether evicted records are needed.
  ///   - most: the share of its bytes that may be copied, not counting pinned ones.
  mutating func beginDraining(collecting: Bool, most: Double) -> Draining? {
    guard let (number, isHalfEmpty) = nextToDrain() else { return nil }
    let segment = segments[Int(number)]!
    var draining = Draining(number: number, isCompaction: most > 0 && isHalfEmpty)
    var room = Int(Double(segment.memory.capacity) * most)
    var position = 0
    while position < segment.used {
      let header = segment.memory.base + position
      let slot = header.load(as: UInt32.self)
      let stored = Int(header.load(fromByteOffset: 4, as: UInt32.self))
      let offset = UInt32(position + Self.headerCount)
      position += Self.span(stored)
      guard isAt(slot, number, offset) else { continue }
      let place = place(slot)
      if draining.isCompaction || isPinned(slot) || table[slot].isTouched && stored <= room {
        room -= stored
        draining.survivors.append((slot, place))
      } else {
        evict(slot, place, collecting, &draining)
      }
    }
    return draining
  }

  private mutating func isPinned(_ slot: UInt32) -> Bool {
    let token = sources.token(table[slot].token)
    return token.entry.pins(range(slot, token))
  }

  private func range(_ slot: UInt32, _ token: ChunkToken) -> ByteRange {
    let start = table[slot].block << token.grid.shift
    return start + Int(table[slot].lower)..<start + Int(table[slot].upper)
  }

  private mutating func evict(_ slot: UInt32, _ place: Place, _ collecting: Bool, _ draining: inout Draining) {
    if collecting {
      let record = table[slot]
      let token = sources.token(record.token)
      let ticket = token.ticket(fetchedAt: ReadInstant(nanoseconds: record.fetchedAt))
      draining.evicted.append(
        EvictedRecord(
          ticket: ticket, block: record.block, range: range(slot, token), place: place,
          lastRead: ReadInstant(nanoseconds: record.lastRead)))
    }
    counts.evictions += 1
    counts.evictedBytes += Int(table[slot].stored)
    draining.evictedCount += 1
    remove(slot)
  }

  /// Evicts a record that could not be copied.
  mutating func giveUp(_ slot: UInt32, _ place: Place, collecting: Bool, _ draining: inout Draining) {
    guard isAt(slot, place.segment, place.offset) else { return }
    evict(slot, place, collecting, &draining)
  }

  /// Frees a segment that has no live records.
  ///
  /// - Returns: its memory, to be released outside the lock.
  mutating func endDraining(_ number: UInt32) -> SegmentMemory {
    let memory = segments[Int(number)]!.memory
    segmentBytes -= memory.capacity
    segments[Int(number)] = nil
    counts.segmentsFreed += 1
    return memory
  }

  private mutating func nextToDrain() -> (number: UInt32, isHalfEmpty: Bool)? {
    let candidates = sealed.indices.filter { segments[Int(sealed[$0])]!.pending == 0 }
    let emptiest = candidates.min { liveShare(sealed[$0]) < liveShare(sealed[$1]) }
    if let emptiest, liveShare(sealed[emptiest]) < Self.compactedBelow { return (sealed.remove(at: emptiest), true) }
    if let oldest = candidates.first { return (sealed.remove(at: oldest), false) }
    guard let open, segments[Int(open)]!.pending == 0, segments[Int(open)]!.used > 0 else { return nil }
    self.open = nil
    return (open, false)
  }

  private func liveShare(_ number: UInt32) -> Double {
    Double(segments[Int(number)]!.liveBytes) / Double(segments[Int(number)]!.memory.capacity)
  }
}

/// An evicted record, still encoded.
struct EvictedRecord: Sendable {
  let ticket: ChunkTicket
  let block: Int
  let range: ByteRange
  let place: CompressedShard.Place
  let lastRead: ReadInstant
}
