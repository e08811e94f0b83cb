import FormatSupport
import RangeIO

/// A file in an archive, as the central directory describes it (APPNOTE.TXT, 4.3.12).
package struct ZIPEntry: Sendable {
  /// As the archive has it: with slashes, and possibly with `..`, or absolute. Check it before you make a file of this name.
  package let name: String
  /// The bytes of the name.
  let rawName: Bytes
  package let method: Method
  package let crc32: UInt32
  /// In bytes.
  package let compressedSize: Int
  /// In bytes.
  package let size: Int
  package let isEncrypted: Bool
  /// Where its local header is, from the beginning of the archive.
  let headerOffset: UInt64
  /// How long the extra fields are here. Those of the local header are about as long.
  let extraSize: Int

  static let signature: UInt32 = 0x0201_4B50
  /// Without the name, the extra fields and the comment.
  static let leastSize = 46

  /// How the bytes are stored.
  package struct Method: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt16
    package static let stored = Method(number: 0)
    package static let deflated = Method(number: 8)

    package var description: String {
      switch self {
      case .stored: "stored"
      case .deflated: "deflated"
      default: "method \(number)"
      }
    }
  }

  /// Parses the next entry of a central directory.
  init(_ cursor: inout Bytes.Cursor) throws {
    guard try cursor.integer(UInt32.self, .littleEndian) == Self.signature else {
      throw FormatError.damaged("the central directory is damaged before its position \(cursor.position)")
    }
    try cursor.skip(4)
    let flags = try cursor.integer(UInt16.self, .littleEndian)
    isEncrypted = flags & 1 != 0
    method = Method(number: try cursor.integer(UInt16.self, .littleEndian))
    // The time and the date.
    try cursor.skip(4)
    crc32 = try cursor.integer(UInt32.self, .littleEndian)
    let sizes = try cursor.integers(2, of: UInt32.self, .littleEndian)
    let lengths = try cursor.integers(3, of: UInt16.self, .littleEndian).map(Int.init)
    // The disk and the attributes.
    try cursor.skip(2 + 2 + 4)
    let offset = try cursor.integer(UInt32.self, .littleEndian)
    rawName = try cursor.bytes(lengths[0])
    name = flags & 0x800 != 0 ? String(decoding: rawName, as: UTF8.self) : CodePage437.decode(rawName)
    let extra = try cursor.bytes(lengths[1])
    extraSize = lengths[1]
    try cursor.skip(lengths[2])

    var numbers = [UInt64](try ZIP64.numbers(inExtraField: extra).reversed())
    /// A number that stands in the extra field if all its bits are set here. The order is fixed.
    func number(_ short: UInt32) throws -> UInt64 {
      guard short == .max else { return UInt64(short) }
      // A writer without ZIP64 may mean just this number.
      return numbers.popLast() ?? UInt64(short)
    }
    let (size, compressedSize) = (try number(sizes[1]), try number(sizes[0]))
    headerOffset = try number(offset)
    guard let size = Int(exactly: size), let compressedSize = Int(exactly: compressedSize) else {
      throw FormatError.damaged("the size of '\(printable(name))' is \(max(size, compressedSize)) bytes")
    }
    (self.size, self.compressedSize) = (size, compressedSize)
  }
}
