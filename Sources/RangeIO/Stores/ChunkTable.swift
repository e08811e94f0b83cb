import CRangeIOSystem
import Synchronization

/// The chunks of one shard by (token, block): an index to their notes, and a slot number for each chunk, which the policy uses
/// to name it. Changed under the shard's lock; ``hit(_:_:_:_:_:from:to:_:)`` needs none.
///
/// A look-up is two loads from memory that is probably not cached, the bucket and the chunk's note, and nothing else: no
/// reference counting, no check whether an array is shared. In a store of a million blocks these two loads are most of
/// the time of a hit. The blocks of an extent are next to each other, in one or two cache lines of the index.
///
/// **Slots.** 8 bytes each: the address of the chunk's note, or the next free slot beside a bit that no address has.
package struct ChunkTable: ~Copyable {
  typealias Note = BlockBacking.Note

  /// Blocks and tokens above this are never kept and never found.
  package static let maxKeyPart = UInt64(1) << 48 - 1

  private var index: BlockIndex
  private var slots: LargeArray<UInt>
  /// 0 for none, since slot 0 is never used.
  private var firstFree: UInt = 0
  /// The number of slots that were ever used, including slot 0, which means none.
  private(set) var slotsUsed = 1
  private(set) var count = 0

  init(_ memory: IndexMemory) {
    precondition(BlockBacking.layoutIsAsExpected, "a ManagedBuffer is laid out otherwise than expected")
    index = BlockIndex(memory)
    slots = LargeArray(count: 16, repeating: 1)
  }

  deinit {
    for number in 1..<slotsUsed where isUsed(number) { owner(number).release() }
  }

  func isUsed(_ number: Int) -> Bool { slots[number] & 1 == 0 }

  subscript(number: Int) -> Note {
    unsafeAddress { UnsafePointer(note(number)) }
    unsafeMutableAddress { note(number) }
  }

  func note(_ number: Int) -> UnsafeMutablePointer<Note> { Self.note(at: slots[number]) }

  @inline(__always) private static func note(at address: UInt) -> UnsafeMutablePointer<Note> {
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// The chunk in a slot. The table holds one retain on it.
  func owner(_ number: Int) -> Unmanaged<BlockBacking> { BlockBacking.object(of: note(number)) }

  var notes: SlotNotes { SlotNotes(slots.elements) }

  /// The hash of a key. Its lower bits are for the index, those from the 40th on select the shard. All but the lowest two are the
  /// same for all blocks of an extent.
  @inline(__always) package static func hash(token: UInt64, block: Int) -> UInt64 {
    var hash = token &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: block >> 2) &* 0xC2B2_AE3D_27D4_EB4F
    hash ^= hash >> 32
    hash &*= 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
    // The lowest two bits are the block's position in its extent, so that neighbours are next to each other.
    return hash & ~3 | UInt64(truncatingIfNeeded: block & 3)
  }

  // MARK: without the lock

  /// Where readers without the lock begin.
  var root: UInt { index.root }

  /// The result of a look-up without the lock.
  enum Sight {
    case hit(Bytes)
    /// Nothing of the block is here, or it is being moved in the index just now.
    case absent
    /// It has to be looked up under the lock.
    case unclear
  }

  /// The bytes of a part of a block, if they are one piece.
  ///
  /// - Parameters:
  ///   - lower: where the part begins in the block.
  ///   - upper: where it ends; not below `lower`.
  ///   - floor: chunks whose reads are sampled from this level on are left to the lock.
  @inline(__always) static func hit(
    _ root: UInt, _ token: UInt64, _ block: Int, _ hash: UInt64, from lower: Int, to upper: Int, floor: UInt8
  ) -> Sight {
    let page = BlockIndex.page(root, hash)
    var place = BlockIndex.firstPlace(hash)
    let found = BlockIndex.next(hash, in: page, from: &place)
    guard found != 0 else { return .absent }
    guard let hazard = Hazards.own else { return .unclear }
    let note = note(at: BlockIndex.note(of: found))
    let object = BlockBacking.object(of: note).toOpaque()
    _ = hazard.pointee.exchange(UInt(bitPattern: object), ordering: .sequentiallyConsistent)
    defer { hazard.pointee.store(0, ordering: .releasing) }
    // From here on it is not freed, if it was here after the announcement.
    guard BlockIndex.has(found, in: page, at: place) else { return .unclear }
    let reads = BlockBacking.reads(of: note)
    let mark = reads.pointee.load(ordering: .relaxed)
    // Of 32 bits each, so the sum of two cannot overflow.
    let first = BlockBacking.lower(of: note)
    let offset = lower &- first
    guard note.pointee.kind != .list, offset >= 0, upper <= first &+ Int(note.pointee.count), mark < floor else {
      return .unclear
    }
    let start = UnsafeRawPointer(note.pointee.base) + offset
    // The caller reads the bytes soon, from memory that no cache of the processor is likely to hold: they arrive while
    // the rest of the hit goes on.
    rio_prefetch(start)
    // What was read of the note is of its time here: it may go to another store once it has left.
    guard BlockBacking.isOf(BlockBacking.key(token: token, block: block), note),
      BlockIndex.has(found, in: page, at: place)
    else { return .unclear }
    if mark & 3 != 3 { reads.pointee.store(mark &+ 1, ordering: .relaxed) }
    rio_retain(object)
    return .hit(
      Bytes(
        owner: Unmanaged<BlockBacking>.fromOpaque(object).takeRetainedValue(), base: start, start: 0,
        count: upper &- lower))
  }

  // MARK: under the lock

  /// The slot of a chunk and its note, or 0 and nothing.
  func look(_ token: UInt64, _ block: Int, _ hash: UInt64) -> (slot: Int, note: UnsafeMutablePointer<Note>?) {
    let page = BlockIndex.page(root, hash)
    // A block or token that is too large for a key is compared with zero here, so it is not found.
    let key = BlockBacking.key(token: token, block: block)
    var place = BlockIndex.firstPlace(hash)
    while true {
      let found = BlockIndex.next(hash, in: page, from: &place)
      guard found != 0 else { return (0, nil) }
      let note = Self.note(at: BlockIndex.note(of: found))
      if BlockBacking.isOf(key, note) { return (Int(note.pointee.slot), note) }
      place = BlockIndex.place(after: place)
    }
  }

  func find(token: UInt64, block: Int, hash: UInt64) -> Int { look(token, block, hash).slot }

  /// Checks whether a chunk that is not in the table can be added.
  func hasRoom(for hash: UInt64) -> Bool { index.hasRoom(for: hash) }

  /// Adds a chunk that is not in the table, and for which there is room.
  ///
  /// - Parameters:
  ///   - lower: where in the block its bytes begin.
  ///   - owner: retained once for the table. The key is written into its note; no part of it exceeds
  ///     ``maxKeyPart``.
  /// - Returns: its slot.
  mutating func add(token: UInt64, block: Int, hash: UInt64, lower: Int, owner: Unmanaged<BlockBacking>) -> Int {
    let number = takeSlot()
    let note = BlockBacking.note(of: owner)
    BlockBacking.mark(note, token: token, block: block, lower: UInt32(lower))
    note.pointee.slot = UInt32(number)
    BlockBacking.facts(of: note).pointee = BlockBacking.Facts()
    slots[number] = UInt(bitPattern: note)
    index.add(UInt(bitPattern: note), hash: hash) { Self.hash($0) }
    count += 1
    return number
  }

  /// Replaces a chunk with another one that has the same key. The caller now owns the reference to the old chunk.
  mutating func exchange(_ number: Int, for owner: Unmanaged<BlockBacking>, lower: Int) -> Unmanaged<BlockBacking> {
    let old = self.owner(number)
    let note = BlockBacking.note(of: owner)
    BlockBacking.mark(note, token: self[number].token, block: self[number].block, lower: UInt32(lower))
    BlockBacking.replace(self.note(number), by: note)
    index.exchange(slots[number], for: UInt(bitPattern: note), hash: Self.hash(slots[number]))
    slots[number] = UInt(bitPattern: note)
    return old
  }

  /// Removes a chunk, and returns it. The caller now owns the reference, which ``Hazards`` releases.
  mutating func remove(_ number: Int) -> Unmanaged<BlockBacking> {
    let owner = owner(number)
    index.remove(slots[number], hash: Self.hash(slots[number]))
    slots[number] = firstFree << 1 | 1
    firstFree = UInt(number)
    count -= 1
    return owner
  }

  /// The hash of the key in a note at this address.
  private static func hash(_ address: UInt) -> UInt64 {
    let note = note(at: address)
    return hash(token: note.pointee.token, block: note.pointee.block)
  }

  private mutating func takeSlot() -> Int {
    if firstFree != 0 {
      let number = Int(firstFree)
      firstFree = slots[number] >> 1
      return number
    }
    let number = slotsUsed
    precondition(number < 1 << 31, "a shard's slots are used up")
    if number == slots.count {
      var larger = LargeArray<UInt>(count: slots.count * 2, repeating: 1)
      larger.copy(slots)
      slots = larger
    }
    slotsUsed += 1
    return number
  }
}
