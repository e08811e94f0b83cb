/// The records of one shard by (token, block): an index with open addressing, and the records themselves.
///
/// A block may have several records, one for each present piece, in a chain. Protected by the shard's lock. Records are
/// in pages that never move, so growing copies only the index: 8 bytes per entry.
struct RecordTable: ~Copyable {
  /// One compressed piece of a block: 64 bytes.
  struct Record: BitwiseCopyable {
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
    /// Another piece of the block, or 0. In a free record: the next free one.
    var next: UInt32 = 0
    /// Whether it was read since it was added.
    var isTouched = false
    var isUsed = false

    var upper: UInt32 { lower + count }
    var piece: Range<Int> { Int(lower)..<Int(upper) }
  }

  /// The bytes of a record including its share of the index.
  static let charge = MemoryLayout<Record>.stride + 16

  private struct Bucket: BitwiseCopyable {
    var tag: UInt32
    /// The first record of a block; 0 in an empty bucket.
    var first: UInt32
    static let empty = Bucket(tag: 0, first: 0)
  }
  private static let pageShift = 10

  private var buckets = LargeArray<Bucket>(count: 16, repeating: .empty)
  private var mask = 15
  /// The number of blocks that have records.
  private var blockCount = 0
  private var pages: [UnsafeMutablePointer<Record>] = []
  /// 0 for none, since slot 0 is never used.
  private var firstFree: UInt32 = 0
  /// The number of slots that were ever used, including slot 0.
  private(set) var slotsUsed = 1
  /// The number of records.
  private(set) var count = 0

  init() {}

  deinit {
    for page in pages { page.deallocate() }
  }

  subscript(slot: UInt32) -> Record {
    unsafeAddress { UnsafePointer(place(slot)) }
    unsafeMutableAddress { place(slot) }
  }

  private func place(_ slot: UInt32) -> UnsafeMutablePointer<Record> {
    pages[Int(slot) >> Self.pageShift] + (Int(slot) & (1 << Self.pageShift - 1))
  }

  /// The first record of a block, or 0. The others follow by `next`.
  func first(token: UInt64, block: Int, hash: UInt64) -> UInt32 {
    buckets[bucket(token, block, hash)].first
  }

  /// The bucket of a block, or the empty bucket where it belongs.
  private func bucket(_ token: UInt64, _ block: Int, _ hash: UInt64) -> Int {
    let tag = UInt32(truncatingIfNeeded: hash)
    var place = Int(tag) & mask
    while buckets[place].first != 0 {
      if buckets[place].tag == tag {
        let record = self.place(buckets[place].first)
        if record.pointee.token == token, record.pointee.block == block { break }
      }
      place = (place + 1) & mask
    }
    return place
  }

  /// Adds a record.
  ///
  /// - Returns: its slot.
  mutating func add(_ record: Record, hash: UInt64) -> UInt32 {
    if (blockCount + 1) * 4 > (mask + 1) * 3 { growIndex() }
    let slot = takeSlot()
    let bucket = bucket(record.token, record.block, hash)
    var record = record
    record.next = buckets[bucket].first
    record.isUsed = true
    if record.next == 0 { blockCount += 1 }
    place(slot).pointee = record
    buckets[bucket] = Bucket(tag: UInt32(truncatingIfNeeded: hash), first: slot)
    count += 1
    return slot
  }

  /// Removes a record.
  mutating func remove(_ slot: UInt32) {
    let record = self[slot]
    let hash = ChunkTable.hash(token: record.token, block: record.block)
    let bucket = bucket(record.token, record.block, hash)
    if buckets[bucket].first == slot {
      if record.next == 0 {
        removeBucket(bucket)
        blockCount -= 1
      } else {
        buckets[bucket].first = record.next
      }
    } else {
      var before = buckets[bucket].first
      while self[before].next != slot { before = self[before].next }
      self[before].next = record.next
    }
    self[slot] = Record()
    self[slot].next = firstFree
    firstFree = slot
    count -= 1
  }

  private mutating func takeSlot() -> UInt32 {
    if firstFree != 0 {
      let slot = firstFree
      firstFree = self[slot].next
      return slot
    }
    let slot = slotsUsed
    if slot >> Self.pageShift == pages.count {
      let page = UnsafeMutablePointer<Record>.allocate(capacity: 1 << Self.pageShift)
      page.initialize(repeating: Record(), count: 1 << Self.pageShift)
      pages.append(page)
    }
    slotsUsed += 1
    return UInt32(slot)
  }

  private mutating func growIndex() {
    let count = (mask + 1) * 2
    precondition(count < 1 << 31, "a shard's index is full")
    var old = LargeArray<Bucket>(count: count, repeating: .empty)
    swap(&old, &buckets)
    mask = count - 1
    for index in 0..<old.count where old[index].first != 0 {
      var place = Int(old[index].tag) & mask
      while buckets[place].first != 0 { place = (place + 1) & mask }
      buckets[place] = old[index]
    }
  }

  /// Closes the hole that a removed entry leaves (Knuth, The Art of Computer Programming 3, 6.4, Algorithm R).
  private mutating func removeBucket(_ place: Int) {
    var hole = place
    var place = place
    while true {
      place = (place + 1) & mask
      let bucket = buckets[place]
      if bucket.first == 0 { break }
      if (place - Int(bucket.tag)) & mask >= (place - hole) & mask {
        buckets[hole] = bucket
        hole = place
      }
    }
    buckets[hole] = .empty
  }
}
