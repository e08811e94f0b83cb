import RangeIO

/// The header of a record. See `Docs/Formats/SpillFile.md`.
struct SpillRecord: Equatable {
  enum Kind: UInt8 {
    case chunk = 1
    case source = 2
    case tombstone = 3
    case footer = 4
  }

  private static let magic: UInt32 = 0x524F_4952  // "RIOR"

  var kind: Kind
  var codec: UInt8 = 0
  /// The number of the source within the segment.
  var source: UInt32 = 0
  /// The CRC of that source's identity.
  var identityCheck: UInt32 = 0
  var block: UInt64 = 0
  var sequence: UInt64 = 0
  /// Nanoseconds since 1970.
  var fetchedAt: Int64 = 0
  /// The first covered byte, within the block.
  var lower: UInt32 = 0
  /// The number of covered bytes.
  var count: UInt32 = 0
  /// The size of the payload.
  var stored: UInt32 = 0
  var payloadCheck: UInt32 = 0

  init(_ kind: Kind) { self.kind = kind }

  /// `nil` if the bytes are no valid record of the segment.
  init?(_ bytes: UnsafeRawBufferPointer, segmentCheck: UInt32) {
    guard bytes.count >= SpillFormat.recordHeaderCount, bytes.number(0, UInt32.self) == Self.magic,
      bytes.number(56, UInt32.self) == segmentCheck,
      bytes.number(60, UInt32.self) == CRC32C.of(bytes.part(0, 60)), let kind = Kind(rawValue: bytes[4])
    else { return nil }
    self.kind = kind
    codec = bytes[5]
    source = bytes.number(8, UInt32.self)
    identityCheck = bytes.number(12, UInt32.self)
    block = bytes.number(16, UInt64.self)
    sequence = bytes.number(24, UInt64.self)
    fetchedAt = bytes.number(32, Int64.self)
    lower = bytes.number(40, UInt32.self)
    count = bytes.number(44, UInt32.self)
    stored = bytes.number(48, UInt32.self)
    payloadCheck = bytes.number(52, UInt32.self)
  }

  /// Whether a record may begin here. Only its checksums prove it.
  static func mayBegin(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    bytes.number(offset, UInt32.self) == magic
  }

  func write(to bytes: UnsafeMutableRawBufferPointer, segmentCheck: UInt32) {
    bytes.put(Self.magic, 0)
    bytes.put(kind.rawValue, 4)
    bytes.put(codec, 5)
    bytes.put(UInt16(0), 6)
    bytes.put(source, 8)
    bytes.put(identityCheck, 12)
    bytes.put(block, 16)
    bytes.put(sequence, 24)
    bytes.put(fetchedAt, 32)
    bytes.put(lower, 40)
    bytes.put(count, 44)
    bytes.put(stored, 48)
    bytes.put(payloadCheck, 52)
    bytes.put(segmentCheck, 56)
    bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes).part(0, 60)), 60)
  }
}

/// Removes chunks of one source that were written before it.
struct SpillTombstone: Equatable {
  /// The number of the source within the segment.
  var source: UInt32
  var blocks: Range<UInt64>
  /// Chunks with a lower sequence do not exist.
  var bound: UInt64
}

extension SpillTombstone {
  /// Reads a tombstone from a record and its checked payload.
  init?(_ record: SpillRecord, _ payload: UnsafeRawBufferPointer) {
    guard payload.count == SpillFormat.tombstoneCount else { return nil }
    let end = payload.number(0, UInt64.self)
    let bound = payload.number(8, UInt64.self)
    // It removes what was written before it.
    guard record.block <= end, bound <= record.sequence else { return nil }
    self.init(source: record.source, blocks: record.block..<end, bound: bound)
  }

  func writePayload(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(blocks.upperBound, 0)
    bytes.put(bound, 8)
  }
}

extension SpillFooter.Entry {
  init(_ record: SpillRecord, at offset: Int) {
    self.init(
      block: record.block, fetchedAt: record.fetchedAt, offset: offset, stored: record.stored, source: record.source,
      lower: record.lower, count: record.count, sequence: record.sequence)
  }
}

