import RangeIO

/// Adjacent records of neighbouring blocks in one segment, to be read at once.
struct SpillRun: Sendable {
  /// The most bytes read from a file at once.
  static let maxByteCount = 1 << 20

  struct Block {
    let number: Int
    let record: SpillTable.Record
    /// The whole of it.
    let range: ByteRange
    /// The requested part.
    let wanted: ByteRange

    fileprivate var part: Part {
      Part(block: number, offset: record.offset, stored: Int(record.stored), count: range.count)
    }
  }

  struct Part: Sendable {
    let block: Int
    /// Where its record begins.
    let offset: Int
    let stored: Int
    /// The size of the block.
    let count: Int
  }

  let segment: SpillSegment
  let slot: Int
  let identityCheck: UInt32
  /// The source, if records are encrypted: their tags protect it.
  let identity: SpillIdentity?
  /// The source's number within the segment.
  let local: UInt32
  let first: Part
  /// Those after the first.
  private(set) var more: [Part] = []
  /// The range of the blocks.
  private(set) var range: ByteRange
  /// The requested part of that range.
  private(set) var wanted: ByteRange
  /// When the oldest was requested, in nanoseconds since 1970.
  private(set) var fetchedAt: Int64

  private let place: UInt32

  init(
    _ block: Block, in segment: SpillSegment, slot: Int, identityCheck: UInt32, identity: SpillIdentity?, local: UInt32
  ) {
    self.segment = segment
    self.slot = slot
    self.identityCheck = identityCheck
    self.identity = identity
    self.local = local
    range = block.range
    wanted = block.wanted
    place = block.record.segment
    fetchedAt = block.record.fetchedAt
    first = block.part
  }

  /// The number of records.
  var count: Int { 1 + more.count }
  var parts: [Part] { [first] + more }
  private var last: Part { more.last ?? first }
  var offset: Int { first.offset }

  /// The payload of the record is the block itself. If the record is wrong about that, the check finds it.
  func isBlock(_ part: Part) -> Bool { segment.cipher == nil && part.stored == part.count }
  /// The number of bytes up to the end of the last payload.
  var byteCount: Int {
    last.offset + SpillFormat.recordHeaderCount + last.stored - offset
  }

  /// Adds a block if its record directly follows the last one and does not make the run too long.
  mutating func append(_ block: Block) -> Bool {
    let (last, record) = (last, block.record)
    guard record.segment == place, record.offset == last.offset + SpillFormat.recordCount(payload: last.stored),
      block.range.lowerBound == range.upperBound, record.offset + record.span - offset <= Self.maxByteCount
    else { return false }
    more.append(block.part)
    range = range.lowerBound..<block.range.upperBound
    wanted = wanted.lowerBound..<block.wanted.upperBound
    fetchedAt = min(fetchedAt, block.record.fetchedAt)
    return true
  }
}
