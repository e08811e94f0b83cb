/// Where each spilled block is: an index with open addressing, and records of 32 bytes.
///
/// Protected by its store's lock, for which all look-ups wait. Records are in pages that never move, so growing copies
/// only the index: 8 bytes per entry, with three to six eighths of the entries used. Together 43 to 54 bytes per block.
/// The index grows in steps, some buckets with each block that is entered; until all are moved, the old index exists
/// beside the new one.
struct SpillTable: ~Copyable {
  /// Where one block is.
  struct Record: BitwiseCopyable {
    /// The source in the upper 24 bits, the block in the lower 40. In a free record: the next free one.
    fileprivate(set) var key: UInt64 = 0
    /// When its bytes were requested from the source: milliseconds since 1970, rounded down, above 16 bits of marks.
    private var birthAndMarks: UInt64 = 0
    /// The index of the segment in the store's list.
    var segment: UInt32 = 0
    /// Where the record begins in the segment, in units of 8 bytes.
    private var place: UInt32 = 0
    /// The size of the payload.
    var stored: UInt32 = 0

    init() {}

    init(segment: UInt32, offset: Int, stored: UInt32, fetchedAt: Int64) {
      self.segment = segment
      place = UInt32(offset / 8)
      self.stored = stored
      birthMilliseconds = fetchedAt / 1_000_000
      isUsed = true
    }

    var source: Int { Int(key >> SpillTable.blockBits) }
    var block: Int { Int(key & SpillTable.largestBlock) }
    var offset: Int { Int(place) * 8 }
    /// The space that the record takes in its segment.
    var span: Int { SpillFormat.recordCount(payload: Int(stored)) }

    var birthMilliseconds: Int64 {
      get { Int64(birthAndMarks >> 16) }
      set { birthAndMarks = UInt64(max(0, newValue)) << 16 | birthAndMarks & 0xFFFF }
    }
    fileprivate(set) var isUsed: Bool {
      get { birthAndMarks & 1 != 0 }
      set { birthAndMarks = birthAndMarks & ~1 | (newValue ? 1 : 0) }
    }
    /// How often it was read since it was written, up to 3, minus one for each time that it was spared since.
    var hits: Int {
      get { Int(birthAndMarks >> 1 & 3) }
      set { birthAndMarks = birthAndMarks & ~6 | UInt64(newValue) << 1 }
    }
    static let mostHits = 3
  }

  private struct Bucket: BitwiseCopyable {
    var tag: UInt32
    /// 0 in an empty bucket.
    var slot: UInt32
    static let empty = Bucket(tag: 0, slot: 0)
    /// In the old index: an entry that was removed.
    static let removed = Bucket(tag: 0, slot: .max)
  }

  static let blockBits: UInt64 = 40
  static let largestBlock: UInt64 = 1 << blockBits - 1
  static let mostSources = 1 << 24
  /// Small pages, since most of the last page may be unused.
  private static let pageShift = 9

  private var buckets = LargeArray<Bucket>(count: 1024, repeating: .empty)
  private var mask = 1023
  /// The old index, and the first of its buckets that is still to be moved.
  private var old = LargeArray<Bucket>(count: 1, repeating: .empty)
  private var nextMoved = 1
  private var pages: [UnsafeMutablePointer<Record>] = []
  private var firstFree: UInt32 = 0
  /// The number of slots that were ever used, including slot 0, which is never used for a block.
  private(set) var slotsUsed = 1
  /// The number of blocks.
  private(set) var count = 0

  init() {}

  deinit {
    for page in pages { page.deallocate() }
  }

  /// Buckets of the old index that are still to be moved.
  var bucketsToMove: Int { old.count - nextMoved }
  /// How many buckets are moved at once. Two would be enough to finish before the index must grow again.
  static let movedAtOnce = 32

  /// The memory it takes in bytes. While it grows, half of its index more.
  var byteCount: Int {
    (mask + 1) * MemoryLayout<Bucket>.stride + pages.count << Self.pageShift * MemoryLayout<Record>.stride
  }

  subscript(slot: UInt32) -> Record {
    unsafeAddress { UnsafePointer(place(slot)) }
    unsafeMutableAddress { place(slot) }
  }

  private func place(_ slot: UInt32) -> UnsafeMutablePointer<Record> {
    pages[Int(slot) >> Self.pageShift] + (Int(slot) & (1 << Self.pageShift - 1))
  }

  /// `nil` for a block too far from its source's start to be kept. Such a block is never found.
  static func key(source: Int, block: Int) -> UInt64? {
    guard let block = UInt64(exactly: block), block <= largestBlock else { return nil }
    return UInt64(source) << blockBits | block
  }

