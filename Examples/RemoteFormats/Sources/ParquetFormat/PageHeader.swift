import FormatSupport
import RangeIO

/// What stands before each page of a column (`PageHeader` of parquet.thrift).
struct PageHeader {
  enum Kind: Int {
    case data, index, dictionary, dataV2
  }

  private(set) var kind = Kind.index
  private(set) var uncompressedSize = -1
  private(set) var compressedSize = -1
  private(set) var crc32: UInt32?
  /// Of a page with values or a dictionary.
  private(set) var valueCount = 0
  private(set) var encoding = Encoding.plain
  private(set) var definitionLevelEncoding = Encoding.runLength
  /// Only in pages of version 2, where the levels are not compressed.
  private(set) var definitionLevelSize = 0
  private(set) var repetitionLevelSize = 0
  private(set) var isCompressed = true

  /// The largest page that is read.
  private static let largest = 256 << 20

  init(_ cursor: inout Bytes.Cursor) throws {
    var thrift = ThriftReader(cursor)
    try thrift.structure { thrift, field in
      switch field.id {
      case 1:
        let number = try thrift.integer(field)
        guard let known = Kind(rawValue: number) else {
          throw FormatError.unsupported("a page is of the kind \(number)")
        }
        kind = known
      case 2: uncompressedSize = try thrift.integer(field)
      case 3: compressedSize = try thrift.integer(field)
      case 4: crc32 = UInt32(truncatingIfNeeded: try thrift.integer(field))
      case 5: try parseData(&thrift)
      case 7: try parseDictionary(&thrift)
      case 8: try parseDataV2(&thrift)
      default: try thrift.skip(field)
      }
    }
    cursor = thrift.cursor
    guard uncompressedSize >= 0, compressedSize >= 0, valueCount >= 0, definitionLevelSize >= 0,
      repetitionLevelSize >= 0, definitionLevelSize <= compressedSize,
      repetitionLevelSize <= compressedSize - definitionLevelSize,
      definitionLevelSize + repetitionLevelSize <= uncompressedSize
    else { throw FormatError.damaged("the header of a page has sizes that cannot be") }
    guard uncompressedSize <= Self.largest else { throw FormatError.tooLarge("a page has \(uncompressedSize) bytes") }
  }

  private mutating func parseData(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 1: valueCount = try thrift.integer(field)
      case 2: encoding = Encoding(number: try thrift.integer(field))
      case 3: definitionLevelEncoding = Encoding(number: try thrift.integer(field))
      default: try thrift.skip(field)
      }
    }
  }

  private mutating func parseDictionary(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 1: valueCount = try thrift.integer(field)
      case 2: encoding = Encoding(number: try thrift.integer(field))
      default: try thrift.skip(field)
      }
    }
  }

  private mutating func parseDataV2(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 1: valueCount = try thrift.integer(field)
      case 4: encoding = Encoding(number: try thrift.integer(field))
      case 5: definitionLevelSize = try thrift.integer(field)
      case 6: repetitionLevelSize = try thrift.integer(field)
      case 7: isCompressed = try thrift.boolean(field)
      default: try thrift.skip(field)
      }
    }
  }
}
