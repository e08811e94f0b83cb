import FormatSupport
import RangeIO

/// Parquet's mix of runs and packed bits, for levels and for indices into a dictionary (Encodings.md, RLE = 3).
enum RunLengths {
  /// The bits that numbers up to `largest` take.
  static func bitWidth(upTo largest: Int) -> Int { Int.bitWidth - largest.leadingZeroBitCount }

  /// Parses `count` numbers of `bitWidth` bits.
  ///
  /// - Parameter count: has been checked: memory is taken for so many, however few bytes there are.
  static func decode(_ bytes: Bytes, bitWidth: Int, count: Int) throws -> [UInt32] {
    guard (0...32).contains(bitWidth) else {
      throw FormatError.damaged("numbers of \(bitWidth) bits are none of Parquet's")
    }
    var cursor = Bytes.Cursor(bytes)
    var numbers: [UInt32] = []
    numbers.reserveCapacity(count)
    while numbers.count < count {
      let header = try cursor.varint()
      let missing = count - numbers.count
      if header & 1 == 0 {
        guard header > 0 else { throw FormatError.damaged("a run of numbers is empty") }
        var value: UInt32 = 0
        for byte in try cursor.bytes((bitWidth + 7) / 8).reversed() { value = value << 8 | UInt32(byte) }
        numbers.append(contentsOf: repeatElement(value, count: Int(min(header >> 1, UInt64(missing)))))
      } else {
        // Eight numbers are a group, of as many bytes as each number has bits.
        let groups = Int(header >> 1)
        guard groups > 0, groups <= (bitWidth == 0 ? missing : cursor.remaining / bitWidth) else {
          throw FormatError.damaged("\(groups) groups of packed numbers do not fit into \(cursor.remaining) bytes")
        }
        unpack(try cursor.bytes(groups * bitWidth), bitWidth, min(groups * 8, missing), into: &numbers)
      }
    }
    return numbers
  }

  /// - Parameter count: there are bytes for at least so many.
  private static func unpack(_ bytes: Bytes, _ bitWidth: Int, _ count: Int, into numbers: inout [UInt32]) {
    var (bits, bitCount) = (UInt64(0), 0)
    var rest = bytes.makeIterator()
    let mask: UInt64 = (1 << UInt64(bitWidth)) - 1
    for _ in 0..<count {
      while bitCount < bitWidth {
        bits |= UInt64(rest.next() ?? 0) << UInt64(bitCount)
        bitCount += 8
      }
      numbers.append(UInt32(bits & mask))
      bits >>= UInt64(bitWidth)
      bitCount -= bitWidth
    }
  }
}
