import RangeIO

/// The list at the end of a sealed segment, so that the segment can be opened without reading it all.
package struct SpillFooter: Equatable {
  package struct Entry: Equatable, BitwiseCopyable {
    var block: UInt64 = 0
    var fetchedAt: Int64 = 0
    /// Where its record begins, in units of 8 bytes.
    private var place: UInt32 = 0
    var stored: UInt32 = 0
    var source: UInt32 = 0
    var lower: UInt32 = 0
    var count: UInt32 = 0
    var sequence: UInt64 = 0

    /// Where its record begins.
    var offset: Int {
      get { Int(place) * 8 }
      set { place = UInt32(newValue / 8) }
    }

    package init(_ record: SpillRecord, at offset: Int) {
      (block, fetchedAt, stored) = (record.block, record.fetchedAt, record.stored)
      (source, lower, count, sequence) = (record.source, record.lower, record.count, record.sequence)
      self.offset = offset
    }

    static let byteCount = 40

    /// - Parameter first: the first sequence of the segment, after which others are counted.
    init(_ bytes: UnsafeRawBufferPointer, after first: UInt64) {
      var distance: UInt32 = 0
      lay(SpillFields(from: bytes), &distance)
      sequence = first &+ UInt64(distance)
    }

    func write(to bytes: UnsafeMutableRawBufferPointer, after first: UInt64) {
      var (entry, distance) = (self, UInt32(sequence - first))
      entry.lay(SpillFields(to: bytes), &distance)
    }

    /// Where the fields stand, for reading and for writing.
    private mutating func lay(_ bytes: SpillFields, _ distance: inout UInt32) {
      bytes.field(&block, 0)
      bytes.field(&fetchedAt, 8)
      bytes.field(&place, 16)
      bytes.field(&stored, 20)
      bytes.field(&source, 24)
      bytes.field(&lower, 28)
      bytes.field(&count, 32)
      bytes.field(&distance, 36)
    }
  }

  package var identities: [SpillIdentity] = []
  package var tombstones: [SpillTombstone] = []
  package var entries: [Entry] = []
  package var firstSequence: UInt64 = 0
  package var lastSequence: UInt64 = 0

  static let fixedCount = 32
  static let tombstoneCount = 32

  package init() {}

  /// The source with this number; `nil` if there is none.
  func identity(_ number: UInt32) -> SpillIdentity? {
    Int(number) < identities.count ? identities[Int(number)] : nil
  }

  /// The size of the payload.
  var byteCount: Int {
    Self.fixedCount + identities.reduce(0) { $0 + 8 + SpillFormat.padded($1.bytes.count) }
      + tombstones.count * Self.tombstoneCount + entries.count * Entry.byteCount
  }

  /// The bytes that one more chunk adds.
  static let growth = Entry.byteCount

  /// Writes to ``byteCount`` zeroed bytes.
  func write(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(UInt32(identities.count), 0)
    bytes.put(UInt32(tombstones.count), 4)
    bytes.put(UInt32(entries.count), 8)
    bytes.put(firstSequence, 16)
    bytes.put(lastSequence, 24)
    var place = Self.fixedCount
    for identity in identities {
      bytes.put(UInt32(identity.bytes.count), place)
      bytes.part(place + 8, identity.bytes.count).copyBytes(from: identity.bytes)
      place += 8 + SpillFormat.padded(identity.bytes.count)
    }
    for tombstone in tombstones {
      bytes.put(tombstone.source, place)
      bytes.put(tombstone.blocks.lowerBound, place + 8)
      bytes.put(tombstone.blocks.upperBound, place + 16)
      bytes.put(tombstone.bound, place + 24)
      place += Self.tombstoneCount
    }
    for entry in entries {
      entry.write(to: bytes.part(place, Entry.byteCount), after: firstSequence)
      place += Entry.byteCount
    }
  }

  /// The end of a segment from `position` on: the footer's record, and the trailer. `nil` if it cannot be encrypted.
  func closing(sequence: UInt64, at position: Int, segmentCheck: UInt32, _ cipher: SpillCipher?) -> [UInt8]? {
    let overhead = cipher == nil ? 0 : SpillCipher.footerOverhead
    let count = SpillFormat.recordHeaderCount + byteCount + overhead + SpillFormat.trailerCount
    var memory = [UInt8](repeating: 0, count: count)
    let isWhole = memory.withUnsafeMutableBytes { bytes in
      let payload = bytes.part(SpillFormat.recordHeaderCount, byteCount + overhead)
      let plain = payload.part(overhead == 0 ? 0 : SpillCipher.saltCount, byteCount)
      write(to: plain)
      var record = SpillRecord(.footer)
      record.sequence = sequence
      if let cipher {
        guard cipher.encryptFooter(&record, UnsafeRawBufferPointer(plain), at: position, into: payload) else {
          return false
        }
      } else {
        record.block = UInt64(entries.count)
        record.describe(UnsafeRawBufferPointer(payload))
      }
      record.write(to: bytes.part(0, SpillFormat.recordHeaderCount), segmentCheck: segmentCheck)
      SpillTrailer.write(
        footerAt: position, length: position + count, segmentCheck: segmentCheck,
        to: bytes.part(count - SpillFormat.trailerCount, SpillFormat.trailerCount))
      return true
    }
    return isWhole ? memory : nil
  }

  /// Reads a payload whose checksum was right; `nil` if its values are impossible. Everything it lists must lie before
  /// `end`, where its record begins. Payloads may be longer than their chunks by `overhead`.
  package init?(_ bytes: UnsafeRawBufferPointer, at end: Int, overhead: Int = 0) {
    guard bytes.count >= Self.fixedCount else { return nil }
    let counts = (bytes.number(0, UInt32.self), bytes.number(4, UInt32.self), bytes.number(8, UInt32.self))
    firstSequence = bytes.number(16, UInt64.self)
    lastSequence = bytes.number(24, UInt64.self)
    // Sequences count up from 1, so a number near the maximum cannot be real.
    guard firstSequence <= lastSequence, lastSequence < SpillFormat.maxCounted,
      lastSequence - firstSequence <= UInt64(UInt32.max)
    else { return nil }
    var place = Self.fixedCount
    for _ in 0..<counts.0 {
      guard bytes.count - place >= 8 else { return nil }
      let count = Int(bytes.number(place, UInt32.self))
      guard bytes.count - place - 8 >= SpillFormat.padded(count),
        let identity = SpillIdentity(bytes.part(place + 8, count))
      else { return nil }
      identities.append(identity)
      place += 8 + SpillFormat.padded(count)
    }
    let rest = Int(counts.1) * Self.tombstoneCount + Int(counts.2) * Entry.byteCount
    guard bytes.count - place == rest else { return nil }
    for _ in 0..<counts.1 {
      let (lower, upper) = (bytes.number(place + 8, UInt64.self), bytes.number(place + 16, UInt64.self))
      let (source, bound) = (bytes.number(place, UInt32.self), bytes.number(place + 24, UInt64.self))
      // It removes what was written before it.
      guard lower <= upper, source < counts.0, bound <= lastSequence else { return nil }
      tombstones.append(SpillTombstone(source: source, blocks: lower..<upper, bound: bound))
      place += Self.tombstoneCount
    }
    entries.reserveCapacity(Int(counts.2))
    for _ in 0..<counts.2 {
      let entry = Entry(bytes.part(place, Entry.byteCount), after: firstSequence)
      guard entry.source < counts.0, isPossible(entry, before: end, overhead) else { return nil }
      entries.append(entry)
      place += Entry.byteCount
    }
  }

  /// `true` if a segment whose footer begins at `end` can hold this chunk.
  private func isPossible(_ entry: Entry, before end: Int, _ overhead: Int) -> Bool {
    firstSequence > 0 && entry.sequence <= lastSequence && entry.count <= SpillFormat.maxChunkCount
      && (1...max(1, entry.count) + UInt32(overhead)).contains(entry.stored) && entry.offset >= SpillFormat.headerCount
      && entry.offset + SpillFormat.recordCount(payload: Int(entry.stored)) <= end
  }
}

