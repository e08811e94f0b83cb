import CRangeIOSystem
import Synchronization

/// From the hash of a key to the note of its chunk: the index of one shard, changed under the shard's lock and read without.
///
/// A directory names pages of 128 buckets, each with open addressing. A page that is three quarters full is split by the next
/// bit of the hash; a directory that is too small for that is doubled. So no page is ever copied or freed while the index
/// lasts, and who reads it without the lock finds a bucket, be it an old one. An entry that is being moved may seem to be
/// absent.
///
/// A bucket is one word: the address of a note, and the lowest 20 bits of the hash where an address has only zeros; where
/// processors tag pointers (``tagBitCount``), 16 bits. Of these the lowest 7 are the bucket where the entry belongs. The note
/// says whose entry it is. The 20 bits from the 21st on choose the page: only when one is split, they are calculated again,
/// from its notes.
///
/// Source: R. Fagin, J. Nievergelt, N. Pippenger, H. R. Strong, "Extendible hashing: a fast access method for dynamic
/// files", ACM TODS 4 (3), 1979.
struct BlockIndex: ~Copyable {
  #if _pointerBitWidth(_32)
    #error("a bucket holds an address of 64 bits")
  #endif
  typealias Word = Atomic<UInt>
  /// The first bucket of a page. Before it lies the page's own line.
  typealias Page = UnsafeMutablePointer<Word>

  private static let bucketCount = 128
  private static let maxUsed = bucketCount / 4 * 3
  private static let mask = bucketCount - 1
  #if arch(arm64)
    /// Memory tagging, as of iOS 26 and of glibc, has a tag in the bits 56 to 59 of an address (Arm, "Memory Tagging Extension").
    @inline(__always) static var tagBitCount: Int { 4 }
  #else
    @inline(__always) static var tagBitCount: Int { 0 }
  #endif
  /// The lowest bits of the hash are in the bucket, those above them choose the page, and those above these the shard.
  @inline(__always) private static var partMask: UInt64 { 1 << (20 - tagBitCount) - 1 }
  private static let pageShift = 20
  private static let maxDepth = 20
  /// The bytes of a page: its own line, and a word for each bucket.
  static let pageByteCount = IndexMemory.line + bucketCount * 8

  private let memory: IndexMemory
  private var directory: UnsafeMutablePointer<Word>
  private var depth = 0
  private var count = 0
  /// Directories that were too small, which readers may still have.
  private var outgrown: [(directory: UnsafeMutablePointer<Word>, depth: Int)] = []

  init(_ memory: IndexMemory) {
    self.memory = memory
    directory = memory.take(Self.directoryByteCount(0), isCleared: false)
    let page = Self.newPage(memory, depth: 0)
    directory.pointee.store(UInt(bitPattern: page), ordering: .relaxed)
  }

  deinit {
    for place in 0..<1 << depth {
      let page = Self.page(directory, place)
      // A page that several places name belongs to the first of them.
      if place >> Self.depth(page) == 0 { memory.give(Self.line(page), Self.pageByteCount) }
    }
    memory.give(directory, Self.directoryByteCount(depth))
    for old in outgrown { memory.give(old.directory, Self.directoryByteCount(old.depth)) }
  }

  // MARK: reading, with or without the lock

  /// Where readers begin: the directory, with the logarithm of its size in the lowest bits.
  var root: UInt { UInt(bitPattern: directory) | UInt(depth) }

  /// The page of a hash.
  @inline(__always) static func page(_ root: UInt, _ hash: UInt64) -> Page {
    let directory = UnsafeMutablePointer<Word>(bitPattern: root & ~63).unsafelyUnwrapped
    return page(directory, Int(truncatingIfNeeded: hash >> pageShift) & (1 &<< Int(root & 63) &- 1))
  }

  @inline(__always) private static func page(_ directory: UnsafeMutablePointer<Word>, _ place: Int) -> Page {
    Page(bitPattern: directory[place].load(ordering: .acquiring)).unsafelyUnwrapped
  }

