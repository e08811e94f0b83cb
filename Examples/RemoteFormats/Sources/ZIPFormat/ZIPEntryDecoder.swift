import FormatSupport
import RangeIO

/// Decompresses the contents of one entry, piece by piece, and checks that they are what the central directory says.
struct ZIPEntryDecoder {
  private let entry: ZIPEntry
  /// `nil` for an entry that is stored as it is.
  private let inflater: Inflater?
  private var crc = CRC32()
  private var byteCount = 0

  init(_ entry: ZIPEntry, limit: Int) throws {
    guard !entry.isEncrypted else { throw FormatError.unsupported("'\(printable(entry.name))' is encrypted") }
    guard entry.size <= limit else {
      throw FormatError.tooLarge("'\(printable(entry.name))' has \(entry.size) bytes: more than the limit of \(limit)")
    }
    switch entry.method {
    case .stored:
      guard entry.compressedSize == entry.size else {
        throw FormatError.damaged("'\(printable(entry.name))' is stored as it is, and has two sizes")
      }
      inflater = nil
    case .deflated: inflater = try Inflater(.none, limit: entry.size)
    default: throw FormatError.unsupported("'\(printable(entry.name))' is compressed with \(entry.method)")
    }
    self.entry = entry
  }

  /// Takes the next compressed bytes, and passes on what they are decompressed.
  mutating func take(_ piece: Bytes, into sink: (Bytes) throws -> Void) throws {
    var (crc, byteCount) = (self.crc, self.byteCount)
    func pass(_ bytes: Bytes) throws {
      crc.add(bytes)
      byteCount += bytes.count
      try sink(bytes)
    }
    if let inflater { try inflater.take(piece, into: pass) } else { try pass(piece) }
    (self.crc, self.byteCount) = (crc, byteCount)
  }

  /// Throws unless all bytes have come, and are right.
  func finish() throws {
    guard byteCount == entry.size, inflater?.isFinished ?? true else {
      throw FormatError.damaged("'\(printable(entry.name))' has \(byteCount) bytes and should have \(entry.size)")
    }
    guard crc.value == entry.crc32 else {
      throw FormatError.damaged("the CRC-32 of '\(printable(entry.name))' is wrong: its contents are damaged")
    }
  }
}