/// The list at the end of a sealed segment, so that the segment can be opened without reading it all.
struct SpillFooter: Equatable {
  struct Entry: Equatable, BitwiseCopyable {
    var block: UInt64
    var fetchedAt: Int64
    /// Where its record begins.
    var offset: Int
    var stored: UInt32
    var source: UInt32
    var lower: UInt32
    var count: UInt32
    var sequence: UInt64
  }

  var identities: [SpillIdentity] = []
  var tombstones: [SpillTombstone] = []
  var entries: [Entry] = []
  var firstSequence: UInt64 = 0
  var lastSequence: UInt64 = 0

  static let fixedCount = 32
  static let tombstoneCount = 32
  private static let entryCount = 40

  init() {}

  /// The size of the payload.
  var byteCount: Int {
    Self.fixedCount + identities.reduce(0) { $0 + 8 + SpillFormat.padded($1.bytes.count) }
      + tombstones.count * Self.tombstoneCount + entries.count * Self.entryCount
  }

  /// How much one more chunk adds.
  static let growth = entryCount

  /// Writes to ``byteCount`` zeroed bytes.
  func write(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(UInt32(identities.count), 0)
    bytes.put(UInt32(tombstones.count), 4)
    bytes.put(UInt32(entries.count), 8)
    bytes.put(firstSequence, 16)
    bytes.put(lastSequence, 24)
    var place = Self.fixedCount
    for identity in identities {
      bytes.put(UInt32(identity.bytes.count), place)
      bytes.part(place + 8, identity.bytes.count).copyBytes(from: identity.bytes)
      place += 8 + SpillFormat.padded(identity.bytes.count)
    }
    for tombstone in tombstones {
      bytes.put(tombstone.source, place)
      bytes.put(tombstone.blocks.lowerBound, place + 8)
      bytes.put(tombstone.blocks.upperBound, place + 16)
      bytes.put(tombstone.bound, place + 24)
      place += Self.tombstoneCount
    }
    for entry in entries {
      bytes.put(entry.block, place)
      bytes.put(entry.fetchedAt, place + 8)
      bytes.put(UInt32(entry.offset / 8), place + 16)
      bytes.put(entry.stored, place + 20)
      bytes.put(entry.source, place + 24)
      bytes.put(entry.lower, place + 28)
      bytes.put(entry.count, place + 32)
      bytes.put(UInt32(entry.sequence - firstSequence), place + 36)
      place += Self.entryCount
    }
  }

