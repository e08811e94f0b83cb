#if Tool
import RangeIO
import RangeIOSupport

/// The notes of a copy beside its target, by which the next run goes on after a kill. The format is described in
/// `Docs/Formats/CopyJournal.md`.
///
/// A header of 96 bytes says what is copied. Records of 16 bytes follow, each of one finished piece. Header and records
/// have checksums, so that a torn write, or a hole where a write failed, counts as nothing.
enum CopyJournal {
  static let headerSize = 96
  static let recordSize = 16
  /// The bytes of the header before its sum. With its sum, every header would have the same one.
  private static let summedSize = 92
  /// The first bytes of every journal, and all of one that notes nothing.
  static let magic: [UInt8] = Array("rioCopy1".utf8)

  /// The source, its version and the layout. The first two are digests: ids may be long, and an id may be private.
  struct Identity: Equatable {
    var source: [UInt8]
    var version: [UInt8]
    var layout: CopyLayout

    /// - Returns: `nil` if the version cannot be recognized later: the source has no versions, or changed so recently
    ///   that another change would not show.
    init?(_ source: SourceDescription, _ layout: CopyLayout) {
      guard source.isSettled, let form = source.validator?.persistentForm, !form.isEmpty else { return nil }
      self.source = SHA256.digest(of: Array(source.id.utf8))
      version = SHA256.digest(of: form)
      self.layout = layout
    }

    init(source: [UInt8], version: [UInt8], layout: CopyLayout) {
      self.source = source
      self.version = version
      self.layout = layout
    }
  }

  /// A finished piece.
  struct Record: Equatable {
    var piece: Int
    /// Its CRC-32C.
    var sum: UInt32
  }

  /// The most bytes of a journal that are read: each piece twice, and some more.
  static func largest(_ layout: CopyLayout) -> Int {
    headerSize + (layout.byteCount / CopyLayout.minPieceSize * 2 + 1024) * recordSize
  }

  /// The header of a journal.
  static func header(_ identity: Identity) -> [UInt8] {
    var bytes = magic
    bytes.append(littleEndian: UInt64(truncatingIfNeeded: identity.layout.byteCount))
    bytes.append(littleEndian: UInt32(identity.layout.pieceSize))
    bytes.append(littleEndian: UInt32(0))
    bytes += identity.source + identity.version
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: sum(bytes))
    return bytes
  }

  /// Parses the header in `bytes`; `nil` if it is damaged, or not one of a journal.
  static func identity(_ bytes: [UInt8]) -> Identity? {
    guard bytes.count >= headerSize, bytes.starts(with: magic) else { return nil }
    let sum = sum(Array(bytes[..<summedSize]))
    guard let noted: UInt32 = integer(bytes, at: summedSize), noted == sum else { return nil }
    guard let byteCount: UInt64 = integer(bytes, at: 8), let pieceSize: UInt32 = integer(bytes, at: 16),
      let byteCount = Int(exactly: byteCount),
      pieceSize.nonzeroBitCount == 1, (CopyLayout.minPieceSize...CopyLayout.maxPieceSize).contains(Int(pieceSize))
    else { return nil }
    return Identity(
      source: Array(bytes[24..<56]), version: Array(bytes[56..<88]),
      layout: CopyLayout(byteCount: byteCount, pieceSize: Int(pieceSize)))
  }

  /// The sums of the pieces that the journal `bytes` has, if it is one of `identity`. Of two records of one piece the
  /// later one counts.
  static func sums(_ bytes: [UInt8], of identity: Identity) -> [Int: UInt32] {
    let check = sum(Array(bytes[..<summedSize]))
    var sums: [Int: UInt32] = [:]
    var offset = headerSize
    while offset + recordSize <= bytes.count {
      defer { offset += recordSize }
      guard let piece: UInt64 = integer(bytes, at: offset), let pieceSum: UInt32 = integer(bytes, at: offset + 8),
        let noted: UInt32 = integer(bytes, at: offset + 12),
        noted == sum(Array(bytes[offset..<offset + 12]), continuing: check),
        piece < UInt64(identity.layout.pieceCount)
      else { continue }
      sums[Int(piece)] = pieceSum
    }
    return sums
  }

  /// Where the next record goes.
  struct Cursor: Equatable {
    private var offset: Int
    /// The sum in the header: a record of another journal is none of this one.
    private let check: UInt32

    /// - Parameter length: the length of the journal now. An incomplete record at its end is skipped.
    init(_ identity: Identity, length: Int = headerSize) {
      let slots = (max(length, headerSize) - headerSize + recordSize - 1) / recordSize
      offset = headerSize + slots * recordSize
      check = sum(Array(header(identity)[..<summedSize]))
    }

    /// Places `records`, and moves on.
    mutating func write(_ records: [Record]) -> CopyPlan.JournalWrite {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(records.count * recordSize)
      for record in records {
        var one: [UInt8] = []
        one.append(littleEndian: UInt64(record.piece))
        one.append(littleEndian: record.sum)
        one.append(littleEndian: sum(one, continuing: check))
        bytes += one
      }
      defer { offset += bytes.count }
      return CopyPlan.JournalWrite(offset: offset, bytes: bytes)
    }
  }

  private static func sum(_ bytes: [UInt8], continuing earlier: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.of($0, continuing: earlier) }
  }

  private static func integer<Number: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int) -> Number? {
    guard offset + MemoryLayout<Number>.size <= bytes.count else { return nil }
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }
}
#endif
