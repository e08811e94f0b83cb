import FormatSupport
import RangeIO

/// A type of values that Parquet stores one after the other (Encodings.md, PLAIN = 0).
protocol ParquetValue: Sendable {
  /// Parses `count` values.
  static func plain(_ count: Int, _ cursor: inout Bytes.Cursor) throws -> [Self]
}

extension Int32: ParquetValue {
  static func plain(_ count: Int, _ cursor: inout Bytes.Cursor) throws -> [Int32] {
    try cursor.integers(count, of: Int32.self, .littleEndian)
  }
}

extension Int64: ParquetValue {
  static func plain(_ count: Int, _ cursor: inout Bytes.Cursor) throws -> [Int64] {
    try cursor.integers(count, of: Int64.self, .littleEndian)
  }
}

extension Double: ParquetValue {
  static func plain(_ count: Int, _ cursor: inout Bytes.Cursor) throws -> [Double] {
    try cursor.integers(count, of: UInt64.self, .littleEndian).map(Double.init(bitPattern:))
  }
}

extension Bytes: ParquetValue {
  /// Slices of the page: nothing is copied.
  static func plain(_ count: Int, _ cursor: inout Bytes.Cursor) throws -> [Bytes] {
    guard count <= cursor.remaining / 4 else {
      throw FormatError.damaged("\(count) byte arrays do not fit into \(cursor.remaining) bytes")
    }
    var values: [Bytes] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try cursor.bytes(Int(try cursor.integer(UInt32.self, .littleEndian)))) }
    return values
  }
}