  /// What ends a segment from `position` on: the footer's record, and the trailer.
  func closing(sequence: UInt64, at position: Int, segmentCheck: UInt32) -> [UInt8] {
    let count = SpillFormat.recordHeaderCount + byteCount + SpillFormat.trailerCount
    var memory = [UInt8](repeating: 0, count: count)
    memory.withUnsafeMutableBytes { bytes in
      let payload = bytes.part(SpillFormat.recordHeaderCount, byteCount)
      write(to: payload)
      var record = SpillRecord(.footer)
      record.block = UInt64(entries.count)
      record.sequence = sequence
      record.stored = UInt32(payload.count)
      record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload))
      record.write(to: bytes.part(0, SpillFormat.recordHeaderCount), segmentCheck: segmentCheck)
      SpillTrailer.write(
        footerAt: position, length: position + count, segmentCheck: segmentCheck,
        to: bytes.part(count - SpillFormat.trailerCount, SpillFormat.trailerCount))
    }
    return memory
  }

  /// Reads a payload whose checksum was right; `nil` if its values are impossible. Everything it lists must lie before
  /// `end`, where its record begins.
  init?(_ bytes: UnsafeRawBufferPointer, at end: Int) {
    guard bytes.count >= Self.fixedCount else { return nil }
    let counts = (bytes.number(0, UInt32.self), bytes.number(4, UInt32.self), bytes.number(8, UInt32.self))
    firstSequence = bytes.number(16, UInt64.self)
    lastSequence = bytes.number(24, UInt64.self)
    // Sequences count up from 1, so a number near the maximum cannot be real.
    guard firstSequence <= lastSequence, lastSequence < SpillFormat.mostCounted,
      lastSequence - firstSequence <= UInt64(UInt32.max)
    else { return nil }
    var place = Self.fixedCount
    for _ in 0..<counts.0 {
      guard bytes.count - place >= 8 else { return nil }
      let count = Int(bytes.number(place, UInt32.self))
      guard bytes.count - place - 8 >= SpillFormat.padded(count),
        let identity = SpillIdentity(bytes.part(place + 8, count))
      else { return nil }
      identities.append(identity)
      place += 8 + SpillFormat.padded(count)
    }
    let rest = Int(counts.1) * Self.tombstoneCount + Int(counts.2) * Self.entryCount
    guard bytes.count - place == rest else { return nil }
    for _ in 0..<counts.1 {
      let (lower, upper) = (bytes.number(place + 8, UInt64.self), bytes.number(place + 16, UInt64.self))
      let (source, bound) = (bytes.number(place, UInt32.self), bytes.number(place + 24, UInt64.self))
      // It removes what was written before it.
      guard lower <= upper, source < counts.0, bound <= lastSequence else { return nil }
      tombstones.append(SpillTombstone(source: source, blocks: lower..<upper, bound: bound))
      place += Self.tombstoneCount
    }
    entries.reserveCapacity(Int(counts.2))
    for _ in 0..<counts.2 {
      let entry = Entry(
        block: bytes.number(place, UInt64.self), fetchedAt: bytes.number(place + 8, Int64.self),
        offset: Int(bytes.number(place + 16, UInt32.self)) * 8, stored: bytes.number(place + 20, UInt32.self),
        source: bytes.number(place + 24, UInt32.self), lower: bytes.number(place + 28, UInt32.self),
        count: bytes.number(place + 32, UInt32.self),
        sequence: firstSequence &+ UInt64(bytes.number(place + 36, UInt32.self)))
      guard entry.source < counts.0, isPossible(entry, before: end) else { return nil }
      entries.append(entry)
      place += Self.entryCount
    }
  }

  /// Whether a segment whose footer begins at `end` can hold this chunk.
  private func isPossible(_ entry: Entry, before end: Int) -> Bool {
    firstSequence > 0 && entry.sequence <= lastSequence && entry.count <= 1 << 30
      && (1...max(1, entry.count)).contains(entry.stored) && entry.offset >= SpillFormat.headerCount
      && entry.offset + SpillFormat.recordCount(payload: Int(entry.stored)) <= end
  }
}

/// The last bytes of a sealed segment.
enum SpillTrailer {
  private static let magic: UInt32 = 0x544F_4952  // "RIOT"

  static func write(footerAt offset: Int, length: Int, segmentCheck: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(magic, 0)
    bytes.put(UInt32(0), 4)
    bytes.put(UInt64(offset), 8)
    bytes.put(UInt64(length), 16)
    bytes.put(segmentCheck, 24)
    bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes).part(0, 28)), 28)
  }

  /// Where the footer's record begins; `nil` if these bytes are no valid end of a segment of that length.
  static func footer(_ bytes: UnsafeRawBufferPointer, length: Int, segmentCheck: UInt32) -> Int? {
    guard bytes.count == SpillFormat.trailerCount, bytes.number(0, UInt32.self) == magic,
      bytes.number(16, UInt64.self) == UInt64(length), bytes.number(24, UInt32.self) == segmentCheck,
      bytes.number(28, UInt32.self) == CRC32C.of(bytes.part(0, 28))
    else { return nil }
    let offset = bytes.number(8, UInt64.self)
    let last = length - SpillFormat.trailerCount - SpillFormat.recordHeaderCount
    guard offset >= UInt64(SpillFormat.headerCount), last >= 0, offset <= UInt64(last) else { return nil }
    return Int(offset)
  }
}
