import RangeIO
import SystemPackage

/// Reads one segment from start to end and trusts nothing. Like ``SpillScan`` for a store, but continues after damage,
/// and also checks payloads.
struct SpillWalk {
  private(set) var found = SpillVerification()
  /// Where the next record should begin.
  private(set) var place = SpillFormat.headerCount
  private let number: UInt64
  private let length: Int
  /// Whether the file is longer than any segment. Then nothing is looked for behind its records: that could take days.
  private let isStretched: Bool
  /// The check of the segment, if its header is valid.
  private let check: UInt32?
  private var window: SpillWindow
  /// Whether the last bytes of the file end a segment.
  private var hasTrailer = false
  /// By number, if their records are intact.
  private var identities: [UInt32: SpillIdentity] = [:]
  /// What a footer should list.
  private var footer = SpillFooter()
  /// Why the last record is not valid. Counts only if another record follows, since the last one may never have been
  /// finished.
  private var suspect: SpillVerification.Damage?
  private var isOver = false

  /// - Parameter root: tells which segments belong to the directory; `nil` if that is not known.
  init(_ number: UInt64, _ file: any SpillFile, length: Int, of root: SpillRoot?) throws(Errno) {
    self.number = number
    isStretched = length > SpillFormat.largestSegment
    self.length = min(length, SpillFormat.largestSegment)
    window = SpillWindow(file)
    guard let (header, check) = try SpillScan.header(of: file) else {
      check = nil
      let start = try SpillScan.bytes(of: file, at: 0, min(length, SpillFormat.headerCount))
      // A process that was killed leaves an empty file, zeros, or a part of the header.
      if SpillFolder.isUnfinished(start) {
        (found.unfinished, isOver) = (1, true)
      } else {
        refuse("the segment's header is damaged")
      }
      return
    }
    self.check = check
    let end = try SpillScan.bytes(of: file, at: max(0, length - SpillFormat.trailerCount), SpillFormat.trailerCount)
    hasTrailer =
      !isStretched && end.withUnsafeBytes { SpillTrailer.footer($0, length: length, segmentCheck: check) } != nil
    if header.number != number {
      refuse("the file is segment \(header.number) under another name")
    } else if let root, !header.isSegment(number, of: root) {
      (found.leftovers, isOver) = (1, true)
    } else {
      found.segments = 1
      if hasTrailer { found.sealedSegments = 1 }
      if isStretched { add("the file has \(length) bytes, more than any segment") }
    }
  }

  /// The whole segment is not valid.
  private mutating func refuse(_ reason: String) {
    found.segments = 1
    found.add(.init(segment: number, offset: 0, reason: reason))
    isOver = true
  }

  /// Reads the next record, or what is in its place. Returns whether there is more.
  mutating func step() throws(Errno) -> Bool {
    guard !isOver, let check else { return false }
    let headerCount = SpillFormat.recordHeaderCount
    guard place + headerCount <= length, let header = try window.bytes(place, headerCount),
      let record = SpillRecord(header, segmentCheck: check)
    else {
      try skip()
      return !isOver
    }
    confirm()
    let end = place + headerCount + Int(record.stored)
    guard end <= length, let bytes = try window.bytes(place, end - place) else {
      // The whole segment is preallocated before anything is written.
      add("the file ends within the record")
      isOver = true
      return false
    }
    let payload = bytes.part(headerCount, Int(record.stored))
    if record.kind == .footer {
      finish(record, payload)
      return false
    }
    if let reason = try fault(of: record, payload, end) {
      suspect = .init(segment: number, offset: place, reason: reason)
    } else {
      found.records += 1
      found.recordBytes += SpillFormat.recordCount(payload: Int(record.stored))
    }
    place += SpillFormat.recordCount(payload: Int(record.stored))
    return true
  }

  // MARK: records

  /// What is wrong with a record whose header is valid; `nil` if nothing is.
  private mutating func fault(
    of record: SpillRecord, _ payload: UnsafeRawBufferPointer, _ end: Int
  ) throws(Errno) -> String? {
    guard CRC32C.of(payload) == record.payloadCheck else { return "its payload is damaged" }
    if footer.firstSequence == 0 { footer.firstSequence = record.sequence }
    footer.lastSequence = max(footer.lastSequence, record.sequence)
    switch record.kind {
    case .footer: break
    case .source:
      guard let identity = SpillIdentity(payload) else { return "it tells of no source" }
      identities[record.source] = identity
      footer.identities.append(identity)
    case .tombstone:
      guard let tombstone = SpillTombstone(record, payload) else { return "it removes nothing" }
      footer.tombstones.append(tombstone)
      found.tombstones += 1
    case .chunk:
      if let reason = fault(ofChunk: record, payload) { return reason }
      footer.entries.append(.init(record, at: place))
    }
    // After the payload was used, since reading more may move the bytes in memory.
    let rest = place + SpillFormat.recordCount(payload: Int(record.stored)) - end
    guard rest > 0, end + rest <= length, let zeros = try window.bytes(end, rest) else { return nil }
    return zeros.allSatisfy { $0 == 0 } ? nil : "the bytes behind it are not zero"
  }

