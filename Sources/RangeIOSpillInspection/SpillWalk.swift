import RangeIO
import RangeIOTiers
import SystemPackage

/// Reads one segment from start to end and trusts nothing. Unlike a store, it continues after damage, decodes, and
/// compares the footer.
struct SpillWalk {
  private(set) var found = SpillVerification()
  private let number: UInt64
  private let length: Int
  /// `nil` if there is nothing to read.
  private var reader: SpillReader?
  /// Where the footer's record begins, as the last bytes of the file say, which end a segment.
  private var footerPlace: Int?
  /// By number, if their records are intact.
  private var identities: [UInt32: SpillIdentity] = [:]
  /// The footer that the segment should have.
  private var footer = SpillFooter()
  /// Why the last record is not valid. Counts only if another record follows, since the last one may never have been
  /// finished.
  private var suspect: SpillVerification.Damage?
  /// Its records are encrypted: only their sums can be compared.
  private var isEncrypted = false

  /// - Parameter root: tells which segments belong to the directory; `nil` if that is not known.
  init(_ number: UInt64, _ file: any SpillFile, length: Int, of root: SpillRoot?) throws(Errno) {
    (self.number, self.length) = (number, length)
    guard let (header, check) = try SpillReader.header(of: file) else {
      let start = try file.bytes(at: 0, min(length, SpillFormat.headerCount))
      // A process that was killed leaves an empty file, zeros, or a part of the header.
      if SpillFolder.isUnfinished(start) { found.unfinished = 1 } else { refuse("the segment's header is damaged") }
      return
    }
    guard header.number == number else {
      refuse("the file is segment \(header.number) under another name")
      return
    }
    if let root, !header.isSegment(number, of: root) {
      found.leftovers = 1
      return
    }
    isEncrypted = header.encryption != nil
    if isEncrypted { found.encryptedSegments = 1 }
    let reader = SpillReader(file, check: check, length: length, isEncrypted: isEncrypted)
    self.reader = reader
    footerPlace = try reader.footerPlace()
    found.segments = 1
    if hasTrailer { found.sealedSegments = 1 }
    if reader.isStretched { add("the file has \(length) bytes, more than any segment", at: reader.place) }
  }

  private var hasTrailer: Bool { footerPlace != nil }

  /// Where the next record should begin.
  var place: Int { reader?.place ?? 0 }

  /// The whole segment is not valid.
  private mutating func refuse(_ reason: String) {
    found.segments = 1
    add(reason, at: 0)
  }

  private mutating func add(_ reason: String, at offset: Int) {
    found.add(.init(segment: number, offset: offset, reason: reason))
  }

  /// Reads the next record, or what is in its place. Returns whether there is more.
  mutating func step() throws(Errno) -> Bool {
    guard let item = try reader?.next() else { return false }
    switch item {
    case .nothing: return try skip()
    case .cutShort:
      confirm()
      // The whole segment is preallocated before anything is written.
      add("the file ends within the record", at: place)
      guard !reader!.isStretched else { return false }
      return try reader!.skip()
    case .record(let record) where record.record.kind == .footer && record.offset >= footerPlace ?? 0:
      confirm()
      finish(record)
      return false
    case .record(let record):
      confirm()
      if let reason = try fault(of: record) {
        suspect = .init(segment: number, offset: record.offset, reason: reason)
        if !record.isWhole { try reader!.goBack(to: record.offset) }
      } else {
        found.records += 1
        found.recordBytes += place - record.offset
      }
      return true
    }
  }

  // MARK: records

