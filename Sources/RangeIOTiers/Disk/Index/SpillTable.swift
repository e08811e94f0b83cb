package import RangeIO

/// Where each spilled block is, by source and block: 43 to 54 bytes per block.
package typealias SpillTable = BlockTable<SpilledBlock>

/// Where one spilled block is: 32 bytes.
package struct SpilledBlock: BlockRecord, Equatable {
  /// The source in the upper 24 bits, the block in the lower 40. In a free record: the next free one.
  package fileprivate(set) var key: UInt64 = 0
  /// When its bytes were requested from the source: milliseconds since 1970, rounded down, above 16 bits of marks.
  private var birthAndMarks: UInt64 = 0
  /// The index of the segment in the store's list.
  var segment: UInt32 = 0
  /// Where the record begins in the segment, in units of 8 bytes.
  private var place: UInt32 = 0
  /// The size of the payload.
  package var stored: UInt32 = 0

  package init() {}

  init(segment: UInt32, offset: Int, stored: UInt32, fetchedAt: Int64) {
    self.segment = segment
    place = UInt32(offset / 8)
    self.stored = stored
    birthMilliseconds = fetchedAt / 1_000_000
    birthAndMarks |= 1
  }

  package var source: Int { Int(key >> SpillTable.blockBits) }
  package var block: Int { Int(key & SpillTable.maxBlock) }
  var offset: Int { Int(place) * 8 }
  /// The space that the record takes in its segment.
  var span: Int { SpillFormat.recordCount(payload: Int(stored)) }

  var birthMilliseconds: Int64 {
    get { Int64(birthAndMarks >> 16) }
    set { birthAndMarks = UInt64(max(0, newValue)) << 16 | birthAndMarks & 0xFFFF }
  }
  /// When its bytes were requested from the source, in nanoseconds since 1970.
  package var fetchedAt: Int64 { birthMilliseconds * 1_000_000 }
  package var isUsed: Bool { birthAndMarks & 1 != 0 }
  /// The reads since it was written, up to 3, minus one for each time that it was spared since.
  var hits: Int {
    get { Int(birthAndMarks >> 1 & 3) }
    set { birthAndMarks = birthAndMarks & ~6 | UInt64(newValue) << 1 }
  }
  static let maxHits = 3
  /// It was written on trial, see ``SpillAdmission``.
  var isOnTrial: Bool {
    get { birthAndMarks & 8 != 0 }
    set { birthAndMarks = birthAndMarks & ~8 | (newValue ? 8 : 0) }
  }
  /// The reads since it was written, up to 7. Unlike ``hits``, they are never spent.
  var reads: Int {
    get { Int(birthAndMarks >> 4 & 7) }
    set { birthAndMarks = birthAndMarks & ~0x70 | UInt64(newValue) << 4 }
  }
  static let maxReads = 7

  /// A block has one record only, so this is the next free one, or 0.
  package var next: UInt32 {
    get { isUsed ? 0 : UInt32(truncatingIfNeeded: key) }
    set { key = UInt64(newValue) }
  }

  /// Well mixed, since blocks of one source differ only in a few low bits.
  package static func hash(_ key: UInt64) -> UInt64 {
    var bits = key
    bits = (bits ^ (bits >> 32)) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 29)) &* 0xD6E8_FEB8_6659_FD93
    return bits ^ (bits >> 32)
  }
}

extension SpillTable {
  static var blockBits: UInt64 { 40 }
  static var maxBlock: UInt64 { 1 << blockBits - 1 }
  static var maxSources: Int { 1 << 24 }

  init() { self.init(capacity: 1024) }

  /// `nil` for a block too far from its source's start to be kept. Such a block is never found.
  static func key(source: Int, block: Int) -> UInt64? {
    guard let block = UInt64(exactly: block), block <= maxBlock else { return nil }
    return UInt64(source) << blockBits | block
  }

  /// The key under which an evicted block is remembered by the check of its source's identity, since the source may no
  /// longer be known.
  static func ghostKey(check: UInt32, block: Int) -> UInt64 {
    SpilledBlock.hash(UInt64(check)) ^ UInt64(truncatingIfNeeded: block)
  }

  func find(source: Int, block: Int) -> UInt32 {
    guard let key = Self.key(source: source, block: block) else { return 0 }
    return first(key, hash: SpilledBlock.hash(key))
  }

  /// Enters a block that has a key, or changes its place. Returns the previous record, if any.
  @discardableResult mutating func set(source: Int, block: Int, _ record: SpilledBlock) -> SpilledBlock? {
    let key = Self.key(source: source, block: block)!
    let hash = SpilledBlock.hash(key)
    var record = record
    record.key = key
    let known = first(key, hash: hash)
    guard known == 0 else {
      let before = self[known]
      self[known] = record
      return before
    }
    _ = add(record, hash: hash)
    return nil
  }
}