  /// The entry at or after `place` whose note may have this hash; the hash's own place is the first. Its note has to be asked
  /// whether it is of the key that is looked for.
  ///
  /// - Returns: the entry; 0 where the entries end.
  @inline(__always) static func next(_ hash: UInt64, in page: Page, from place: inout Int) -> UInt {
    let part = UInt(hash & partMask)
    for _ in 0..<bucketCount {
      let entry = page[place].load(ordering: .acquiring)
      if entry == 0 || entry & UInt(partMask) == part { return entry }
      place = (place &+ 1) & mask
    }
    return 0
  }

  /// The address of an entry's note.
  @inline(__always) static func note(of entry: UInt, tagBitCount: Int = tagBitCount) -> UInt {
    // The address begins at bit 20; the tag lies below it, and the hash below that.
    let tag = entry >> (20 - tagBitCount) & (1 << tagBitCount - 1)
    return entry >> 16 & ~15 | tag << 56
  }

  /// The entry of a note. The lowest bits of `hash` are as many as tags leave.
  static func entry(_ note: UInt, _ hash: UInt64, tagBitCount: Int = tagBitCount) -> UInt {
    // Systems give programs addresses below 2^47, or 2^48, unless they ask for others.
    let tag = note >> 56
    precondition(
      note & ~(UInt(0xFF) << 56) < 1 << 48 && tag < 1 << tagBitCount && note & 15 == 0,
      "an object is above 2^48, or not at a multiple of 16")
    return note << 16 | tag << (20 - tagBitCount) | UInt(hash) & (1 << (20 - tagBitCount) - 1)
  }

