import RangeIO
import SystemPackage

/// Reads what a segment says about itself, and accepts only what its checksums prove.
struct SpillScan {
  /// What a footer would list.
  private(set) var footer = SpillFooter()
  /// Where the valid part ends.
  private(set) var end = SpillFormat.headerCount
  /// The number of chunks whose payload is damaged.
  private(set) var damaged = 0

  static func header(of file: any SpillFile) throws(Errno) -> (header: SpillSegmentHeader, check: UInt32)? {
    let memory = try bytes(of: file, at: 0, SpillFormat.headerCount)
    return memory.withUnsafeBytes { SpillSegmentHeader.read($0) }
  }

  /// The footer of a sealed segment; `nil` if there is no valid one.
  static func footer(of file: any SpillFile, length: Int, check: UInt32) throws(Errno) -> SpillFooter? {
    let trailerAt = length - SpillFormat.trailerCount
    guard trailerAt > 0, length <= SpillFormat.largestSegment else { return nil }
    let trailer = try bytes(of: file, at: trailerAt, SpillFormat.trailerCount)
    guard
      let offset = trailer.withUnsafeBytes({ SpillTrailer.footer($0, length: length, segmentCheck: check) })
    else { return nil }
    // Checked before allocating memory: what a footer lists takes less space than the records before it.
    let count = trailerAt - offset
    let most = SpillFormat.recordHeaderCount + SpillFooter.fixedCount + offset - SpillFormat.headerCount
    guard count <= most else { return nil }
    let headerCount = SpillFormat.recordHeaderCount
    let header = try bytes(of: file, at: offset, headerCount)
    guard let record = header.withUnsafeBytes({ SpillRecord($0, segmentCheck: check) }), record.kind == .footer,
      headerCount + Int(record.stored) == count
    else { return nil }
    let payload = try bytes(of: file, at: offset + headerCount, count - headerCount)
    guard payload.count == count - headerCount else { return nil }
    return payload.withUnsafeBytes { bytes in
      CRC32C.of(bytes) == record.payloadCheck ? SpillFooter(bytes, at: offset) : nil
    }
  }

  static func bytes(of file: any SpillFile, at offset: Int, _ count: Int) throws(Errno) -> [UInt8] {
    var memory = [UInt8](repeating: 0, count: count)
    let result = memory.withUnsafeMutableBytes { buffer in
      Result { () throws(Errno) in try file.read(into: buffer, at: offset) }
    }
    let filled = try result.get()
    if filled < count { memory.removeLast(count - filled) }
    return memory
  }

  /// Reads all records of a segment that was not sealed, up to the first invalid header.
  init(_ file: any SpillFile, check: UInt32, length: Int) throws(Errno) {
    // Offsets beyond that cannot be stored.
    let length = min(length, SpillFormat.largestSegment)
    var window = SpillWindow(file)
    let headerCount = SpillFormat.recordHeaderCount
    while end + headerCount <= length {
      guard let header = try window.bytes(end, headerCount),
        let record = SpillRecord(header, segmentCheck: check)
      else { return }
      let span = SpillFormat.recordCount(payload: Int(record.stored))
      guard record.kind != .footer, span <= length - end || headerCount + Int(record.stored) <= length - end else {
        return
      }
      guard let bytes = try window.bytes(end, headerCount + Int(record.stored)) else { return }
      let payload = bytes.part(headerCount, Int(record.stored))
      let isWhole = CRC32C.of(payload) == record.payloadCheck
      // Without its source, or without knowing which blocks are removed, nothing after this can be used.
      guard isWhole || record.kind == .chunk else { return }
      guard enter(record, payload, isWhole: isWhole) else { return }
      end += span
    }
  }

  /// Returns whether it makes sense.
  private mutating func enter(_ record: SpillRecord, _ payload: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
    let first = footer.firstSequence == 0 ? record.sequence : footer.firstSequence
    // Sequences rise over all segments: the first may have any value.
    guard record.sequence > footer.lastSequence, record.sequence < SpillFormat.mostCounted,
      record.sequence - first <= UInt64(UInt32.max)
    else { return false }
    switch record.kind {
    case .footer: return false
    case .source:
      guard Int(record.source) == footer.identities.count, let identity = SpillIdentity(payload) else { return false }
      footer.identities.append(identity)
    case .tombstone:
      guard Int(record.source) < footer.identities.count, let tombstone = SpillTombstone(record, payload) else {
        return false
      }
      footer.tombstones.append(tombstone)
    case .chunk:
      guard Int(record.source) < footer.identities.count else { return false }
      if isWhole {
        footer.entries.append(.init(record, at: end))
      } else {
        damaged += 1
      }
    }
    footer.firstSequence = first
    footer.lastSequence = record.sequence
    return true
  }
}

/// Reads a segment from start to end, one megabyte at a time.
struct SpillWindow {
  private let file: any SpillFile
  private var buffer: WritableBytes?
  private var start = 0
  private var count = 0

  init(_ file: any SpillFile) { self.file = file }

  /// This many bytes from an offset; `nil` if the segment ends before. Valid until the next call.
  mutating func bytes(_ offset: Int, _ wanted: Int) throws(Errno) -> UnsafeRawBufferPointer? {
    if offset < start || offset + wanted > start + count {
      let size = max(wanted, 1 << 20)
      if (buffer?.capacity ?? 0) < size {
        buffer = nil
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
