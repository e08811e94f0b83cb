import CRangeIOSystem
import Synchronization

/// The memory of one block, and the notes of the store that keeps it.
///
/// The bytes are separate from this object, so that the objects lie close together. Looking a block up, and counting a
/// reference to it, touch one or two cache lines that share their page with those of forty others. With bytes and object in
/// one allocation, each look-up in a store of a million blocks would touch a separate page: measured, three times the
/// time.
///
/// A `ManagedBuffer` only for its header, which can be accessed without counting a reference.
package final class BlockBacking: ManagedBuffer<BlockBacking.Note, Never> {
  /// The origin of the bytes, which decides how they are freed.
  enum Kind: UInt8 {
    case slab, malloc, pages
    /// No bytes, but a retained object in place of their address: the pieces of a block with missing parts.
    case list
  }

  /// The room of an eviction policy for what it knows of the block.
  struct Facts: Sendable {
    var weight: UInt32 = 0
    var fingerprint: UInt32 = 0
    var links = Links.none
  }

  /// What keeps a block from being evicted.
  struct Pins: OptionSet, Sendable {
    let rawValue: UInt8
    static let user = Pins(rawValue: 1)
    /// It was read ahead, and its reader has not passed it.
    static let ahead = Pins(rawValue: 2)
  }

  /// The neighbours in a queue.
  struct Links: Sendable {
    var older: UInt32
    var newer: UInt32
    static var none: Links { Links(older: .max, newer: .max) }
  }

  /// The facts about the block. Those that a hit looks at come first: with the count of references it takes the object's first 48
  /// bytes, and object and allocator together take 96. The allocator aligns to 16 bytes, so no two objects have such bytes in one
  /// cache line, and threads that hit different blocks write to none that the other reads.
  package struct Note {
    /// The bytes, or the list.
    var base: UnsafeMutableRawPointer
    /// The block's lower 48 bits, and the token's lower 16 above them. This and the next are written atomically: a reader
    /// without the store's lock may look at them while the memory goes to another store.
    fileprivate(set) var blockAndToken: UInt64 = 0
    /// Where in the block the bytes begin, and above that the upper 32 of the token's 48 bits.
    fileprivate(set) var lowerAndToken: UInt64 = 0
    /// The number of bytes; for a list, up to the end of the last piece.
    let count: UInt32
    let kind: Kind
    /// Why the block stays; empty if it may be evicted.
    var pins: Pins = []
    /// 0, or 1 once a store has claimed it. Accessed only atomically.
    fileprivate var claimed: UInt8 = 0
    /// See ``BlockBacking/reads(of:)``. Accessed only atomically.
    fileprivate var reads: UInt8 = 0
    /// When the oldest bytes were requested, in nanoseconds of the store's clock.
    var fetchedAt: Int64 = 0
    /// The chunk's number in its shard, for the holder of the lock.
    var slot: UInt32 = 0
    fileprivate var facts = Facts()
    /// Up to the 96.
    private let padding: (UInt32, UInt32, UInt32) = (0, 0, 0)

    var isPinned: Bool { !pins.isEmpty }
    var lower: UInt32 { UInt32(truncatingIfNeeded: lowerAndToken) }
    var upper: UInt32 { lower + count }
    var block: Int { Int(blockAndToken & (1 << 48 - 1)) }
    var token: UInt64 { (lowerAndToken >> 32) << 16 | blockAndToken >> 48 }
  }

  /// A copy of `bytes` in separate memory that is already claimed: for a store. `nil` if there is no memory.
  static func claimedCopy(of bytes: Bytes) -> Bytes? {
    guard let buffer = allocate(bytes.count) else { return nil }
    bytes.copyBytes(to: buffer.memory)
    _ = unsafeDowncast(buffer.owner, to: BlockBacking.self).claim()
    return buffer.bytes(bytes.count)
  }

  /// Claims `bytes` for a store without a copy, if they are all of a block's memory and no store has claimed it.
  static func claim(_ bytes: Bytes) -> Bool {
    guard let owner = bytes.owner, type(of: owner) == BlockBacking.self else { return false }
    let backing = unsafeDowncast(owner, to: BlockBacking.self)
    return backing.backingByteCount == bytes.count && backing.claim()
  }

  /// Gives up a claim: a store has released `bytes`, and another may claim the memory.
  static func disown(_ bytes: Bytes) {
    guard let owner = bytes.owner, type(of: owner) == BlockBacking.self else { return }
    unsafeDowncast(owner, to: BlockBacking.self).claimMark.pointee.store(0, ordering: .releasing)
  }

  /// The largest block that a note can describe.
  static let maxByteCount = Int(UInt32.max)

  private static func make(_ base: UnsafeMutableRawPointer, count: Int, _ kind: Kind) -> BlockBacking {
    let created = BlockBacking.create(minimumCapacity: 0) { _ in Note(base: base, count: UInt32(count), kind: kind) }
    // The downcast is exact: `create` allocates an instance of the class it is called on.
    return unsafeDowncast(created, to: BlockBacking.self)
  }

  /// Allocates `count` bytes with undefined contents; `nil` if the system has no memory.
  package static func allocate(_ count: Int) -> WritableBytes? {
    guard count > 0, count <= maxByteCount else { return nil }
    let (kind, memory): (Kind, UnsafeMutableRawPointer?) =
      if BlockSlabs.serves(count) {
        (.slab, BlocksAtHand.shared.take(count))
      } else if count >= BufferPool.minPooledBytes {
        (.pages, BufferPool.shared.takePages(for: count))
      } else {
        (.malloc, rio_malloc(count))
      }
    guard let memory else { return nil }
    return WritableBytes(owner: make(memory, count: count, kind), base: memory, capacity: count)
  }

  /// Allocates memory for `count` bytes that a store keeps without a copy.
  package static func buffer(_ count: Int) throws(ReadError) -> WritableBytes {
    guard count <= maxByteCount else { return try BufferPool.shared.buffer(count) }
    guard let buffer = allocate(count) else {
      throw ReadError(.resourcesExhausted, "no memory for \(count) bytes: read less at once", isTransient: true)
    }
    return buffer
  }

  /// A note without bytes that keeps `list` alive; the list describes `count` bytes of its block.
  static func holding(_ list: AnyObject, count: Int) -> BlockBacking {
    make(Unmanaged.passRetained(list).toOpaque(), count: count, .list)
  }

  /// The bytes that an allocation of `count` bytes takes, including its object and the allocator's overhead for both.
  static func footprint(of count: Int) -> Int {
    if BlockSlabs.serves(count) { return count + objectFootprint }
    if count >= BufferPool.minPooledBytes { return BufferPool.roundedUp(count) + objectFootprint }
    // glibc adds 8 bytes and rounds up to 16, at least 32 (malloc.c, "chunk").
    return max(32, (count + 8 + 15) & ~15) + objectFootprint
  }
  /// An object's header of 16 bytes, the note of 72, and the allocator's 8.
  static let objectFootprint = 96

  deinit {
    withUnsafeMutablePointerToHeader { note in
      let base = note.pointee.base
      switch note.pointee.kind {
      case .slab: BlocksAtHand.shared.giveBack(base, Int(note.pointee.count))
      case .malloc: rio_free(base)
      case .pages: BufferPool.shared.takeBackPages(base, for: Int(note.pointee.count))
      case .list: Unmanaged<AnyObject>.fromOpaque(base).release()
      }
    }
  }
}