/// The last bytes of a sealed segment.
enum SpillTrailer {
  private static let magic: UInt32 = 0x544F_4952  // "RIOT"

  static func write(footerAt offset: Int, length: Int, segmentCheck: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(magic, 0)
    bytes.put(UInt32(0), 4)
    bytes.put(UInt64(offset), 8)
    bytes.put(UInt64(length), 16)
    bytes.put(segmentCheck, 24)
    bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes).part(0, 28)), 28)
  }

  /// Where the footer's record begins; `nil` if these bytes are no valid end of a segment of that length.
  static func footer(_ bytes: UnsafeRawBufferPointer, length: Int, segmentCheck: UInt32) -> Int? {
    guard bytes.count == SpillFormat.trailerCount, bytes.number(0, UInt32.self) == magic,
      bytes.number(16, UInt64.self) == UInt64(length), bytes.number(24, UInt32.self) == segmentCheck,
      bytes.number(28, UInt32.self) == CRC32C.of(bytes.part(0, 28))
    else { return nil }
    let offset = bytes.number(8, UInt64.self)
    let last = length - SpillFormat.trailerCount - SpillFormat.recordHeaderCount
    guard offset >= UInt64(SpillFormat.headerCount), last >= 0, offset <= UInt64(last) else { return nil }
    return Int(offset)
  }
}
