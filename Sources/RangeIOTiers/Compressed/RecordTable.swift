import RangeIO

/// The records of one shard by (token, block). A block may have several, one for each present piece.
typealias RecordTable = BlockTable<CompressedRecord>

/// One compressed piece of a block: 64 bytes.
struct CompressedRecord: BlockRecord {
  struct Key: Equatable {
    let token: UInt64
    let block: Int
  }

  var token: UInt64 = 0
  var block = 0
  /// In nanoseconds of the store's clock.
  var fetchedAt: Int64 = 0
  var lastRead: Int64 = 0
  /// The segment with the encoded bytes.
  var segment: UInt32 = 0
  var offset: UInt32 = 0
  /// The number of encoded bytes.
  var stored: UInt32 = 0
  /// The range of the piece within the block.
  var lower: UInt32 = 0
  var count: UInt32 = 0
  var next: UInt32 = 0
  /// It was read since it was added, or since an earlier read had it copied.
  var isTouched = false
  var isUsed = false

  var key: Key { Key(token: token, block: block) }
  var upper: UInt32 { lower + count }
  var piece: Range<Int> { Int(lower)..<Int(upper) }

  /// The range of the piece within the source.
  func range(on grid: BlockGrid) -> ByteRange {
    let start = block << grid.shift
    return start + Int(lower)..<start + Int(upper)
  }

  static func hash(_ key: Key) -> UInt64 { ChunkTable.hash(token: key.token, block: key.block) }
}

extension RecordTable {
  /// The bytes of a record including its share of the index.
  static var charge: Int { MemoryLayout<CompressedRecord>.stride + 16 }

  init() { self.init(capacity: 16) }

  /// The first record of a block, or 0.
  func first(token: UInt64, block: Int, hash: UInt64) -> UInt32 {
    first(CompressedRecord.Key(token: token, block: block), hash: hash)
  }
}
