import FormatSupport
import RangeIO

/// Decompresses Snappy's raw format (format_description.txt of google/snappy).
enum Snappy {
  /// - Parameter size: how many bytes must come out.
  static func decompress(_ bytes: Bytes, to size: Int) throws -> Bytes {
    var input = Bytes.Cursor(bytes.contiguous())
    guard try input.varint() == size else { throw FormatError.damaged("a page has another size than its header says") }
    var output: [UInt8] = []
    // As much as well-compressed data gives, and not what bad data claims.
    output.reserveCapacity(min(size, 8 * bytes.count))
    while input.remaining > 0 {
      let tag = Int(try input.integer(UInt8.self, .littleEndian))
      if tag & 3 == 0 {
        let count = try literalCount(tag >> 2, &input)
        guard count <= size - output.count else { throw tooLong }
        output.append(contentsOf: try input.bytes(count))
      } else {
        let (offset, count) = try copy(tag, &input)
        guard count <= size - output.count else { throw tooLong }
        guard (1...max(1, output.count)).contains(offset), !output.isEmpty else {
          throw FormatError.damaged("compressed data refers to what is before its beginning")
        }
        // The bytes copied may be among those being written: then they repeat.
        let start = output.count - offset
        for index in start..<start + count { output.append(output[index]) }
      }
    }
    guard output.count == size else { throw FormatError.damaged("compressed data is cut off") }
    return Bytes(output)
  }

  private static var tooLong: FormatError { .damaged("more comes out of compressed data than its header says") }

  /// The length less one is in the tag if it is small, else in the next one to four bytes.
  private static func literalCount(_ length: Int, _ input: inout Bytes.Cursor) throws -> Int {
    guard length >= 60 else { return length + 1 }
    var count = 0
    for byte in try input.bytes(length - 59).reversed() { count = count << 8 | Int(byte) }
    return count + 1
  }

  private static func copy(_ tag: Int, _ input: inout Bytes.Cursor) throws -> (offset: Int, count: Int) {
    switch tag & 3 {
    case 1: ((tag >> 5) << 8 | Int(try input.integer(UInt8.self, .littleEndian)), ((tag >> 2) & 7) + 4)
    case 2: (Int(try input.integer(UInt16.self, .littleEndian)), (tag >> 2) + 1)
    default: (Int(try input.integer(UInt32.self, .littleEndian)), (tag >> 2) + 1)
    }
  }
}
