import RangeIO

extension Bytes.Cursor {
  /// Parses a number of seven bits a byte, the lowest first; a byte below 128 is the last (LEB128). PMTiles, Thrift,
  /// Snappy and Parquet's runs have such numbers.
  ///
  /// - Throws: `ReadError.Code.corrupted` if the bytes end before the number does; `FormatError` for more than 64 bits.
  package mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try integer(UInt8.self, .littleEndian)
      let bits = UInt64(byte & 0x7F)
      // One bit is left for the tenth byte.
      if shift == 63, bits > 1 { break }
      value |= bits << shift
      if byte < 0x80 { return value }
    }
    throw FormatError.damaged("a number before position \(position) has more than 64 bits")
  }

  /// Parses a varint of a number with a sign: 0, -1, 1, -2, … are 0, 1, 2, 3, ….
  package mutating func zigZagVarint() throws -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Parses a varint that counts something. More than `limit` is an error, so that the number may be used at once.
  package mutating func varintCount(_ what: String, upTo limit: Int) throws -> Int {
    let value = try varint()
    guard let count = Int(exactly: value), count <= limit else {
      throw FormatError.damaged("\(value) \(what) where there cannot be more than \(limit)")
    }
    return count
  }
}
