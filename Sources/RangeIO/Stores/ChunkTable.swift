import CRangeIOSystem

/// The chunks of one shard by (token, block): an index with open addressing, and a slot number for each chunk, which
/// the policy uses to name it.
///
/// Protected by the shard's lock. Written with pointers, so that a look-up is two loads from memory that is probably
/// not cached, the bucket and the chunk's note, and nothing else: no reference counting, no check whether an array is
/// shared. In a store of a million blocks these two loads are most of the time of a hit.
///
/// **Index.** 16 bytes per bucket, linear probing, between three and six eighths full. A bucket has the address of the
/// chunk's note, its slot, and 32 bits of the hash; the lower ones are the bucket where the entry belongs. So the index
/// can grow, and can close the hole of a removed entry, without reading chunks. The blocks of an extent are next to
/// each other, so a range over 16 blocks touches four or five cache lines here.
///
/// **Slots.** 4 bytes each: the chunk's bucket, or the next free slot.
struct ChunkTable: ~Copyable {
  typealias Note = BlockBacking.Note

  private struct Bucket: BitwiseCopyable {
    /// The address of a note; 0 in an empty bucket.
    var note: UInt
    var tag: UInt32
    var slot: UInt32
    static let empty = Bucket(note: 0, tag: 0, slot: 0)
  }

  /// Blocks and tokens above this are never kept and never found.
  static let largestKeyPart = UInt64(1) << 48 - 1

  private var buckets: LargeArray<Bucket>
  private var mask: Int
  private var slots: LargeArray<UInt32>
  private static let freeBit: UInt32 = 1 << 31
  /// 0 for none, since slot 0 is never used.
  private var firstFree: UInt32 = 0
  /// The number of slots that were ever used, including slot 0, which means none.
  private(set) var slotsUsed = 1
  private(set) var count = 0

  init() {
    precondition(BlockBacking.layoutIsAsExpected, "a ManagedBuffer is laid out otherwise than expected")
    mask = 15
    buckets = LargeArray(count: 16, repeating: .empty)
    slots = LargeArray(count: 16, repeating: Self.freeBit)
  }

  deinit {
    for number in 1..<slotsUsed where isUsed(number) { owner(number).release() }
  }

  func isUsed(_ number: Int) -> Bool { slots[number] & Self.freeBit == 0 }

  subscript(number: Int) -> Note {
    unsafeAddress { UnsafePointer(note(number)) }
    unsafeMutableAddress { note(number) }
  }

  private func note(_ number: Int) -> UnsafeMutablePointer<Note> { Self.note(at: buckets[Int(slots[number])].note) }

  @inline(__always) private static func note(at address: UInt) -> UnsafeMutablePointer<Note> {
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// The chunk in a slot. The table holds one retain on it.
  func owner(_ number: Int) -> Unmanaged<BlockBacking> { BlockBacking.object(of: note(number)) }

  /// The hash of a key. The upper half selects the shard and is the same for all blocks of an extent of 16; the lower
  /// half is the tag.
  @inline(__always) static func hash(token: UInt64, block: Int) -> UInt64 {
    var hash = token &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: block >> 4) &* 0xC2B2_AE3D_27D4_EB4F
    hash ^= hash >> 32
    hash &*= 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
    // The lowest four bits are the block's position in its extent, so that neighbours are next to each other.
    return hash & ~15 | UInt64(truncatingIfNeeded: block & 15)
  }

  /// The slot of a chunk and its note, or 0 and nothing.
  @inline(__always) func look(
    _ token: UInt64, _ block: Int, _ hash: UInt64
  ) -> (slot: Int, note: UnsafeMutablePointer<Note>?) {
    let tag = UInt32(truncatingIfNeeded: hash)
    var place = Int(tag) & mask
    let block = UInt64(truncatingIfNeeded: block)
    while true {
      let bucket = buckets[place]
      if bucket.note == 0 { return (0, nil) }
      if bucket.tag == tag {
        let note = Self.note(at: bucket.note)
        // A block or token that is too large for a key is compared with zero here, so it is not found.
        if note.pointee.blockAndToken == block | token << 48,
          UInt64(note.pointee.tokenHigh) == token >> 16 | (block >> 48) << 32
        {
          return (Int(bucket.slot), note)
        }
      }
      place = (place + 1) & mask
    }
  }

  func find(token: UInt64, block: Int, hash: UInt64) -> Int { look(token, block, hash).slot }

