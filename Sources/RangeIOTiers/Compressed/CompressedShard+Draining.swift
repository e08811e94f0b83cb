import RangeIO

/// Freeing segments: which one, and which of its records are copied.
extension CompressedShard {
  struct Draining {
    let number: UInt32
    /// All of it is copied, not only what was read.
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
        evict(slot, collecting, &draining)
      }
    }
    return draining
  }

  private mutating func isPinned(_ slot: UInt32) -> Bool {
    let token = sources.token(table[slot].token)
    return token.entry.pins(table[slot].range(on: token.grid))
  }

  private mutating func evict(_ slot: UInt32, _ collecting: Bool, _ draining: inout Draining) {
    if collecting { draining.evicted.append(copy(slot)) }
    counts.evictions += 1
    counts.evictedBytes += Int(table[slot].stored)
    draining.evictedCount += 1
    remove(slot)
  }

  /// A copy of a record, as if it were evicted now.
  mutating func copy(_ slot: UInt32) -> EvictedRecord {
    let record = table[slot]
    let token = sources.token(record.token)
    return EvictedRecord(
      ticket: token.ticket(fetchedAt: ReadClock.Instant(nanoseconds: record.fetchedAt)), block: record.block,
      range: record.range(on: token.grid), place: place(slot), lastRead: ReadClock.Instant(nanoseconds: record.lastRead)
    )
  }

  /// Evicts a record that could not be copied.
  mutating func giveUp(_ slot: UInt32, _ place: Place, collecting: Bool, _ draining: inout Draining) {
    guard isAt(slot, place.segment, place.offset) else { return }
    evict(slot, collecting, &draining)
  }

  /// Frees a segment that has no live records. Returns its memory, to be released outside the lock.
  mutating func endDraining(_ number: UInt32) -> SegmentMemory {
    let memory = segments[Int(number)]!.memory
    memory.leaves()
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
  let lastRead: ReadClock.Instant

  /// The chunk that it is, with its decoded bytes.
  func chunk(_ bytes: Bytes) -> Chunk {
    Chunk(ticket: ticket, block: block, piece: RangedBytes(range, bytes), lastRead: lastRead)
  }

  /// The chunk that it is, with a copy of its encoded bytes.
  func encodedChunk(by codec: any ChunkCodec) -> Chunk {
    let copy = Bytes(count: place.stored) { $0.copyMemory(from: UnsafeRawBufferPointer(place.bytes)) }
    let encoded = EncodedBytes(copy, by: codec, of: range.count)
    return Chunk(ticket: ticket, block: block, range: range, encoded: encoded, lastRead: lastRead)
  }
}