  private mutating func fault(ofChunk record: SpillRecord, _ payload: UnsafeRawBufferPointer) -> String? {
    // If the record of its source is damaged, which is reported, the chunk is not examined further.
    if let identity = identities[record.source] {
      guard record.identityCheck == identity.check else { return "it is of another source" }
      guard record.lower == 0, let block = Int(exactly: record.block),
        Int(record.count) == identity.count(ofBlock: block)
      else { return "it is not a block of its source" }
    }
    guard record.stored > 0, record.stored <= record.count, record.count <= 1 << 30 else { return "it is too long" }
    switch record.codec {
    case 0: if record.stored != record.count { return "it is not encoded, and yet shorter than its block" }
    case LZ4Codec().id: if !Self.decodes(payload, Int(record.count)) { return "it does not decode" }
    default: found.unknownCodecs += 1
    }
    found.chunks += 1
    found.storedBytes += Int(record.stored)
    found.decodedBytes += Int(record.count)
    return nil
  }

  private static func decodes(_ payload: UnsafeRawBufferPointer, _ count: Int) -> Bool {
    guard let buffer = try? BufferPool.shared.buffer(count) else { return false }
    return LZ4Codec().decode(payload, into: buffer.memory.part(0, count))
  }

  // MARK: the end

  /// The footer's record was read, so the trailer should follow.
  private mutating func finish(_ record: SpillRecord, _ payload: UnsafeRawBufferPointer) {
    isOver = true
    let isWhole = CRC32C.of(payload) == record.payloadCheck
    let listed = isWhole ? SpillFooter(payload, at: place) : nil
    let trailerAt = place + SpillFormat.recordCount(payload: Int(record.stored))
    let end = trailerAt + SpillFormat.trailerCount
    // If the file is longer, the footer was written but the rest is not yet cut off.
    let isComplete = end == length
    guard isComplete || hasTrailer else {
      found.unfinished += 1
      return
    }
    if let listed {
      found.records += 1
      found.recordBytes += trailerAt - place
      if found.damaged == 0, listed != footer { add("the footer lists something else than the segment holds") }
    } else {
      add("the footer is damaged")
    }
    place = trailerAt
    if !hasTrailer { add("the trailer is damaged") }
    place = end
  }

  /// There is no valid record here: looks for the next one.
  private mutating func skip() throws(Errno) {
    guard !isStretched else {
      isOver = true
      return
    }
    if let next = try nextRecord(after: place) {
      confirm()
      add("there is no record")
      place = next
      return
    }
    isOver = true
    if hasTrailer {
      confirm()
      add("there is no record, nor behind it")
    } else {
      let isZero = try isZero(from: place)
      if suspect != nil || !isZero { found.unfinished += 1 }
    }
  }

  /// Another record follows the previous one, so the previous one counts as damaged if it is not valid.
  private mutating func confirm() {
    if let suspect { found.add(suspect) }
    suspect = nil
  }

  private mutating func add(_ reason: String) { found.add(.init(segment: number, offset: place, reason: reason)) }

  private mutating func nextRecord(after start: Int) throws(Errno) -> Int? {
    var next = start + 8
    while next + SpillFormat.recordHeaderCount <= length {
      let count = min(1 << 16, length - next)
      guard let bytes = try window.bytes(next, count) else { return nil }
      for offset in stride(from: 0, through: count - SpillFormat.recordHeaderCount, by: 8)
      where SpillRecord.mayBegin(bytes, at: offset) {
        let header = bytes.part(offset, SpillFormat.recordHeaderCount)
        if SpillRecord(header, segmentCheck: check!) != nil { return next + offset }
      }
      next += (count - SpillFormat.recordHeaderCount) / 8 * 8 + 8
    }
    return nil
  }

  private mutating func isZero(from start: Int) throws(Errno) -> Bool {
    var next = start
    while next < length {
      let count = min(1 << 16, length - next)
      guard let bytes = try window.bytes(next, count) else { return true }
      guard bytes.allSatisfy({ $0 == 0 }) else { return false }
      next += count
    }
    return true
  }
}
