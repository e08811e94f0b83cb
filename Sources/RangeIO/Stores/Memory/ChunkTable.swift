/// The chunks of one shard by (token, block): an index by open addressing, and a slot number for each chunk, by which
/// the policy knows it.
///
/// Lives under its shard's lock, and is written with pointers so that a look-up is loads from memory that is likely far
/// away and nothing else: no reference is counted, no array is checked for being shared. Only the note of the chunk
/// itself is touched beyond the two dense arrays.
///
/// **Index.** 8 bytes a bucket, linear probing, between three and six eighths full: the number of a slot and 32 bits of
/// the hash, of which the lower ones are the bucket where the entry belongs. So neither growing nor closing the hole of
/// a removed entry looks at chunks. The blocks of an extent lie next to each other, so that a range over 16 blocks
/// touches one or two cache lines here.
///
/// **Slots.** 8 bytes each: the address of the chunk's note, or the number of the next free slot.
struct ChunkTable: ~Copyable {
  typealias Note = BlockBacking.Note

  private struct Bucket {
    var slot: UInt32
    var tag: UInt32
    static let empty = Bucket(slot: 0, tag: 0)
  }

  /// Blocks and tokens above this are not kept.
  static let largestKeyPart = UInt64(1) << 48 - 1

  private var buckets: LargeArray<Bucket>
  private var mask: Int
  /// An address, or twice the number of the next free slot and 1.
  private var slots: LargeArray<UInt>
  private var firstFree = 0
  /// Slots that were ever used. The first, number 0, stands for none.
  private(set) var slotsUsed = 1
  /// The chunks.
  private(set) var count = 0

  init() {
    precondition(BlockBacking.layoutIsAsExpected, "a ManagedBuffer is laid out otherwise than expected")
    mask = 15
    buckets = LargeArray(count: 16, repeating: .empty)
    slots = LargeArray(count: 16, repeating: 1)
  }

  deinit {
    for number in 1..<slotsUsed where isUsed(number) { owner(number).release() }
  }

  /// Whether there is a chunk in a slot.
  @inline(__always) func isUsed(_ number: Int) -> Bool { slots[number] & 1 == 0 }

  /// The note of the chunk in a slot.
  subscript(number: Int) -> Note {
    @inline(__always) unsafeAddress { UnsafePointer(note(number)) }
    @inline(__always) unsafeMutableAddress { note(number) }
  }

  @inline(__always) private func note(_ number: Int) -> UnsafeMutablePointer<Note> {
    UnsafeMutablePointer(bitPattern: slots[number]).unsafelyUnwrapped
  }

  /// The chunk in a slot, retained once for the table.
  @inline(__always) func owner(_ number: Int) -> Unmanaged<BlockBacking> { BlockBacking.object(of: note(number)) }

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
        let note = note(Int(bucket.slot))
        if note.pointee.blockAndToken == UInt64(block) | token << 48,
          note.pointee.tokenHigh == UInt32(truncatingIfNeeded: token >> 16)
        {
          return Int(bucket.slot)
        }
      }
      place = (place + 1) & mask
    }
  }

  /// Adds a chunk that is not there.
  ///
  /// - Parameter owner: retained once for the table; its note gets the key.
  /// - Returns: its slot.
  mutating func add(token: UInt64, block: Int, hash: UInt64, owner: Unmanaged<BlockBacking>) -> Int {
    if (count + 1) * 4 > (mask + 1) * 3 { growIndex() }
    let number = takeSlot()
    put(owner, token: token, block: block, at: number)
    Self.enter(Bucket(slot: UInt32(number), tag: UInt32(truncatingIfNeeded: hash)), &buckets, mask)
    count += 1
    return number
  }

  /// Puts another chunk with the same key in the place of one, whose reference is the caller's from now on.
  mutating func exchange(_ number: Int, for owner: Unmanaged<BlockBacking>) -> Unmanaged<BlockBacking> {
    let old = self.owner(number)
    let (token, block) = (self[number].token, self[number].block)
    put(owner, token: token, block: block, at: number)
    return old
  }

  private mutating func put(_ owner: Unmanaged<BlockBacking>, token: UInt64, block: Int, at number: Int) {
    let note = BlockBacking.note(of: owner)
    note.pointee.blockAndToken = UInt64(block) | token << 48
    note.pointee.tokenHigh = UInt32(truncatingIfNeeded: token >> 16)
    slots[number] = UInt(bitPattern: note)
  }

  /// Takes a chunk out.
  ///
  /// - Returns: what it was; its reference is the caller's from now on.
  mutating func remove(_ number: Int) -> Unmanaged<BlockBacking> {
    let owner = owner(number)
    let hash = Self.hash(token: self[number].token, block: self[number].block)
    removeBucket(of: UInt32(number), tag: UInt32(truncatingIfNeeded: hash))
    slots[number] = UInt(firstFree) << 1 | 1
    firstFree = number
    count -= 1
    return owner
  }

  // MARK: index

  private static func enter(_ bucket: Bucket, _ buckets: inout LargeArray<Bucket>, _ mask: Int) {
    var place = Int(bucket.tag) & mask
    while buckets[place].slot != 0 { place = (place + 1) & mask }
    buckets[place] = bucket
  }

  private mutating func growIndex() {
    let count = (mask + 1) * 2
    precondition(count <= 1 << 32, "a shard's index is full")
    var new = LargeArray<Bucket>(count: count, repeating: .empty)
    for place in 0...mask where buckets[place].slot != 0 { Self.enter(buckets[place], &new, count - 1) }
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
      let number = firstFree
      firstFree = Int(slots[number] >> 1)
      return number
    }
    let number = slotsUsed
    precondition(number < UInt32.max, "a shard's slots are used up")
    if number == slots.count {
      var larger = LargeArray<UInt>(count: slots.count * 2, repeating: 1)
      larger.copy(slots)
      slots = larger
    }
    slotsUsed += 1
    return number
  }
}
