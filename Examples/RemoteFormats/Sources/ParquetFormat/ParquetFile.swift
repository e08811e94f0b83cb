import FormatSupport
import RangeIO
import RangeIORemote

/// A Parquet file: its footer, which takes one or two requests, and column chunks, which take one each.
package struct ParquetFile: Sendable {
  package let metadata: FileMetadata
  package let columns: [Column]
  private let reader: RangeReader
  /// Where column chunks are.
  private let contents: ByteRange

  private static let magic: Bytes = [0x50, 0x41, 0x52, 0x31]  // PAR1
  private static let encryptedMagic: Bytes = [0x50, 0x41, 0x52, 0x45]  // PARE
  /// Most footers are shorter.
  private static let firstRead = 64 << 10
  /// What is read first.
  package static let opening = RemoteOpening.suffix(firstRead)
  private static let largestFooter = 256 << 20
  private static let largestChunk = 1 << 30

  package init(_ reader: RangeReader) async throws {
    let tail = try await reader.read(suffix: Self.firstRead)
    guard tail.count >= 12 else { throw FormatError.damaged("this is no Parquet file: it is too short") }
    var cursor = Bytes.Cursor(tail[(tail.count - 8)...])
    let length = try cursor.integer(UInt32.self, .littleEndian)
    let magic = try cursor.bytes(4)
    guard magic != Self.encryptedMagic else { throw FormatError.unsupported("the footer of the file is encrypted") }
    guard magic == Self.magic else {
      throw FormatError.damaged("this is no Parquet file, or its end is missing: the last four bytes are not PAR1")
    }
    guard length <= Self.largestFooter else { throw FormatError.tooLarge("the footer has \(length) bytes") }
    // The same four bytes are at the beginning.
    let end = reader.byteCount - 8
    guard length <= end - 4 else { throw FormatError.damaged("the footer has \(length) bytes, and the file fewer") }
    contents = 4..<end - Int(length)
    // Usually in the cache. Of a longer footer, the part that is missing is fetched.
    metadata = try FileMetadata(try await reader.read(contents.upperBound..<end).contiguous())
    columns = try Column.leaves(of: metadata.schema)
    let paths = columns.map(\.path)
    guard metadata.rowGroups.allSatisfy({ $0.columns.map(\.path) == paths }) else {
      throw FormatError.damaged("a row group has other columns than the schema")
    }
    self.reader = reader
  }

  /// The values of a column in a row group; `nil` is a null.
  ///
  /// - Parameter name: the path of the column, with dots.
  package func values(of name: String, rowGroup: Int) async throws -> ColumnValues {
    guard let index = columns.firstIndex(where: { $0.name == name }) else {
      throw FormatError.notFound("there is no column '\(printable(name))'")
    }
    guard metadata.rowGroups.indices.contains(rowGroup) else {
      throw FormatError.notFound("there is no row group \(rowGroup): they are 0 to \(metadata.rowGroups.count - 1)")
    }
    let (column, chunk) = (columns[index], metadata.rowGroups[rowGroup].columns[index])
    guard !chunk.isElsewhere else { throw FormatError.unsupported("'\(printable(name))' is in another file") }
    guard chunk.compressedSize <= Self.largestChunk else {
      throw FormatError.tooLarge("'\(printable(name))' has \(chunk.compressedSize) bytes in a row group")
    }
    // Offsets count from the beginning of the file, where four bytes are the magic.
    let range = try part(
      "'\(printable(name))'", offset: max(chunk.offset, 0) - contents.lowerBound, count: chunk.compressedSize,
      of: contents)

    func decode<Value: ParquetValue>(_ type: Value.Type) async throws -> [Value?] {
      var decoder = try ColumnDecoder<Value>(column, chunk)
      return try decoder.decode(try await reader.read(range).contiguous())
    }
    switch column.type {
    case .int32: return .int32(try await decode(Int32.self))
    case .int64: return .int64(try await decode(Int64.self))
    case .double: return .double(try await decode(Double.self))
    case .byteArray: return .bytes(try await decode(Bytes.self))
    default: throw FormatError.unsupported("'\(printable(name))' is \(column.type), which is not read here")
    }
  }
}

/// The values of one column in one row group; `nil` is a null.
package enum ColumnValues: Sendable {
  case int32([Int32?])
  case int64([Int64?])
  case double([Double?])
  case bytes([Bytes?])
}
