/// The chunks of one shard by (token, block): an index by open addressing into slots that never move.
///
/// Lives under its shard's lock, and is written with pointers so that a look-up is two loads from memory that is likely
/// far away and nothing else: no reference is counted, no array is checked for being shared.
///
/// **Index.** 8 bytes a bucket, linear probing, between three and six eighths full: the number of a slot and 32 bits of
/// the hash, of which the lower ones are the bucket where the entry belongs. So neither growing nor closing the hole of
/// a removed entry looks at slots. The blocks of an extent lie next to each other, so that a range over 16 blocks
/// touches one or two cache lines here.
///
/// **Slots.** 48 bytes each, in slabs, their numbers given out again after a removal.
struct ChunkTable: ~Copyable {
  /// One chunk. `owner` is `nil` in a free slot, whose `charge` is the number of the next free one.
  struct Slot {
    /// Keeps the bytes, retained once: a backing, or a ``PieceList`` if `base` is nil.
    var owner: Unmanaged<AnyObject>?
    var base: UnsafeRawPointer?
    /// When the oldest bytes were asked for, in nanoseconds of the store's clock.
    var birth: Int64
    /// The block's lower 48 bits, and the token's lower 16 above them.
    fileprivate var blockAndToken: UInt64
    /// The token's upper 32 bits of 48.
    fileprivate var tokenHigh: UInt32
    /// What part of the block is there, from its first byte to the end of its last: all of it, unless this is pieces.
    var lower: UInt32
    var upper: UInt32
    /// The bytes charged in units of 16, below a bit that says whether the user pinned it.
    fileprivate var chargeAndPin: UInt32

    var block: Int { Int(blockAndToken & (1 << 48 - 1)) }
    var token: UInt64 { UInt64(tokenHigh) << 16 | blockAndToken >> 48 }
    var charge: Int {
      get { Int(chargeAndPin & 0x7FFF_FFFF) << 4 }
      set { chargeAndPin = chargeAndPin & 0x8000_0000 | UInt32(newValue >> 4) }
    }
    var isPinned: Bool {
      get { chargeAndPin >> 31 != 0 }
      set { chargeAndPin = chargeAndPin & 0x7FFF_FFFF | (newValue ? 0x8000_0000 : 0) }
    }
  }

  private struct Bucket {
    var slot: UInt32
    var tag: UInt32
    static let empty = Bucket(slot: 0, tag: 0)
  }

  /// Blocks and tokens above this are not kept.
  static let largestKeyPart = UInt64(1) << 48 - 1
  private static let slotsPerSlab = 1024

  private var buckets: UnsafeMutablePointer<Bucket>
  private var mask: Int
  private var slabs: UnsafeMutablePointer<UnsafeMutablePointer<Slot>>
  private var slabCapacity: Int
  private var slabCount = 0
  private var firstFree: UInt32 = 0
  /// Slots that were ever used. The first, number 0, stands for none.
  private(set) var slotsUsed = 1
  /// The chunks.
  private(set) var count = 0

  init() {
    mask = 15
    buckets = .allocate(capacity: 16)
    buckets.initialize(repeating: .empty, count: 16)
    slabCapacity = 4
    slabs = .allocate(capacity: 4)
  }

  deinit {
    for number in 1..<slotsUsed { self[number].owner?.release() }
    for slab in 0..<slabCount { slabs[slab].deallocate() }
    slabs.deallocate()
    buckets.deallocate()
  }

  /// What the index itself takes, for the accounts of tests: slots, slabs and buckets.
  var byteCount: Int {
    (mask + 1) * MemoryLayout<Bucket>.stride + slabCount * Self.slotsPerSlab * MemoryLayout<Slot>.stride
      + slabCapacity * MemoryLayout<UnsafeMutablePointer<Slot>>.stride
  }

  /// The slot numbered `number`.
  subscript(number: Int) -> Slot {
    @inline(__always) unsafeAddress {
      UnsafePointer(slabs[number / Self.slotsPerSlab] + number % Self.slotsPerSlab)
    }
    @inline(__always) unsafeMutableAddress { slabs[number / Self.slotsPerSlab] + number % Self.slotsPerSlab }
  }

  /// The hash of a key: the upper half chooses among shards, the same for all blocks of an extent of 16; the lower half
  /// is its tag.
  @inline(__always) static func hash(token: UInt64, block: Int) -> UInt64 {
    var hash = token &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(block >> 4) &* 0xC2B2_AE3D_27D4_EB4F
    hash ^= hash >> 32
    hash &*= 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
    // The four bits of the block within its extent are the lowest: neighbours.
    return hash & ~15 | UInt64(block & 15)
  }