extension BlockBacking: ByteBacking {
  package var backingByteCount: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.count) } }

  /// Claims the memory for a store. Bytes that still show it stay valid, since nothing writes to them. Returns `false`
  /// if it was claimed before: chunks must not share memory, or dropping one would free nothing.
  func claim() -> Bool { claimMark.pointee.exchange(1, ordering: .acquiringAndReleasing) == 0 }

  fileprivate var claimMark: UnsafeMutablePointer<Atomic<UInt8>> {
    withUnsafeMutablePointerToHeader { Self.atomic($0, \.claimed) }
  }

  /// A field of a note. An `Atomic` has the same layout as what it holds.
  @inline(__always) fileprivate static func atomic<Value: AtomicRepresentable>(
    _ note: UnsafeMutablePointer<Note>, _ field: KeyPath<Note, Value>
  ) -> UnsafeMutablePointer<Atomic<Value>> {
    (UnsafeMutableRawPointer(note) + MemoryLayout<Note>.offset(of: field)!).assumingMemoryBound(to: Atomic<Value>.self)
  }
}

/// The store's note of a block, as readers without its lock see it too. They have announced the object to ``Hazards``.
extension BlockBacking {
  /// The block as a note has it. Beyond 48 bits it is never kept.
  @inline(__always) static func key(token: UInt64, block: Int) -> (UInt64, UInt64) {
    (UInt64(truncatingIfNeeded: block) | token << 48, token >> 16 | UInt64(truncatingIfNeeded: block >> 48) << 32)
  }

  /// True if the note is of this block.
  @inline(__always) static func isOf(_ key: (UInt64, UInt64), _ note: UnsafeMutablePointer<Note>) -> Bool {
    atomic(note, \.blockAndToken).pointee.load(ordering: .acquiring) == key.0
      && atomic(note, \.lowerAndToken).pointee.load(ordering: .acquiring) >> 32 == key.1
  }

  /// Where in the block the bytes begin.
  @inline(__always) static func lower(of note: UnsafeMutablePointer<Note>) -> Int {
    Int(UInt32(truncatingIfNeeded: atomic(note, \.lowerAndToken).pointee.load(ordering: .acquiring)))
  }

  /// Notes of which block and from where in it the bytes are.
  static func mark(_ note: UnsafeMutablePointer<Note>, token: UInt64, block: Int, lower: UInt32) {
    let key = key(token: token, block: block)
    atomic(note, \.lowerAndToken).pointee.store(key.1 << 32 | UInt64(lower), ordering: .releasing)
    atomic(note, \.blockAndToken).pointee.store(key.0, ordering: .releasing)
    reads(of: note).pointee.store(0, ordering: .relaxed)
  }

  /// The reads that the policy has not been told of, up to three, in the lowest two bits; in the uppermost three the level at
  /// which reads are sampled. Readers without a lock may lose each other's.
  @inline(__always) static func reads(of note: UnsafeMutablePointer<Note>) -> UnsafeMutablePointer<Atomic<UInt8>> {
    atomic(note, \.reads)
  }
}

/// What only the holder of the store's lock asks.
extension BlockBacking {
  static func facts(of note: UnsafeMutablePointer<Note>) -> UnsafeMutablePointer<Facts> {
    (UnsafeMutableRawPointer(note) + MemoryLayout<Note>.offset(of: \.facts)!).assumingMemoryBound(to: Facts.self)
  }

  /// Notes of `new` what the store and its policy have noted of `old`, in the place of which it comes.
  static func replace(_ old: UnsafeMutablePointer<Note>, by new: UnsafeMutablePointer<Note>) {
    (new.pointee.slot, new.pointee.facts) = (old.pointee.slot, old.pointee.facts)
    reads(of: new).pointee.store(reads(of: old).pointee.load(ordering: .relaxed), ordering: .relaxed)
  }
}

/// Converts between an object and its note without counting a reference.
extension BlockBacking {
  /// `true` if a `ManagedBuffer`'s header follows the object's own 16 bytes. Checked once, when the first table is made.
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
