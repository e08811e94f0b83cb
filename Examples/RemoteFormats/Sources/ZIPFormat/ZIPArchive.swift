import FormatSupport
import RangeIO
import RangeIORemote

/// The list of what is in a ZIP file (APPNOTE.TXT 6.3.10), read with one or two requests.
package struct ZIPArchive: Sendable {
  /// In the order of the central directory. A name may occur more than once.
  package let entries: [ZIPEntry]
  /// What was said of the whole archive.
  package let comment: Bytes
  let reader: RangeReader
  /// Where the local headers and the contents of entries are. Bytes before it belong to something else, such as the
  /// program that extracts the archive.
  let contents: ByteRange

  /// The largest central directory that is read: a million entries and more.
  static let largestDirectory = 256 << 20
  /// What is read first.
  package static let opening = RemoteOpening.suffix(EndRecord.longestTail)

  package init(_ reader: RangeReader) async throws {
    let tail = try await reader.read(suffix: EndRecord.longestTail).contiguous()
    let tailStart = reader.byteCount - tail.count
    let (found, position) = try EndRecord.find(in: tail)
    let (record, end) = try await Self.resolve(found, at: position, of: tail, from: tailStart, reader)

    guard record.directorySize <= Self.largestDirectory else {
      throw FormatError.tooLarge("the central directory has \(record.directorySize) bytes: more than are read here")
    }
    // The directory ends where the records begin. What it says of its own place does not count bytes before the archive.
    guard let size = Int(exactly: record.directorySize), let offset = Int(exactly: record.directoryOffset), size <= end,
      offset <= end - size
    else { throw FormatError.damaged("the central directory does not lie within the file: it is cut off or damaged") }
    let start = end - size
    contents = start - offset..<start
    // Of this the beginning of the read above is in the cache: at most the rest is fetched.
    entries = try Self.parse(try await reader.read(start..<end), count: record.entryCount)
    comment = record.comment
    self.reader = reader
  }

  /// The numbers of the ZIP64 record if there is one, and where the directory ends.
  private static func resolve(
    _ record: EndRecord, at position: Int, of tail: Bytes, from tailStart: Int, _ reader: RangeReader
  ) async throws -> (EndRecord, end: Int) {
    let end = tailStart + position
    // Some writers make it although the other record has all numbers.
    guard position >= ZIP64.locatorSize,
      let stated = try ZIP64.recordOffset(tail[position - ZIP64.locatorSize..<position])
    else { return (record, end) }
    // Usually right before the locator, also where bytes before the archive make the stated offset wrong.
    let usual = end - ZIP64.locatorSize - ZIP64.recordSize
    for offset in [usual, Int(exactly: stated)].compactMap({ $0 }) where offset >= 0 && offset <= usual {
      let bytes = try await reader.read(offset: offset, count: ZIP64.recordSize)
      if let whole = try ZIP64.merge(bytes, into: record) { return (whole, offset) }
    }
    guard record.isSaturated else { return (record, end) }
    throw FormatError.damaged("the ZIP64 record at \(stated) is missing")
  }

  private static func parse(_ directory: Bytes, count: UInt64) throws -> [ZIPEntry] {
    guard count <= directory.count / ZIPEntry.leastSize else {
      throw FormatError.damaged("\(count) entries do not fit into a central directory of \(directory.count) bytes")
    }
    var cursor = Bytes.Cursor(directory.contiguous())
    var entries: [ZIPEntry] = []
    for _ in 0..<count { entries.append(try ZIPEntry(&cursor)) }
    guard cursor.remaining == 0 else {
      throw FormatError.damaged("\(cursor.remaining) bytes of the central directory belong to no entry")
    }
    return entries
  }

  /// The last entry of this name: what unpacking all entries in order leaves.
  package func entry(named name: String) throws -> ZIPEntry {
    guard let entry = entries.last(where: { $0.name == name }) else {
      throw FormatError.notFound("no entry is called '\(printable(name))'")
    }
    return entry
  }
}
