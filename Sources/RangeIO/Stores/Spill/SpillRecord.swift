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

  /// Writes all 64 bytes.
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

  /// Reads a tombstone from a record and its checked payload.
  init?(_ record: SpillRecord, _ payload: UnsafeRawBufferPointer) {
    guard payload.count == SpillFormat.tombstoneCount else { return nil }
    let end = payload.number(0, UInt64.self)
    let bound = payload.number(8, UInt64.self)
    // It removes what was written before it.
    guard record.block <= end, bound <= record.sequence else { return nil }
    self.init(source: record.source, blocks: record.block..<end, bound: bound)
  }

  init(source: UInt32, blocks: Range<UInt64>, bound: UInt64) {
    self.source = source
    self.blocks = blocks
    self.bound = bound
  }

  func writePayload(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(blocks.upperBound, 0)
    bytes.put(bound, 8)
  }
}
