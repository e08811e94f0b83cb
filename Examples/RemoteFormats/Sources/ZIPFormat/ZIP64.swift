import FormatSupport
import RangeIO

/// The parts of the format for numbers that do not fit into 32 bits, or into 16.
enum ZIP64 {
  static let recordSize = 56
  static let locatorSize = 20
  private static let recordSignature: UInt32 = 0x0606_4B50
  private static let locatorSignature: UInt32 = 0x0706_4B50

  /// What the locator says: where the ZIP64 record is. `nil` if these bytes, which stand before the end record, are none.
  static func recordOffset(_ locator: Bytes) throws -> UInt64? {
    var cursor = Bytes.Cursor(locator)
    guard cursor.remaining == locatorSize, try cursor.integer(UInt32.self, .littleEndian) == locatorSignature else {
      return nil
    }
    let disk = try cursor.integer(UInt32.self, .littleEndian)
    let offset = try cursor.integer(UInt64.self, .littleEndian)
    guard disk == 0, try cursor.integer(UInt32.self, .littleEndian) <= 1 else {
      throw FormatError.unsupported("the archive is split into several files")
    }
    return offset
  }

  /// `record` with the numbers of the ZIP64 record in `bytes`; `nil` if there is none.
  static func merge(_ bytes: Bytes, into record: EndRecord) throws -> EndRecord? {
    var cursor = Bytes.Cursor(bytes)
    guard cursor.remaining >= recordSize, try cursor.integer(UInt32.self, .littleEndian) == recordSignature else {
      return nil
    }
    // Its size, the versions that wrote it and that can read it, and which of the archive's files these are.
    try cursor.skip(8 + 2 * 2 + 2 * 4)
    let counts = try cursor.integers(2, of: UInt64.self, .littleEndian)
    guard counts[0] == counts[1] else { throw FormatError.unsupported("the archive is split into several files") }
    var record = record
    record.entryCount = counts[1]
    record.directorySize = try cursor.integer(UInt64.self, .littleEndian)
    record.directoryOffset = try cursor.integer(UInt64.self, .littleEndian)
    return record
  }

  /// The numbers of the extra field with the id 1, of which only those are there that an entry needs.
  static func numbers(inExtraField extra: Bytes) throws -> [UInt64] {
    var cursor = Bytes.Cursor(extra)
    // What is too short for another field is padding.
    while cursor.remaining >= 4 {
      let id = try cursor.integer(UInt16.self, .littleEndian)
      let size = Int(try cursor.integer(UInt16.self, .littleEndian))
      guard id == 1 else {
        try cursor.skip(size)
        continue
      }
      var field = Bytes.Cursor(try cursor.bytes(size))
      // A number of 32 bits, the disk, may follow.
      return try field.integers(min(size / 8, 3), of: UInt64.self, .littleEndian)
    }
    return []
  }
}