  /// The slot of a chunk, or 0.
  ///
  /// - Parameter hash: that of the key.
  @inline(__always) func find(token: UInt64, block: Int, hash: UInt64) -> Int {
    let tag = UInt32(truncatingIfNeeded: hash)
    var place = Int(tag) & mask
    while true {
      let bucket = buckets[place]
      if bucket.slot == 0 { return 0 }
      if bucket.tag == tag {
        let slot = Int(bucket.slot)
        if self[slot].blockAndToken == UInt64(block) | token << 48, self[slot].tokenHigh == UInt32(token >> 16) {
          return slot
        }
      }
      place = (place + 1) & mask
    }
  }

  /// Adds a chunk that is not there.
  ///
  /// - Parameter owner: retained once for the table.
  /// - Returns: its slot.
  mutating func add(
    token: UInt64, block: Int, hash: UInt64, owner: Unmanaged<AnyObject>, base: UnsafeRawPointer?,
    coverage: Range<Int>, charge: Int, birth: Int64
  ) -> Int {
    if (count + 1) * 4 > (mask + 1) * 3 { growIndex() }
    let number = takeSlot()
    self[number] = Slot(
      owner: owner, base: base, birth: birth, blockAndToken: UInt64(block) | token << 48,
      tokenHigh: UInt32(token >> 16), lower: UInt32(coverage.lowerBound), upper: UInt32(coverage.upperBound),
      chargeAndPin: UInt32(charge >> 4))
    Self.enter(Bucket(slot: UInt32(number), tag: UInt32(truncatingIfNeeded: hash)), buckets, mask)
    count += 1
    return number
  }

  /// Takes a chunk out.
  ///
  /// - Returns: what it was; its owner is the caller's to release.
  mutating func remove(_ number: Int) -> Slot {
    let slot = self[number]
    removeBucket(of: UInt32(number), tag: UInt32(truncatingIfNeeded: Self.hash(token: slot.token, block: slot.block)))
    self[number].owner = nil
    self[number].chargeAndPin = firstFree
    firstFree = UInt32(number)
    count -= 1
    return slot
  }

  // MARK: index

  private static func enter(_ bucket: Bucket, _ buckets: UnsafeMutablePointer<Bucket>, _ mask: Int) {
    var place = Int(bucket.tag) & mask
    while buckets[place].slot != 0 { place = (place + 1) & mask }
    buckets[place] = bucket
  }

  private mutating func growIndex() {
    let old = (buckets: buckets, count: mask + 1)
    let count = old.count * 2
    precondition(count <= 1 << 32, "a shard's index is full")
    let new = UnsafeMutablePointer<Bucket>.allocate(capacity: count)
    new.initialize(repeating: .empty, count: count)
    for place in 0..<old.count where old.buckets[place].slot != 0 { Self.enter(old.buckets[place], new, count - 1) }
    old.buckets.deallocate()
    buckets = new
    mask = count - 1
  }

  private mutating func removeBucket(of slot: UInt32, tag: UInt32) {
    var hole = Int(tag) & mask
    while buckets[hole].slot != slot { hole = (hole + 1) & mask }
    // Closes the hole with a later entry that may stand there, and goes on with the hole that it leaves
    // (Knuth, The Art of Computer Programming 3, 6.4, Algorithm R).
    var place = hole
    while true {
      place = (place + 1) & mask
      let bucket = buckets[place]
      if bucket.slot == 0 { break }
      let distanceFromHome = (place - Int(bucket.tag)) & mask
      let distanceFromHole = (place - hole) & mask
      if distanceFromHome >= distanceFromHole {
        buckets[hole] = bucket
        hole = place
      }
    }
    buckets[hole] = .empty
  }

  // MARK: slots

  private mutating func takeSlot() -> Int {
    if firstFree != 0 {
      let number = Int(firstFree)
      firstFree = self[number].chargeAndPin
      return number
    }
    let number = slotsUsed
    precondition(number < UInt32.max, "a shard's slots are used up")
    if number >= slabCount * Self.slotsPerSlab || slabCount == 0 { addSlab() }
    slotsUsed += 1
    return number
  }

  private mutating func addSlab() {
    if slabCount == slabCapacity {
      let larger = UnsafeMutablePointer<UnsafeMutablePointer<Slot>>.allocate(capacity: slabCapacity * 2)
      larger.moveInitialize(from: slabs, count: slabCount)
      slabs.deallocate()
      slabs = larger
      slabCapacity *= 2
    }
    let slab = UnsafeMutablePointer<Slot>.allocate(capacity: Self.slotsPerSlab)
    slab.initialize(
      repeating: Slot(
        owner: nil, base: nil, birth: 0, blockAndToken: 0, tokenHigh: 0, lower: 0, upper: 0, chargeAndPin: 0),
      count: Self.slotsPerSlab)
    slabs[slabCount] = slab
    slabCount += 1
  }
}
