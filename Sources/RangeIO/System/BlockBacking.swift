import CRangeIOSystem
import Synchronization

/// The memory of one block, and the notes of the store that keeps it.
///
/// The bytes lie apart from this object, so that the objects lie close together: looking a block up, and counting a
/// reference to it, touch one cache line of 64 bytes that shares its page with sixty others. With bytes and object in
/// one allocation each look-up in a store of a million blocks would touch a page of its own: measured, three times the
/// time.
///
/// A `ManagedBuffer` for its header alone, which can be reached without counting a reference.
final class BlockBacking: ManagedBuffer<BlockBacking.Note, Never> {
  /// How the bytes are given back.
  enum Kind: UInt8 {
    case slab, malloc, pages
    /// No bytes, but a retained object in the place of their address: the pieces of a block of which parts are missing.
    case list
  }

  /// What is known about the block: 40 bytes, so that object and allocator need 64.
  struct Note {
    /// The bytes, or the list.
    var base: UnsafeMutableRawPointer
    /// When the oldest bytes were asked for, in nanoseconds of the store's clock.
    var fetchedAt: Int64 = 0
    /// The block's lower 48 bits, and the token's lower 16 above them.
    var blockAndToken: UInt64 = 0
    /// The token's upper 32 bits of 48.
    var tokenHigh: UInt32 = 0
    /// Where in the block the bytes begin.
    var lower: UInt32 = 0
    /// How many there are; for a list, to the end of the last piece.
    let count: UInt32
    let kind: Kind
    /// Whether the user pinned it.
    var isPinned = false
    /// 0, or 1 once a store has taken it. Only touched atomically.
    fileprivate var claimed: UInt8 = 0

    var upper: UInt32 { lower + count }
    var block: Int { Int(blockAndToken & (1 << 48 - 1)) }
    var token: UInt64 { UInt64(tokenHigh) << 16 | blockAndToken >> 48 }
  }

  /// A copy of `bytes` in memory of its own that is claimed: for a store. `nil` if there is no memory.
  static func claimedCopy(of bytes: Bytes) -> Bytes? {
    guard let buffer = allocate(bytes.count) else { return nil }
    bytes.copyBytes(to: buffer.memory)
    _ = unsafeDowncast(buffer.owner, to: BlockBacking.self).claim()
    return buffer.bytes(bytes.count)
  }

  /// Takes `bytes` for a store as they are, if they are all of a block's memory and no store has it.
  static func claim(_ bytes: Bytes) -> Bool {
    guard let owner = bytes.owner, type(of: owner) == BlockBacking.self else { return false }
    let backing = unsafeDowncast(owner, to: BlockBacking.self)
    return backing.backingByteCount == bytes.count && backing.claim()
  }

  /// Gives up a claim: a store has released `bytes`, and another may take the memory as it is.
  static func disown(_ bytes: Bytes) {
    guard let owner = bytes.owner, type(of: owner) == BlockBacking.self else { return }
    unsafeDowncast(owner, to: BlockBacking.self).claimMark.pointee.store(0, ordering: .releasing)
  }

  /// The largest block that a note can describe.
  static let largest = Int(UInt32.max)

  private static func make(_ base: UnsafeMutableRawPointer, count: Int, _ kind: Kind) -> BlockBacking {
    let created = BlockBacking.create(minimumCapacity: 0) { _ in Note(base: base, count: UInt32(count), kind: kind) }
    // The downcast is exact: `create` allocates an instance of the class it is called on.
    return unsafeDowncast(created, to: BlockBacking.self)
  }

  /// Memory for `count` bytes, their contents undefined; `nil` if the system has none.
  static func allocate(_ count: Int) -> WritableBytes? {
    guard count > 0, count <= largest else { return nil }
    let (kind, memory): (Kind, UnsafeMutableRawPointer?) =
      if BlockSlabs.serves(count) {
        (.slab, BlockSlabs.shared.take(count))
      } else if count >= BufferPool.smallestPooled {
        (.pages, BufferPool.shared.takePages(for: count))
      } else {
        (.malloc, rio_malloc(count))
      }
    guard let memory else { return nil }
    return WritableBytes(owner: make(memory, count: count, kind), base: memory, capacity: count)
  }

  /// A note without bytes that keeps `list` alive, which describes `count` bytes of its block.
  static func holding(_ list: AnyObject, count: Int) -> BlockBacking {
    make(Unmanaged.passRetained(list).toOpaque(), count: count, .list)
  }

  /// The bytes that the memory for `count` bytes takes, with its object and what the allocator adds to both.
  static func footprint(of count: Int) -> Int {
    if BlockSlabs.serves(count) { return count + objectFootprint }
    if count >= BufferPool.smallestPooled { return BufferPool.roundedUp(count) + objectFootprint }
    // glibc adds 8 bytes and rounds up to 16, 32 at least (malloc.c, "chunk").
    return max(32, (count + 8 + 15) & ~15) + objectFootprint
  }
  /// An object's header of 16 bytes, the note, and the allocator's 8.
  static let objectFootprint = 64

  deinit {
    withUnsafeMutablePointerToHeader { note in
      let base = note.pointee.base
      switch note.pointee.kind {
      case .slab: BlockSlabs.shared.giveBack(base, Int(note.pointee.count))
      case .malloc: rio_free(base)
      case .pages: BufferPool.shared.takeBackPages(base, for: Int(note.pointee.count))
      case .list: Unmanaged<AnyObject>.fromOpaque(base).release()
      }
    }
  }
}

extension BlockBacking: ByteBacking {
  var backingByteCount: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.count) } }

  /// Takes the memory for a store. Bytes that are still shown of it stay good, since they are not written to.
  ///
  /// - Returns: false if it was taken before: chunks must not share memory, or dropping one would free nothing.
  func claim() -> Bool { claimMark.pointee.exchange(1, ordering: .acquiringAndReleasing) == 0 }

  fileprivate var claimMark: UnsafeMutablePointer<Atomic<UInt8>> {
    withUnsafeMutablePointerToHeader { note in
      // An `Atomic<UInt8>` is laid out as the `UInt8` that it holds.
      (UnsafeMutableRawPointer(note) + MemoryLayout<Note>.offset(of: \.claimed)!).assumingMemoryBound(
        to: Atomic<UInt8>.self)
    }
  }
}

/// The way between an object and its note without counting a reference.
extension BlockBacking {
  /// A `ManagedBuffer`'s header follows the object's own 16 bytes. Checked once, when the first table is made.
  static let layoutIsAsExpected: Bool = {
    guard let memory = rio_malloc(1) else { return false }
    let probe = make(memory, count: 1, .malloc)
    return probe.withUnsafeMutablePointerToHeader {
      UnsafeMutableRawPointer($0) - Unmanaged.passUnretained(probe).toOpaque() == 16
    }
  }()

  /// The note of an object that is still referenced.
  static func note(of object: Unmanaged<BlockBacking>) -> UnsafeMutablePointer<Note> {
    (object.toOpaque() + 16).assumingMemoryBound(to: Note.self)
  }

  /// The object of a note.
  @inline(__always) static func object(of note: UnsafeMutablePointer<Note>) -> Unmanaged<BlockBacking> {
    Unmanaged.fromOpaque(UnsafeMutableRawPointer(note) - 16)
  }
}