  /// The key under which an evicted block is remembered, when its source may no longer be known.
  ///
  /// - Parameter check: the check of the source's identity.
  static func ghostKey(check: UInt32, block: Int) -> UInt64 {
    hash(UInt64(check)) ^ UInt64(truncatingIfNeeded: block)
  }

  /// Well mixed, since blocks of one source differ only in a few low bits.
  static func hash(_ key: UInt64) -> UInt64 {
    var bits = key
    bits = (bits ^ (bits >> 32)) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 29)) &* 0xD6E8_FEB8_6659_FD93
    return bits ^ (bits >> 32)
  }

  /// The slot of a block, or 0.
  func find(source: Int, block: Int) -> UInt32 {
    guard let key = Self.key(source: source, block: block) else { return 0 }
    return find(key)
  }

  private func find(_ key: UInt64) -> UInt32 {
    let slot = buckets[bucket(key)].slot
    return slot == 0 ? unmoved(key).map { old[$0].slot } ?? 0 : slot
  }

  /// The bucket of the old index with a block that was not moved yet.
  private func unmoved(_ key: UInt64) -> Int? {
    guard bucketsToMove > 0 else { return nil }
    let tag = UInt32(truncatingIfNeeded: Self.hash(key))
    var place = Int(tag) & (old.count - 1)
    while old[place].slot != 0 {
      let bucket = old[place]
      if place >= nextMoved, bucket.tag == tag, bucket.slot != .max, self.place(bucket.slot).pointee.key == key {
        return place
      }
      place = (place + 1) & (old.count - 1)
    }
    return nil
  }

  private func bucket(_ key: UInt64) -> Int {
    let tag = UInt32(truncatingIfNeeded: Self.hash(key))
    var place = Int(tag) & mask
    while buckets[place].slot != 0 {
      if buckets[place].tag == tag, self.place(buckets[place].slot).pointee.key == key { break }
      place = (place + 1) & mask
    }
    return place
  }

  /// Enters a block, or changes its place.
  ///
  /// - Precondition: the block has a key.
  /// - Returns: the previous record, if any.
  @discardableResult mutating func set(source: Int, block: Int, _ record: Record) -> Record? {
    let key = Self.key(source: source, block: block)!
    var record = record
    record.key = key
    let known = find(key)
    guard known == 0 else {
      let before = self[known]
      self[known] = record
      return before
    }
    moveSome()
    if (count + 1) * 4 > (mask + 1) * 3 { growIndex() }
    let slot = takeSlot()
    self[slot] = record
    buckets[bucket(key)] = Bucket(tag: UInt32(truncatingIfNeeded: Self.hash(key)), slot: slot)
    count += 1
    return nil
  }

  /// Removes a block.
  mutating func remove(_ slot: UInt32) {
    let key = self[slot].key
    if let place = unmoved(key) { old[place] = .removed } else { removeBucket(bucket(key)) }
    self[slot] = Record()
    self[slot].key = UInt64(firstFree)
    firstFree = slot
    count -= 1
  }

  private mutating func takeSlot() -> UInt32 {
    if firstFree != 0 {
      let slot = firstFree
      firstFree = UInt32(self[slot].key)
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
    precondition(bucketsToMove == 0, "the index has to grow before it is moved")
    let count = (mask + 1) * 2
    old = LargeArray<Bucket>(zeroed: count)
    swap(&old, &buckets)
    nextMoved = 0
    mask = count - 1
  }

  /// Moves some buckets of the old index, if there is one.
  private mutating func moveSome() {
    guard bucketsToMove > 0 else { return }
    for place in nextMoved..<min(nextMoved + Self.movedAtOnce, old.count) {
      let bucket = old[place]
      nextMoved = place + 1
      guard bucket.slot != 0, bucket.slot != .max else { continue }
      var free = Int(bucket.tag) & mask
      while buckets[free].slot != 0 { free = (free + 1) & mask }
      buckets[free] = bucket
    }
    guard bucketsToMove == 0 else { return }
    old = LargeArray(count: 1, repeating: .empty)
    nextMoved = 1
  }

  /// Closes the hole that a removed entry leaves (Knuth, The Art of Computer Programming 3, 6.4, Algorithm R).
  private mutating func removeBucket(_ place: Int) {
    var hole = place
    var place = place
    while true {
      place = (place + 1) & mask
      let bucket = buckets[place]
      if bucket.slot == 0 { break }
      if (place - Int(bucket.tag)) & mask >= (place - hole) & mask {
        buckets[hole] = bucket
        hole = place
      }
    }
    buckets[hole] = .empty
  }
}
