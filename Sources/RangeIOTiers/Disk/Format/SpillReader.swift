package import RangeIO
package import SystemPackage

/// Reads the file of a segment: its header, its footer, its records in order, or the one at a known place. Accepts only
/// what checksums prove. Opening, reclaiming and inspecting a directory all read by it.
package struct SpillReader {
  /// The result of reading at ``place``.
  package enum Item {
    case record(Found)
    /// The file ends within a record.
    case cutShort
    /// No valid header of a record.
    case nothing
  }

  /// A record whose header is valid.
  package struct Found {
    package let record: SpillRecord
    package let offset: Int
    /// Valid until the reader reads on.
    package let payload: UnsafeRawBufferPointer
    package let isWhole: Bool

    /// Where the payload ends.
    package var end: Int { offset + SpillFormat.recordHeaderCount + payload.count }
  }

  /// The contents of a segment that was not sealed, by its records.
  struct Scan {
    /// The footer that would list them.
    var footer = SpillFooter()
    /// Where the valid part ends.
    var end: Int
    /// The number of chunks whose payload is damaged.
    var damaged = 0
  }

  private let file: any SpillFile
  private let check: UInt32
  /// Opens the records, in an encrypted segment.
  private let cipher: SpillCipher?
  private let isEncrypted: Bool
  private let length: Int
  /// `true` if the file is longer than any segment.
  package let isStretched: Bool
  /// Where the next record should begin.
  package private(set) var place: Int
  /// The part of the file that was read last: one megabyte, or one record if that is longer.
  private var buffer: WritableBytes?
  private var start = 0
  private var count = 0
  /// The payload that was decrypted last.
  private var plain = Bytes()

  /// - Parameters:
  ///   - cipher: of an encrypted segment. Without one, its records are compared with their sums only.
  ///   - length: of the file. Offsets beyond those of the largest segment cannot be stored, and are not read.
  ///   - isEncrypted: where records begin. Default: as `cipher` says.
  package init(
    _ file: any SpillFile, check: UInt32, _ cipher: SpillCipher? = nil, length: Int = SpillFormat.maxSegmentSize,
    isEncrypted: Bool? = nil
  ) {
    (self.file, self.check, self.cipher) = (file, check, cipher)
    self.isEncrypted = isEncrypted ?? (cipher != nil)
    place = SpillSegmentHeader.byteCount(isEncrypted: self.isEncrypted)
    self.length = min(length, SpillFormat.maxSegmentSize)
    isStretched = length > SpillFormat.maxSegmentSize
  }

  // MARK: the ends of a segment

  package static func header(of file: any SpillFile) throws(Errno) -> (header: SpillSegmentHeader, check: UInt32)? {
    try file.bytes(at: 0, SpillFormat.encryptedHeaderCount).withUnsafeBytes { SpillSegmentHeader.read($0) }
  }

  /// Where the footer's record begins, if the last bytes of the file are a valid trailer.
  package func footerPlace() throws(Errno) -> Int? {
    let trailerAt = length - SpillFormat.trailerCount
    guard trailerAt > 0, !isStretched else { return nil }
    return try file.bytes(at: trailerAt, SpillFormat.trailerCount).withUnsafeBytes {
      SpillTrailer.footer($0, length: length, segmentCheck: check)
    }
  }

  /// The footer of a sealed segment; `nil` if there is no valid one.
  func footer() throws(Errno) -> SpillFooter? {
    guard let offset = try footerPlace() else { return nil }
    // Checked before allocating memory: what a footer lists takes less space than the records before it.
    let count = length - SpillFormat.trailerCount - offset
    let overhead = cipher == nil ? 0 : SpillCipher.footerOverhead
    let most = SpillFormat.recordHeaderCount + SpillFooter.fixedCount + overhead + offset - SpillFormat.headerCount
    guard count <= most else { return nil }
    return try file.bytes(at: offset, count).withUnsafeBytes { bytes in
      guard let record = SpillRecord(bytes, segmentCheck: check), record.kind == .footer,
        SpillFormat.recordHeaderCount + Int(record.stored) == count, bytes.count == count
      else { return nil }
      let payload = bytes.part(SpillFormat.recordHeaderCount, Int(record.stored))
      guard record.matches(payload) else { return nil }
      guard let cipher else { return SpillFooter(payload, at: offset) }
      return cipher.decryptFooter(record, payload, at: offset)?.withUnsafeBytes {
        SpillFooter($0, at: offset, overhead: SpillCipher.tagCount)
      }
    }
  }

  // MARK: records

  /// Reads the next record, and goes on behind it; stays where there is none.
  package mutating func next() throws(Errno) -> Item {
    guard let header = try bytes(place, SpillFormat.recordHeaderCount),
      let record = SpillRecord(header, segmentCheck: check), record.isPossible(at: place, isEncrypted: isEncrypted)
    else { return .nothing }
    guard let found = try found(record, at: place) else { return .cutShort }
    place += SpillFormat.recordCount(payload: found.payload.count)
    return .record(found)
  }

  /// The chunk of a source with a payload of `stored` bytes at a known place; `nil` if there is no whole one.
  mutating func chunk(at offset: Int, stored: UInt32, of identity: SpillIdentity) throws(Errno) -> Found? {
    guard let bytes = try bytes(offset, SpillFormat.recordHeaderCount + Int(stored)),
      let record = SpillRecord(bytes, segmentCheck: check), record.kind == .chunk, record.stored == stored,
      let found = try found(record, at: offset), case let opened = self.opened(found, of: { _ in identity }),
      opened.isWhole
    else { return nil }
    return opened
  }

  /// What a record of an encrypted segment is in plain. If it is not what its tag protects, it is not whole.
  private mutating func opened(_ found: Found, of identity: (UInt32) -> SpillIdentity?) -> Found {
    guard let cipher, found.record.kind != .footer else { return found }
    let record = found.record.unmasked(by: cipher)
    let identity = record.kind == .source ? [] : identity(record.source)?.unnamed
    // Overwrites the end of the header in the buffer, which is not read again.
    guard found.isWhole, let identity,
      let opened = cipher.decrypt(record, found.payload, at: found.offset, of: identity)
    else {
      return Found(record: record, offset: found.offset, payload: found.payload, isWhole: false)
    }
    plain = opened
    // The pointer outlives the closure: `plain` keeps the memory until the next record is opened.
    return Found(record: record, offset: found.offset, payload: plain.withUnsafeBytes { $0 }, isWhole: true)
  }

  private mutating func found(_ record: SpillRecord, at offset: Int) throws(Errno) -> Found? {
    let stored = Int(record.stored)
    guard let bytes = try bytes(offset, SpillFormat.recordHeaderCount + stored) else { return nil }
    let payload = bytes.part(SpillFormat.recordHeaderCount, stored)
    return Found(record: record, offset: offset, payload: payload, isWhole: record.matches(payload))
  }

  /// Behind a record that was read and is not whole: goes to the first valid header within it, if there is one. Then its
  /// length was wrong too, and whole records may lie there.
  package mutating func goBack(to offset: Int) throws(Errno) {
    let end = place
    place = offset
    if try !skip(before: end) { place = end }
  }

  /// Goes to the next valid header behind ``place``, and before `end`. Returns false, and stays, if there is none.
  package mutating func skip(before end: Int = .max) throws(Errno) -> Bool {
    var next = place + 8
    while next < end, next + SpillFormat.recordHeaderCount <= length {
      let count = min(1 << 16, length - next)
      guard let bytes = try bytes(next, count) else { return false }
      for offset in stride(from: 0, through: count - SpillFormat.recordHeaderCount, by: 8)
      where SpillRecord(bytes.part(offset, SpillFormat.recordHeaderCount), segmentCheck: check) != nil {
        guard next + offset < end else { return false }
        place = next + offset
        return true
      }
      next += (count - SpillFormat.recordHeaderCount) / 8 * 8 + 8
    }
    return false
  }

  /// `true` if only zeros follow ``place``.
  package mutating func endsInZeros() throws(Errno) -> Bool {
    var next = place
    while next < length, let bytes = try bytes(next, min(1 << 16, length - next)) {
      guard bytes.allSatisfy({ $0 == 0 }) else { return false }
      next += bytes.count
    }
    return true
  }

  /// Reads all records of a segment that was not sealed, up to the first that makes no sense.
  mutating func scan() throws(Errno) -> Scan {
    var scan = Scan(end: place)
    // Without its source, or without knowing which blocks are removed, nothing after a record can be used.
    while case .record(let read) = try next(),
      case let found = opened(read, of: { [footer = scan.footer] in footer.identity($0) }),
      found.isWhole || found.record.kind == .chunk, scan.enter(found)
    {
      scan.end = place
    }
    return scan
  }

  // MARK: bytes

  /// This many bytes from an offset; `nil` if the segment ends before. Valid until the next call.
  package mutating func bytes(_ offset: Int, _ wanted: Int) throws(Errno) -> UnsafeRawBufferPointer? {
    guard offset + wanted <= length else { return nil }
    if offset < start || offset + wanted > start + count {
      let size = max(wanted, 1 << 20)
      if (buffer?.capacity ?? 0) < size {
        buffer = nil
        // `try?`: it fails only without memory.
        guard let fresh = try? BufferPool.shared.buffer(size) else { throw .noMemory }
        buffer = fresh
      }
      start = offset
      count = 0
      count = try file.read(into: buffer!.memory.part(0, size), at: offset)
    }
    guard offset + wanted <= start + count else { return nil }
    return UnsafeRawBufferPointer(buffer!.memory.part(offset - start, wanted))
  }
}

