/// A record of a ``BlockTable``.
package protocol BlockRecord: BitwiseCopyable {
  associatedtype Key: Equatable

  init()

  var key: Key { get }
  /// Another record with the same key, or 0. In a free record: the next free one.
  var next: UInt32 { get set }

  /// Well mixed: its lower half is the bucket, and tells keys apart.
  static func hash(_ key: Key) -> UInt64
}

/// Records by key, in the memory of one store or shard: an index with open addressing, and the records themselves. A
/// key may have several records, in a chain.
///
/// Protected by its owner's lock, for which all look-ups wait. Records are in pages that never move, so growing copies
/// only the index: 8 bytes per key, with three to six eighths of the entries used. The index grows in steps, some
/// buckets with each record that is added; until all are moved, the old index exists beside the new one.
package struct BlockTable<Entry: BlockRecord>: ~Copyable {
  package typealias Record = Entry
  package typealias Key = Entry.Key

  private var buckets: LargeArray<BlockBucket>
  private var mask: Int
  /// The old index, and the first of its buckets that is still to be moved.
  private var old = LargeArray<BlockBucket>(count: 1, repeating: .empty)
  private var nextMoved = 1
  private var keyCount = 0
  private var pages: [UnsafeMutablePointer<Record>] = []
  /// 0 for none, since slot 0 is never used.
  private var firstFree: UInt32 = 0
  /// The number of slots that were ever used, including slot 0.
  package private(set) var slotsUsed = 1
  package private(set) var count = 0

  /// Small pages, since most of the last page may be unused.
  private static var pageShift: Int { 9 }

  /// - Parameter capacity: the buckets of the first index, a power of two.
  package init(capacity: Int) {
    buckets = LargeArray(count: capacity, repeating: .empty)
    mask = capacity - 1
  }

  deinit {
    for page in pages { page.deallocate() }
  }

  /// Buckets of the old index that are still to be moved.
  var bucketsToMove: Int { old.count - nextMoved }
  /// The number of buckets moved at once. Two would be enough to finish before the index must grow again.
  static var movedAtOnce: Int { 32 }

  /// The memory it takes in bytes. While it grows, half of its index more.
  package var byteCount: Int {
    (mask + 1) * MemoryLayout<BlockBucket>.stride + pages.count << Self.pageShift * MemoryLayout<Record>.stride
  }

  package subscript(slot: UInt32) -> Record {
    unsafeAddress { UnsafePointer(place(slot)) }
    unsafeMutableAddress { place(slot) }
  }

  private func place(_ slot: UInt32) -> UnsafeMutablePointer<Record> {
    pages[Int(slot) >> Self.pageShift] + (Int(slot) & (1 << Self.pageShift - 1))
  }

  // MARK: records

  /// The first record of a key, or 0. The others follow by ``BlockRecord/next``.
  package func first(_ key: Key, hash: UInt64) -> UInt32 {
    let slot = buckets[bucket(key, hash)].slot
    return slot == 0 ? unmoved(key, hash).map { old[$0].slot } ?? 0 : slot
  }

  /// Adds a record, as the first of its key. Returns its slot.
  package mutating func add(_ record: Record, hash: UInt64) -> UInt32 {
    moveSome()
    if (keyCount + 1) * 4 > (mask + 1) * 3 { growIndex() }
    let slot = takeSlot()
    self[slot] = record
    count += 1
    let entry = BlockBucket(tag: UInt32(truncatingIfNeeded: hash), slot: slot)
    let bucket = bucket(record.key, hash)
    if buckets[bucket].slot != 0 {
      self[slot].next = buckets[bucket].slot
      buckets[bucket] = entry
    } else if let place = unmoved(record.key, hash) {
      self[slot].next = old[place].slot
      old[place] = entry
    } else {
      buckets[bucket] = entry
      keyCount += 1
    }
    return slot
  }

  package mutating func remove(_ slot: UInt32) {
    // A table that only shrinks lets its old buckets go, too.
    moveSome()
    let key = self[slot].key
    let next = self[slot].next
    let hash = Record.hash(key)
    let unmoved = unmoved(key, hash)
    let place = unmoved ?? bucket(key, hash)
    let first = unmoved == nil ? buckets[place].slot : old[place].slot
    if first != slot {
      unlink(slot, after: first)
    } else if next != 0 {
      if unmoved == nil { buckets[place].slot = next } else { old[place].slot = next }
    } else {
      if unmoved == nil { removeBucket(place) } else { old[place] = .removed }
      keyCount -= 1
    }
    self[slot] = Record()
    self[slot].next = firstFree
    firstFree = slot
    count -= 1
  }

  private mutating func unlink(_ slot: UInt32, after first: UInt32) {
    var before = first
    while self[before].next != slot { before = self[before].next }
    self[before].next = self[slot].next
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

  // MARK: the index

  /// The bucket of a key, or the empty bucket where it belongs.
  private func bucket(_ key: Key, _ hash: UInt64) -> Int {
    let tag = UInt32(truncatingIfNeeded: hash)
    var place = Int(tag) & mask
    while buckets[place].slot != 0 {
      if buckets[place].tag == tag, self.place(buckets[place].slot).pointee.key == key { break }
      place = (place + 1) & mask
    }
    return place
  }

  /// The bucket of the old index with a key that was not moved yet.
  private func unmoved(_ key: Key, _ hash: UInt64) -> Int? {
    guard bucketsToMove > 0 else { return nil }
    let tag = UInt32(truncatingIfNeeded: hash)
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

  private mutating func growIndex() {
    precondition(bucketsToMove == 0, "the index has to grow before it is moved")
    let count = (mask + 1) * 2
    precondition(count < 1 << 31, "the index is full")
    old = LargeArray<BlockBucket>(zeroed: count)
    swap(&old, &buckets)
    nextMoved = 0
    mask = count - 1
  }

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

private struct BlockBucket: BitwiseCopyable {
  var tag: UInt32
  /// The first record of a key; 0 in an empty bucket.
  var slot: UInt32
  static let empty = BlockBucket(tag: 0, slot: 0)
  /// In the old index: an entry that was removed.
  static let removed = BlockBucket(tag: 0, slot: .max)
}