  @inline(__always) static func firstPlace(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

  @inline(__always) static func place(after place: Int) -> Int { (place &+ 1) & mask }

  /// Checks whether the bucket still has this entry, seen in one order with ``Hazards``.
  @inline(__always) static func has(_ entry: UInt, in page: Page, at place: Int) -> Bool {
    page[place].load(ordering: .sequentiallyConsistent) == entry
  }

  /// Has the processor fetch the bucket of a hash, if the index is so large that its caches may not have it.
  @inline(__always) static func prefetch(_ root: UInt, _ hash: UInt64) {
    guard root & 63 > 5 else { return }
    rio_prefetch(page(root, hash) + firstPlace(hash))
  }

  // MARK: changing

  /// Checks whether an entry can be added. Only if very many hashes are nearly alike it cannot, as when offsets are
  /// chosen for that: a page is split long before it is full, if it may be.
  func hasRoom(for hash: UInt64) -> Bool { Self.used(Self.page(root, hash)) < Self.mask }

  /// Checks whether a page may be split. The directory, of a word for each page or more, must not grow without end for
  /// hashes that are alike.
  private func maySplit(_ page: Page) -> Bool {
    Self.depth(page) < depth || depth < Self.maxDepth && 2 << depth <= max(64, count / 4)
  }

  /// Adds an entry that is not there, and for which there is room.
  ///
  /// - Parameter hashOf: the hash of a note that is there.
  mutating func add(_ note: UInt, hash: UInt64, hashOf: (UInt) -> UInt64) {
    var page = Self.page(root, hash)
    while Self.used(page) >= Self.maxUsed, maySplit(page) {
      split(page, hash, hashOf)
      page = Self.page(root, hash)
    }
    precondition(Self.used(page) < Self.mask, "a shard's index is full")
    Self.enter(Self.entry(note, hash), in: page)
    Self.setUsed(page, Self.used(page) + 1)
    count += 1
  }

  /// Puts another note in the place of one. No reader finds the old one from now on.
  mutating func exchange(_ old: UInt, for new: UInt, hash: UInt64) {
    let page = Self.page(root, hash)
    page[Self.place(of: Self.entry(old, hash), in: page)].store(
      Self.entry(new, hash), ordering: .sequentiallyConsistent)
  }

  /// No reader finds it from now on.
  mutating func remove(_ note: UInt, hash: UInt64) {
    let page = Self.page(root, hash)
    Self.remove(at: Self.place(of: Self.entry(note, hash), in: page), of: page)
    Self.setUsed(page, Self.used(page) - 1)
    count -= 1
  }

  private static func place(of entry: UInt, in page: Page) -> Int {
    var place = Int(entry) & mask
    while page[place].load(ordering: .relaxed) != entry { place = (place + 1) & mask }
    return place
  }

  private static func enter(_ entry: UInt, in page: Page) {
    var place = Int(entry) & mask
    while page[place].load(ordering: .relaxed) != 0 { place = (place + 1) & mask }
    page[place].store(entry, ordering: .releasing)
  }

  /// Fills the hole with a later entry that may be there, then continues with the hole that this entry leaves (Knuth,
  /// The Art of Computer Programming 3, 6.4, Algorithm R).
  private static func remove(at place: Int, of page: Page) {
    var (hole, place) = (place, place)
    while true {
      place = (place + 1) & mask
      let entry = page[place].load(ordering: .relaxed)
      if entry == 0 { break }
      if (place - Int(truncatingIfNeeded: entry)) & mask >= (place - hole) & mask {
        page[hole].store(entry, ordering: .sequentiallyConsistent)
        hole = place
      }
    }
    page[hole].store(0, ordering: .sequentiallyConsistent)
  }

  /// Moves about half of a page's entries to a new one. They are in both until the directory names the new one.
  private mutating func split(_ page: Page, _ hash: UInt64, _ hashOf: (UInt) -> UInt64) {
    let depth = Self.depth(page)
    if depth == self.depth { doubleDirectory() }
    let new = Self.newPage(memory, depth: depth + 1)
    let bit = UInt64(1) << (Self.pageShift + depth)
    var moved: [UInt] = []
    for place in 0..<Self.bucketCount {
      let entry = page[place].load(ordering: .relaxed)
      guard entry != 0, hashOf(Self.note(of: entry)) & bit != 0 else { continue }
      Self.enter(entry, in: new)
      moved.append(entry)
    }
    Self.setUsed(new, moved.count)
    Self.setDepth(page, depth + 1)
    let first = Int(truncatingIfNeeded: hash >> Self.pageShift) & (1 << depth - 1) | 1 << depth
    for place in stride(from: first, to: 1 << self.depth, by: 2 << depth) {
      directory[place].store(UInt(bitPattern: new), ordering: .releasing)
    }
    for entry in moved { Self.remove(at: Self.place(of: entry, in: page), of: page) }
    Self.setUsed(page, Self.used(page) - moved.count)
  }

  private mutating func doubleDirectory() {
    let count = 1 << depth
    let larger = memory.take(Self.directoryByteCount(depth + 1), isCleared: false)
    for place in 0..<2 * count {
      larger[place].store(directory[place & (count - 1)].load(ordering: .relaxed), ordering: .relaxed)
    }
    outgrown.append((directory, depth))
    directory = larger
    depth += 1
  }

  private static func directoryByteCount(_ depth: Int) -> Int { max(IndexMemory.line, 8 << depth) }

  // MARK: the line of a page, which only the holder of the lock reads

  private static func newPage(_ memory: IndexMemory, depth: Int) -> Page {
    let page = memory.take(pageByteCount, isCleared: true) + IndexMemory.line / 8
    setDepth(page, depth)
    return page
  }

  private static func line(_ page: Page) -> UnsafeMutablePointer<Word> { page - IndexMemory.line / 8 }

  /// By how many bits of the hash its entries agree.
  private static func depth(_ page: Page) -> Int { Int(line(page)[0].load(ordering: .relaxed)) }
  private static func setDepth(_ page: Page, _ depth: Int) { line(page)[0].store(UInt(depth), ordering: .relaxed) }
  private static func used(_ page: Page) -> Int { Int(line(page)[1].load(ordering: .relaxed)) }
  private static func setUsed(_ page: Page, _ count: Int) { line(page)[1].store(UInt(count), ordering: .relaxed) }
}
