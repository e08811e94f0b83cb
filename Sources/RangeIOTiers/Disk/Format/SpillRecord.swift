import RangeIO

/// The header of a record. See `Docs/Formats/SpillFile.md`.
package struct SpillRecord: Equatable {
  package enum Kind: UInt8 {
    case chunk = 1
    case source = 2
    case tombstone = 3
    case footer = 4
  }

  private static let magic: UInt32 = 0x524F_4952  // "RIOR"

  package var kind: Kind
  package var codec: UInt8 = 0
  /// The number of the source within the segment.
  package var source: UInt32 = 0
  /// The CRC of that source's identity.
  package var identityCheck: UInt32 = 0
  package var block: UInt64 = 0
  package var sequence: UInt64 = 0
  /// Nanoseconds since 1970.
  var fetchedAt: Int64 = 0
  /// The first covered byte, within the block.
  package var lower: UInt32 = 0
  /// The number of covered bytes.
  package var count: UInt32 = 0
  /// The size of the payload.
  package var stored: UInt32 = 0
  var payloadCheck: UInt32 = 0

  init(_ kind: Kind) { self.kind = kind }

  /// Where the fields stand, for reading and for writing.
  private mutating func lay(_ bytes: SpillFields) {
    bytes.field(&codec, 5)
    bytes.field(&source, 8)
    bytes.field(&identityCheck, 12)
    bytes.field(&block, 16)
    bytes.field(&sequence, 24)
    bytes.field(&fetchedAt, 32)
    bytes.field(&lower, 40)
    bytes.field(&count, 44)
    bytes.field(&stored, 48)
    bytes.field(&payloadCheck, 52)
  }

  /// The bytes of the header that the tag of an encrypted record protects: those before the CRC of its payload.
  static let protectedCount = 52
  /// The bytes of the header that are masked in an encrypted segment: what tells of the source.
  static let maskedPlaces = Array(8..<24) + Array(40..<48)

  /// Writes the bytes that a tag protects, as they are without a mask.
  func writeProtected(to bytes: UnsafeMutableRawBufferPointer) {
    withUnsafeTemporaryAllocation(byteCount: SpillFormat.recordHeaderCount, alignment: 8) { memory in
      write(to: memory, segmentCheck: 0)
      bytes.copyMemory(from: UnsafeRawBufferPointer(memory.part(0, Self.protectedCount)))
    }
  }

  /// This record, which was read from an encrypted segment, as it was before masking.
  func unmasked(by cipher: SpillCipher) -> SpillRecord {
    withUnsafeTemporaryAllocation(byteCount: SpillFormat.recordHeaderCount, alignment: 8) { memory in
      write(to: memory, segmentCheck: 0)
      cipher.mask(memory, sequence: sequence)
      var record = self
      record.lay(SpillFields(from: UnsafeRawBufferPointer(memory)))
      return record
    }
  }

  /// `nil` if the bytes do not begin with a valid record of the segment.
  init?(_ bytes: UnsafeRawBufferPointer, segmentCheck: UInt32) {
    guard bytes.count >= SpillFormat.recordHeaderCount, bytes.number(0, UInt32.self) == Self.magic,
      bytes.number(56, UInt32.self) == segmentCheck,
      bytes.number(60, UInt32.self) == CRC32C.of(bytes.part(0, 60)), let kind = Kind(rawValue: bytes[4])
    else { return nil }
    self.kind = kind
    lay(SpillFields(from: bytes))
  }

  /// - Parameter cipher: masks the header, in an encrypted segment.
  func write(to bytes: UnsafeMutableRawBufferPointer, segmentCheck: UInt32, masking cipher: SpillCipher? = nil) {
    bytes.put(Self.magic, 0)
    bytes.put(kind.rawValue, 4)
    bytes.put(UInt16(0), 6)
    var record = self
    record.lay(SpillFields(to: bytes))
    cipher?.mask(bytes, sequence: sequence)
    bytes.put(segmentCheck, 56)
    bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes).part(0, 60)), 60)
  }

  /// `false` for a payload longer than any of its kind, of a record at this place: looked at before memory is taken for it.
  func isPossible(at offset: Int, isEncrypted: Bool) -> Bool {
    let tag = isEncrypted ? SpillCipher.tagCount : 0
    return switch kind {
    // What an encrypted one covers is masked.
    case .chunk: Int(stored) <= SpillFormat.maxChunkCount + tag && (isEncrypted || stored <= count)
    case .source: Int(stored) <= SpillIdentity.maxByteCount + tag
    case .tombstone: Int(stored) == SpillFormat.tombstoneCount + tag
    // What it lists takes less space than the records before it.
    case .footer: Int(stored) <= SpillFooter.fixedCount + (isEncrypted ? SpillCipher.footerOverhead : 0) + offset
    }
  }

  /// `true` if this is the payload that was written with the record.
  func matches(_ payload: UnsafeRawBufferPointer) -> Bool {
    payload.count == Int(stored) && CRC32C.of(payload) == payloadCheck
  }

  /// Notes the payload.
  mutating func describe(_ payload: UnsafeRawBufferPointer) {
    stored = UInt32(payload.count)
    payloadCheck = CRC32C.of(payload)
  }
}

/// Removes chunks of one source that were written before it.
package struct SpillTombstone: Equatable {
  /// The number of the source within the segment.
  var source: UInt32
  var blocks: Range<UInt64>
  /// Chunks with a lower sequence do not exist.
  var bound: UInt64
}

extension SpillTombstone {
  /// Reads a tombstone from a record and its checked payload.
  package init?(_ record: SpillRecord, _ payload: UnsafeRawBufferPointer) {
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