extension SpillReader.Scan {
  /// Returns whether it makes sense.
  fileprivate mutating func enter(_ found: SpillReader.Found) -> Bool {
    let (record, source) = (found.record, Int(found.record.source))
    let first = footer.firstSequence == 0 ? record.sequence : footer.firstSequence
    // Sequences rise over all segments: the first may have any value.
    guard record.sequence > footer.lastSequence, record.sequence < SpillFormat.maxCounted,
      record.sequence - first <= UInt64(UInt32.max)
    else { return false }
    switch record.kind {
    case .footer: return false
    case .source:
      guard source == footer.identities.count, let identity = SpillIdentity(found.payload) else { return false }
      footer.identities.append(identity)
    case .tombstone:
      guard source < footer.identities.count, let tombstone = SpillTombstone(record, found.payload) else {
        return false
      }
      footer.tombstones.append(tombstone)
    case .chunk:
      guard source < footer.identities.count else { return false }
      if found.isWhole { footer.entries.append(.init(record, at: found.offset)) } else { damaged += 1 }
    }
    footer.firstSequence = first
    footer.lastSequence = record.sequence
    return true
  }
}

extension SpillFile {
  /// The bytes from an offset; fewer at the file's end.
  package func bytes(at offset: Int, _ count: Int) throws(Errno) -> [UInt8] {
    var memory = [UInt8](repeating: 0, count: count)
    let result = memory.withUnsafeMutableBytes { buffer in
      Result { () throws(Errno) in try read(into: buffer, at: offset) }
    }
    let filled = try result.get()
    if filled < count { memory.removeLast(count - filled) }
    return memory
  }

  func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, Errno> in
      Result { () throws(Errno) in try write([buffer], at: offset) }
    }
    try result.get()
  }
}
