import FormatSupport
import RangeIO

/// What the footer of a Parquet file says (`FileMetaData` of parquet.thrift).
package struct FileMetadata: Sendable {
  package private(set) var rowCount = 0
  package private(set) var schema: [SchemaElement] = []
  package private(set) var rowGroups: [RowGroup] = []
  package private(set) var createdBy = ""

  init(_ bytes: Bytes) throws {
    var thrift = ThriftReader(Bytes.Cursor(bytes))
    try thrift.structure { thrift, field in
      switch field.id {
      case 2: schema = try thrift.list(field, of: .structure) { thrift, _ in try SchemaElement(&thrift) }
      case 3: rowCount = try thrift.integer(field)
      case 4: rowGroups = try thrift.list(field, of: .structure) { thrift, _ in try RowGroup(&thrift) }
      case 6: createdBy = try thrift.string(field)
      default: try thrift.skip(field)
      }
    }
  }
}

/// Rows that are stored together.
package struct RowGroup: Sendable {
  package private(set) var columns: [ColumnChunk] = []
  package private(set) var rowCount = 0

  init(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 1: columns = try thrift.list(field, of: .structure) { thrift, _ in try ColumnChunk(&thrift) }
      case 3: rowCount = try thrift.integer(field)
      default: try thrift.skip(field)
      }
    }
  }
}

/// Where the values of one column in one row group are, and how they are stored (`ColumnChunk` and `ColumnMetaData`).
package struct ColumnChunk: Sendable {
  package private(set) var path: [String] = []
  package private(set) var codec = Codec(number: 0)
  package private(set) var encodings: [Encoding] = []
  /// Nulls are values too.
  package private(set) var valueCount = 0
  /// As in the file, in bytes.
  package private(set) var compressedSize = 0
  private(set) var dataOffset = 0
  private(set) var dictionaryOffset: Int?
  private(set) var isElsewhere = false
  private var hasMetadata = false

  /// Where its first page is: that with the dictionary if there is one.
  package var offset: Int { dictionaryOffset.map { $0 > 0 ? min($0, dataOffset) : dataOffset } ?? dataOffset }

  init(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 1:
        isElsewhere = true
        try thrift.skip(field)
      case 3:
        hasMetadata = true
        try parse(&thrift)
      default: try thrift.skip(field)
      }
    }
    guard hasMetadata else { throw FormatError.unsupported("the metadata of a column is encrypted or missing") }
  }

  private mutating func parse(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 2:
        encodings = try thrift.list(field, of: .int32) { thrift, element in
          Encoding(number: try thrift.integer(element))
        }
      case 3: path = try thrift.list(field, of: .binary) { thrift, element in try thrift.string(element) }
      case 4: codec = Codec(number: try thrift.integer(field))
      case 5: valueCount = try thrift.integer(field)
      case 7: compressedSize = try thrift.integer(field)
      case 9: dataOffset = try thrift.integer(field)
      case 11: dictionaryOffset = try thrift.integer(field)
      default: try thrift.skip(field)
      }
    }
  }
}

/// How pages are compressed (`CompressionCodec`).
package struct Codec: Equatable, Sendable, CustomStringConvertible {
  package let number: Int
  package static let uncompressed = Codec(number: 0)
  package static let snappy = Codec(number: 1)
  package static let gzip = Codec(number: 2)

  package var description: String {
    let names = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"]
    return names.indices.contains(number) ? names[number] : "codec \(number)"
  }
}

/// How values and levels are written (`Encoding`).
package struct Encoding: Equatable, Sendable, CustomStringConvertible {
  package let number: Int
  package static let plain = Encoding(number: 0)
  /// The old name of `runLengthDictionary`.
  package static let plainDictionary = Encoding(number: 2)
  package static let runLength = Encoding(number: 3)
  package static let runLengthDictionary = Encoding(number: 8)

  package var description: String {
    let names = [
      "PLAIN", "encoding 1", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY",
      "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
    ]
    return names.indices.contains(number) ? names[number] : "encoding \(number)"
  }
}
