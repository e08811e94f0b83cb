import FormatSupport
import RangeIO

/// Decodes the pages of a column chunk, one after the other.
struct ColumnDecoder<Value: ParquetValue> {
  private let column: Column
  private let codec: Codec
  private let count: Int
  private var dictionary: [Value]?
  private var values: [Value?] = []

  /// The most values that a chunk may have: of nulls, a few bytes of a file can claim any number.
  private static var mostValues: Int { 10_000_000 }

  init(_ column: Column, _ chunk: ColumnChunk) throws {
    guard column.maxRepetitionLevel == 0 else {
      throw FormatError.unsupported("'\(printable(column.name))' is a list or a map: only flat columns are read here")
    }
    guard (0...Self.mostValues).contains(chunk.valueCount) else {
      throw FormatError.tooLarge("'\(printable(column.name))' has \(chunk.valueCount) values in a row group")
    }
    self.column = column
    codec = chunk.codec
    count = chunk.valueCount
  }

  /// Decodes all pages of a chunk.
  mutating func decode(_ chunk: Bytes) throws -> [Value?] {
    var cursor = Bytes.Cursor(chunk)
    while values.count < count {
      let header = try PageHeader(&cursor)
      let body = try cursor.bytes(header.compressedSize)
      if let crc32 = header.crc32, CRC32(body).value != crc32 {
        throw FormatError.damaged("the CRC-32 of a page of '\(printable(column.name))' is wrong")
      }
      switch header.kind {
      case .index: break
      case .dictionary: try takeDictionary(header, body)
      case .data, .dataV2: try takeValues(header, body)
      }
    }
    return values
  }

  private mutating func takeDictionary(_ header: PageHeader, _ body: Bytes) throws {
    guard dictionary == nil, header.encoding == .plain || header.encoding == .plainDictionary else {
      throw FormatError.damaged("the dictionary of '\(printable(column.name))' is there twice, or \(header.encoding)")
    }
    var cursor = Bytes.Cursor(try decompress(body, to: header.uncompressedSize))
    dictionary = try Value.plain(header.valueCount, &cursor)
  }

  private mutating func takeValues(_ header: PageHeader, _ body: Bytes) throws {
    guard header.valueCount <= count - values.count else {
      throw FormatError.damaged("the pages of '\(printable(column.name))' have more values than its \(count)")
    }
    let (levels, plain) = try split(header, body)
    let presentCount = levels.map { $0.count { $0 == column.maxDefinitionLevel } } ?? header.valueCount
    let present = presentCount == 0 ? [] : try decode(presentCount, header.encoding, plain)
    guard let levels else {
      values += present
      return
    }
    var next = present.makeIterator()
    for level in levels { values.append(level == column.maxDefinitionLevel ? next.next() : nil) }
  }

  /// The definition levels of a page, `nil` if nothing can be missing; and its values.
  private func split(_ header: PageHeader, _ body: Bytes) throws -> (levels: [UInt32]?, values: Bytes) {
    let hasLevels = column.maxDefinitionLevel > 0
    let bitWidth = RunLengths.bitWidth(upTo: column.maxDefinitionLevel)
    if header.kind == .dataV2 {
      let levelSize = header.repetitionLevelSize + header.definitionLevelSize
      let levels = body[header.repetitionLevelSize..<levelSize]
      let stored = body[levelSize...]
      let values = header.isCompressed ? try decompress(stored, to: header.uncompressedSize - levelSize) : stored
      return (hasLevels ? try RunLengths.decode(levels, bitWidth: bitWidth, count: header.valueCount) : nil, values)
    }
    var cursor = Bytes.Cursor(try decompress(body, to: header.uncompressedSize))
    guard hasLevels else { return (nil, try cursor.bytes(cursor.remaining)) }
    guard header.definitionLevelEncoding == .runLength else {
      throw FormatError.unsupported("levels are encoded as \(header.definitionLevelEncoding): only RLE is read here")
    }
    let levels = try cursor.bytes(Int(try cursor.integer(UInt32.self, .littleEndian)))
    return (
      try RunLengths.decode(levels, bitWidth: bitWidth, count: header.valueCount), try cursor.bytes(cursor.remaining)
    )
  }

  private func decode(_ count: Int, _ encoding: Encoding, _ bytes: Bytes) throws -> [Value] {
    var cursor = Bytes.Cursor(bytes)
    switch encoding {
    case .plain: return try Value.plain(count, &cursor)
    case .runLengthDictionary, .plainDictionary:
      guard let dictionary else {
        throw FormatError.damaged("a page of '\(printable(column.name))' needs a dictionary, and there is none")
      }
      let bitWidth = Int(try cursor.integer(UInt8.self, .littleEndian))
      let rest = try cursor.bytes(cursor.remaining)
      return try RunLengths.decode(rest, bitWidth: bitWidth, count: count).map { index in
        guard index < dictionary.count else {
          throw FormatError.damaged("a dictionary of \(dictionary.count) values has none with the number \(index)")
        }
        return dictionary[Int(index)]
      }
    default:
      throw FormatError.unsupported(
        "'\(printable(column.name))' is encoded as \(encoding): only PLAIN and RLE_DICTIONARY are read here")
    }
  }

  private func decompress(_ bytes: Bytes, to size: Int) throws -> Bytes {
    let plain: Bytes
    switch codec {
    case .uncompressed: plain = bytes.contiguous()
    case .snappy: plain = try Snappy.decompress(bytes, to: size)
    // Nothing at all is what some writers make of a page of nulls.
    case .gzip: plain = size == 0 && bytes.isEmpty ? Bytes() : try bytes.inflated(.gzip, limit: size)
    default: throw FormatError.unsupported("pages are compressed with \(codec): only GZIP and SNAPPY are read here")
    }
    guard plain.count == size else {
      throw FormatError.damaged("a page of '\(printable(column.name))' has \(plain.count) bytes instead of \(size)")
    }
    return plain
  }
}
