import FormatSupport
import RangeIO

extension ZIPArchive {
  /// The first read of an entry. All of a smaller entry comes with it, header included.
  private static let firstRead = 1 << 20
  /// How much longer than here the extra fields of a local header may be without costing another request.
  private static let slack = 64

  /// Decompresses an entry in constant memory, and checks its size and CRC-32.
  ///
  /// - Parameters:
  ///   - limit: the most bytes that may come out.
  ///   - sink: gets the bytes, in order. Do not use them before this returns: the check comes last.
  package func extract(
    _ entry: ZIPEntry, limit: Int = 4 << 30, into sink: (Bytes) throws -> Void
  ) async throws {
    var decoder = try ZIPEntryDecoder(entry, limit: limit)
    let header = try part(
      "the header of '\(printable(entry.name))'", offset: entry.headerOffset, count: LocalHeader.leastSize, of: contents
    )
    // Until the header is here, nobody knows where the contents begin.
    let (guess, isTooLong) = entry.compressedSize.addingReportingOverflow(
      header.count + entry.rawName.count + entry.extraSize + Self.slack)
    let first =
      header.lowerBound..<header.lowerBound
      + min(isTooLong ? .max : guess, Self.firstRead, contents.upperBound - header.lowerBound)
    let begin = try await reader.read(first)

    let dataOffset = header.lowerBound + (try LocalHeader.size(begin, of: entry)) - contents.lowerBound
    let data = try part(
      "the contents of '\(printable(entry.name))'", offset: dataOffset, count: entry.compressedSize, of: contents)
    let here = data.clamped(to: first)
    if !here.isEmpty {
      try decoder.take(begin[here.lowerBound - first.lowerBound..<here.upperBound - first.lowerBound], into: sink)
    }
    let rest = max(data.lowerBound, first.upperBound)
    if rest < data.upperBound {
      for try await piece in reader.stream(rest..<data.upperBound) { try decoder.take(piece, into: sink) }
    }
    try decoder.finish()
  }
}

/// The header before the contents of an entry (APPNOTE.TXT, 4.3.7). The central directory has said most of it.
enum LocalHeader {
  /// Without the name and the extra fields.
  static let leastSize = 30
  private static let signature: UInt32 = 0x0403_4B50

  /// The number of bytes from the beginning of the header in `bytes` to the contents.
  static func size(_ bytes: Bytes, of entry: ZIPEntry) throws -> Int {
    var cursor = Bytes.Cursor(bytes)
    guard try cursor.integer(UInt32.self, .littleEndian) == signature else {
      throw FormatError.damaged("there is no header where '\(printable(entry.name))' should begin")
    }
    try cursor.skip(4)
    guard try cursor.integer(UInt16.self, .littleEndian) == entry.method.number else {
      throw FormatError.damaged("two headers of '\(printable(entry.name))' name different methods")
    }
    // Time, CRC and sizes: those in the central directory are right also for archives that were written as streams.
    try cursor.skip(4 + 3 * 4)
    let lengths = try cursor.integers(2, of: UInt16.self, .littleEndian).map(Int.init)
    guard lengths[0] == entry.rawName.count, try cursor.bytes(lengths[0]) == entry.rawName else {
      throw FormatError.damaged("another entry is where '\(printable(entry.name))' should begin")
    }
    return cursor.position + lengths[1]
  }
}
