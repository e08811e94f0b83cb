import FormatSupport
import RangeIO

/// What the records at the end of a ZIP file say of its central directory (APPNOTE.TXT, 4.3.14 to 4.3.16).
struct EndRecord: Equatable {
  var entryCount: UInt64
  var directorySize: UInt64
  var directoryOffset: UInt64
  var comment: Bytes

  static let signature: UInt32 = 0x0605_4B50
  static let size = 22
  /// With the longest comment, and with the locator of the ZIP64 record before it.
  static let longestTail = size + Int(UInt16.max) + ZIP64.locatorSize

  /// Finds the record in the last bytes of a file.
  ///
  /// A comment may follow it, and may contain the record's signature: what counts is a record whose comment ends where the
  /// file does, and of several the last.
  ///
  /// - Returns: the record, and its position in `tail`.
  static func find(in tail: Bytes) throws -> (EndRecord, position: Int) {
    let last = tail.count - size
    guard last >= 0 else {
      throw FormatError.damaged("a ZIP file has at least \(size) bytes, and this one \(tail.count)")
    }
    for position in stride(from: last, through: max(0, last - Int(UInt16.max)), by: -1)
    where tail.integer(at: position, as: UInt32.self, .littleEndian) == signature
      && tail.integer(at: position + size - 2, as: UInt16.self, .littleEndian).map(Int.init) == last - position
    {
      return (try EndRecord(tail[position...]), position)
    }
    throw FormatError.damaged("no end of a central directory is found: this is no ZIP file, or its end is missing")
  }

  private init(_ bytes: Bytes) throws {
    var cursor = Bytes.Cursor(bytes)
    try cursor.skip(4)
    let disks = try cursor.integers(2, of: UInt16.self, .littleEndian)
    let counts = try cursor.integers(2, of: UInt16.self, .littleEndian)
    // All ones if the ZIP64 record says it.
    guard disks.allSatisfy({ $0 == 0 || $0 == .max }), counts[0] == counts[1] else {
      throw FormatError.unsupported("the archive is split into several files")
    }
    entryCount = UInt64(counts[1])
    directorySize = UInt64(try cursor.integer(UInt32.self, .littleEndian))
    directoryOffset = UInt64(try cursor.integer(UInt32.self, .littleEndian))
    comment = try cursor.bytes(Int(try cursor.integer(UInt16.self, .littleEndian)))
  }

  /// Whether the numbers of the ZIP64 record are meant.
  var isSaturated: Bool {
    entryCount == UInt64(UInt16.max) || directorySize == UInt64(UInt32.max) || directoryOffset == UInt64(UInt32.max)
  }
}