  /// The fault of a record whose header is valid; `nil` if there is none.
  private mutating func fault(of found: SpillReader.Found) throws(Errno) -> String? {
    guard found.isWhole else { return "its payload is damaged" }
    let record = found.record
    if footer.firstSequence == 0 { footer.firstSequence = record.sequence }
    footer.lastSequence = max(footer.lastSequence, record.sequence)
    switch record.kind {
    // A store goes by the footer that the trailer names.
    case .footer: return "there is a footer in the midst of the segment"
    case .chunk where isEncrypted:
      self.found.chunks += 1
      self.found.storedBytes += Int(record.stored)
    case .tombstone where isEncrypted: self.found.tombstones += 1
    case .source where isEncrypted: break
    case .source:
      guard let identity = SpillIdentity(found.payload) else { return "it tells of no source" }
      identities[record.source] = identity
      footer.identities.append(identity)
    case .tombstone:
      guard let tombstone = SpillTombstone(record, found.payload) else { return "it removes nothing" }
      footer.tombstones.append(tombstone)
      self.found.tombstones += 1
    case .chunk:
      if let reason = fault(ofChunk: record, found.payload) { return reason }
      footer.entries.append(.init(record, at: found.offset))
    }
    // After the payload was used, since reading more may move the bytes in memory.
    guard let zeros = try reader!.bytes(found.end, place - found.end), zeros.contains(where: { $0 != 0 }) else {
      return nil
    }
    return "the bytes behind it are not zero"
  }

  private mutating func fault(ofChunk record: SpillRecord, _ payload: UnsafeRawBufferPointer) -> String? {
    // If the record of its source is damaged, which is reported, the chunk is not examined further.
    if let identity = identities[record.source] {
      guard record.identityCheck == identity.check else { return "it is of another source" }
      guard record.lower == 0, let block = Int(exactly: record.block),
        Int(record.count) == identity.count(ofBlock: block)
      else { return "it is not a block of its source" }
    }
    guard record.stored > 0, record.stored <= record.count, record.count <= SpillFormat.maxChunkCount else {
      return "it is too long"
    }
    if let codec = LibraryCodecs.numbered(record.codec) {
      // Before memory is taken for it: a few bytes may say that they are a gibibyte.
      guard Int(record.count) <= LibraryCodecs.maxDecoded(Int(record.stored), by: record.codec) else {
        return "it is too short for its bytes"
      }
      // `try?`: it fails only without memory, and a record that cannot be looked at is not said to be right.
      guard let buffer = try? BufferPool.shared.buffer(Int(record.count)),
        codec.decode(payload, into: UnsafeMutableRawBufferPointer(rebasing: buffer.memory.prefix(Int(record.count))))
      else { return "it does not decode" }
    } else {
      found.unknownCodecs += 1
    }
    found.chunks += 1
    found.storedBytes += Int(record.stored)
    found.decodedBytes += Int(record.count)
    return nil
  }

  // MARK: the end

  /// The footer's record was read, so the trailer should follow.
  private mutating func finish(_ last: SpillReader.Found) {
    let end = place + SpillFormat.trailerCount
    // If the file is longer, the footer was written but the rest is not yet cut off.
    guard end == length || hasTrailer else {
      found.unfinished += 1
      return
    }
    if last.isWhole, case let listed = SpillFooter(last.payload, at: last.offset), listed != nil || isEncrypted {
      found.records += 1
      found.recordBytes += place - last.offset
      if !isEncrypted, found.damaged == 0, listed != footer {
        add("the footer lists something else than the segment holds", at: last.offset)
      }
    } else {
      add("the footer is damaged", at: last.offset)
    }
    if !hasTrailer { add("the trailer is damaged", at: place) }
  }

  /// There is no valid record here: looks for the next one. Returns whether there is one.
  private mutating func skip() throws(Errno) -> Bool {
    let start = place
    // In a file that is longer than any segment, looking further could take days.
    guard !reader!.isStretched else { return false }
    if try reader!.skip() {
      confirm()
      add("there is no record", at: start)
      return true
    }
    if hasTrailer {
      confirm()
      add("there is no record, nor behind it", at: start)
    } else {
      let isZero = try reader!.endsInZeros()
      if suspect != nil || !isZero { found.unfinished += 1 }
    }
    return false
  }

  /// Another record follows the previous one, so the previous one counts as damaged if it is not valid.
  private mutating func confirm() {
    if let suspect { found.add(suspect) }
    suspect = nil
  }
}