  /// Where the buckets lie if they are many, with the logarithm of their number in the lowest bits; else 0.
  var landmark: UInt {
    let address = buckets.mappedAddress
    return address == 0 ? 0 : address | UInt(truncatingIfNeeded: (mask + 1).trailingZeroBitCount)
  }

  /// Has the processor fetch the bucket of a key, outside the lock. A landmark may be out of date: nothing is read.
  @inline(__always) static func prefetch(_ hash: UInt64, by landmark: UInt) {
    guard landmark != 0 else { return }
    let place = UInt(truncatingIfNeeded: hash) & (1 &<< (landmark & 63) &- 1)
    rio_prefetch(UnsafeRawPointer(bitPattern: landmark & ~63 &+ place &* 16))
  }

  /// Adds a chunk that is not in the table.
  ///
  /// - Parameter owner: retained once for the table. The key is written into its note; no part of it exceeds
  ///   ``largestKeyPart``.
  /// - Returns: its slot.
  mutating func add(token: UInt64, block: Int, hash: UInt64, owner: Unmanaged<BlockBacking>) -> Int {
    if (count + 1) * 4 > (mask + 1) * 3 { growIndex() }
    let number = takeSlot()
    let note = Self.mark(owner, token: token, block: block)
    enter(Bucket(note: note, tag: UInt32(truncatingIfNeeded: hash), slot: number))
    count += 1
    return Int(number)
  }

  /// Replaces a chunk with another one that has the same key. The caller now owns the reference to the old chunk.
  mutating func exchange(_ number: Int, for owner: Unmanaged<BlockBacking>) -> Unmanaged<BlockBacking> {
    let old = self.owner(number)
    buckets[Int(slots[number])].note = Self.mark(owner, token: self[number].token, block: self[number].block)
    return old
  }

  /// Writes the key into a chunk's note, and returns the note's address.
  private static func mark(_ owner: Unmanaged<BlockBacking>, token: UInt64, block: Int) -> UInt {
    let note = BlockBacking.note(of: owner)
    note.pointee.blockAndToken = UInt64(block) | token << 48
    note.pointee.tokenHigh = UInt32(truncatingIfNeeded: token >> 16)
    return UInt(bitPattern: note)
  }

  /// Removes a chunk, and returns it. The caller now owns the reference.
  mutating func remove(_ number: Int) -> Unmanaged<BlockBacking> {
    let owner = owner(number)
    removeBucket(Int(slots[number]))
    slots[number] = firstFree | Self.freeBit
    firstFree = UInt32(number)
    count -= 1
    return owner
  }

  // MARK: index

  private mutating func enter(_ bucket: Bucket) {
    var place = Int(bucket.tag) & mask
    while buckets[place].note != 0 { place = (place + 1) & mask }
    put(bucket, at: place)
  }

  private mutating func put(_ bucket: Bucket, at place: Int) {
    buckets[place] = bucket
    slots[Int(bucket.slot)] = UInt32(place)
  }

  private mutating func growIndex() {
    let count = (mask + 1) * 2
    precondition(count < 1 << 31, "a shard's index is full")
    var old = LargeArray<Bucket>(count: count, repeating: .empty)
    swap(&old, &buckets)
    mask = count - 1
    for place in 0..<old.count where old[place].note != 0 { enter(old[place]) }
  }

  /// Fills the hole with a later entry that may be there, then continues with the hole that this entry leaves (Knuth,
  /// The Art of Computer Programming 3, 6.4, Algorithm R).
  private mutating func removeBucket(_ place: Int) {
    var hole = place
    var place = place
    while true {
      place = (place + 1) & mask
      let bucket = buckets[place]
      if bucket.note == 0 { break }
      let distanceFromHome = (place - Int(bucket.tag)) & mask
      let distanceFromHole = (place - hole) & mask
      if distanceFromHome >= distanceFromHole {
        put(bucket, at: hole)
        hole = place
      }
    }
    buckets[hole] = .empty
  }

  // MARK: slots

  private mutating func takeSlot() -> UInt32 {
    if firstFree != 0 {
      let number = firstFree
      firstFree = slots[Int(number)] & ~Self.freeBit
      return number
    }
    let number = slotsUsed
    precondition(number < Int(Self.freeBit), "a shard's slots are used up")
    if number == slots.count {
      var larger = LargeArray<UInt32>(count: slots.count * 2, repeating: Self.freeBit)
      larger.copy(slots)
      slots = larger
    }
    slotsUsed += 1
    return UInt32(number)
  }
}
