import CRangeIOSystem
import Synchronization

/// Memory for whole blocks of 4 to 64 KiB: cut from slabs, in huge pages where the system has them.
///
/// A cache is spread over gigabytes and read at random: with pages of 4 KiB nearly every block costs a walk through the
/// page tables. And blocks of one size, allocated and freed for weeks, leave no holes of other sizes.
///
/// A slab is 4 MiB, or 128 blocks if that is more. The slab's own data takes the place of its first block. A slab
/// without used blocks is returned to the system, except one of each size. When other block sizes come into use, slabs
/// with only a few used blocks remain. Of all free blocks together, pages are kept for a sixteenth of the used bytes,
/// or 8 MiB if that is more (a 16th of a small container's memory). The pages of other free blocks are returned to the system, and come back when the block is
/// used again.
final class BlockSlabs: Sendable {
  static let shifts = 12...16

  private struct State {
    /// Slabs with room; blocks are taken from the last one.
    var withRoom: [UInt] = []
    var count = 0
    var emptyCount = 0
    /// Where the search for a slab with many idle blocks continues.
    var hand = 0

    mutating func addToThoseWithRoom(_ slab: UnsafeMutablePointer<Slab>) {
      slab.pointee.place = withRoom.count
      withRoom.append(UInt(bitPattern: slab))
    }

    mutating func removeFromThoseWithRoom(_ slab: UnsafeMutablePointer<Slab>) {
      let last = withRoom.removeLast()
      if last != UInt(bitPattern: slab) {
        withRoom[slab.pointee.place] = last
        Slab.at(last).pointee.place = slab.pointee.place
      }
      slab.pointee.place = -1
    }

    /// The slab with the most idle blocks among the next few, if it has any.
    mutating func idlest() -> UnsafeMutablePointer<Slab>? {
      var idlest: UnsafeMutablePointer<Slab>?
      for _ in 0..<min(8, withRoom.count) {
        hand = (hand + 1) % withRoom.count
        let slab = Slab.at(withRoom[hand])
        if slab.pointee.idle.count > idlest?.pointee.idle.count ?? 0 { idlest = slab }
      }
      return idlest
    }
  }

  /// The slabs for one block size.
  private final class Size: Sendable {
    let blockByteCount: Int
    let slabByteCount: Int
    let state = Locked(State())
    /// Used blocks, and free blocks whose pages are in memory. Changed under the lock, in whose cache line they are, and read
    /// without.
    let used = Atomic<Int>(0)
    let idle = Atomic<Int>(0)
    /// The number of blocks still to be freed before pages are dropped again: where pages are larger than blocks, few of the free
    /// blocks may have a page of their own.
    let pause = Atomic<Int>(0)

    init(shift: Int) {
      blockByteCount = 1 << shift
      slabByteCount = max(4 << 20, 128 << shift)
    }

    /// Call under the lock.
    func count(used more: Int, idle moreIdle: Int) {
      used.store(used.load(ordering: .relaxed) + more, ordering: .relaxed)
      idle.store(idle.load(ordering: .relaxed) + moreIdle, ordering: .relaxed)
    }

    func slab(of address: UInt) -> UnsafeMutablePointer<Slab> { Slab.at(address & ~UInt(slabByteCount - 1)) }

    func index(of address: UInt) -> Int { Int(address & UInt(slabByteCount - 1)) / blockByteCount }
  }

  /// Borrowed where they are used: a count of references would be shared by all threads of the process.
  private let sizes = shifts.map { Unmanaged.passRetained(Size(shift: $0)) }
  /// The number of idle bytes that is always kept.
  private let leastKept: Int
  /// The size of the system's pages, a power of two. Only whole pages can be returned.
  private let pageByteCount: Int

  init(keeping leastKept: ByteCount = .mebibytes(8), pageByteCount: Int = rio_page_size()) {
    (self.leastKept, self.pageByteCount) = (leastKept.bytes, pageByteCount)
  }

  /// True if blocks of this size are cut from slabs.
  @inline(__always) static func serves(_ count: Int) -> Bool {
    count & (count - 1) == 0 && count >= 1 << shifts.lowerBound && count <= 1 << shifts.upperBound
  }

  deinit { for size in sizes { size.release() } }

  @inline(__always) private func withSize<Result>(of count: Int, _ body: (Size) -> Result) -> Result {
    sizes[count.trailingZeroBitCount - Self.shifts.lowerBound]._withUnsafeGuaranteedRef(body)
  }

  @inline(__always) private func sum(_ body: (Size) -> Int) -> Int {
    sizes.reduce(0) { $0 + $1._withUnsafeGuaranteedRef(body) }
  }

  /// The bytes of all slabs, used or not, with or without pages in memory.
  var byteCount: Int { sum { $0.state.withLock { $0.count } * $0.slabByteCount } }

  private var usedByteCount: Int { sum { $0.used.load(ordering: .relaxed) * $0.blockByteCount } }

  /// The bytes of free blocks whose pages are in memory.
  var idleByteCount: Int { sum { $0.idle.load(ordering: .relaxed) * $0.blockByteCount } }

  /// Allocates a block of `count` bytes with undefined contents; `nil` if the system has no memory.
  func take(_ count: Int) -> UnsafeMutableRawPointer? { withSize(of: count) { take(count, of: $0) } }

  private func take(_ count: Int, of size: Size) -> UnsafeMutableRawPointer? {
    let address = size.state.withLock { state -> UInt in
      if state.withRoom.isEmpty {
        guard let pages = rio_map_aligned_pages(size.slabByteCount) else { return 0 }
        let slab = pages.bindMemory(to: Slab.self, capacity: 1)
        slab.initialize(to: Slab(count: size.slabByteCount / size.blockByteCount))
        state.addToThoseWithRoom(slab)
        state.count += 1
        state.emptyCount += 1
      }
      let slab = Slab.at(state.withRoom[state.withRoom.count - 1])
      if slab.pointee.used == 0 { state.emptyCount -= 1 }
      let (index, wasIdle) = slab.pointee.take()
      if slab.pointee.isFull { state.removeFromThoseWithRoom(slab) }
      size.count(used: 1, idle: wasIdle ? -1 : 0)
      return UInt(bitPattern: slab) + UInt(index * size.blockByteCount)
    }
    return UnsafeMutableRawPointer(bitPattern: address)
  }

  /// Frees a block.
  func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int) {
    withSize(of: count) { giveBack(block, count, to: $0) }
  }

  private func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int, to size: Size) {
    let address = UInt(bitPattern: block)
    let unused = size.state.withLock { state in
      let slab = size.slab(of: address)
      if slab.pointee.isFull { state.addToThoseWithRoom(slab) }
      slab.pointee.idle.insert(size.index(of: address))
      size.count(used: -1, idle: 1)
      return Self.release(1, of: slab, &state, size)
    }
    unmap(unused, size)
    let kept = idleByteCount
    guard kept > leastKept, kept > usedByteCount / 16 else { return }
    if size.pause.wrappingSubtract(1, ordering: .relaxed).newValue < 0 { dropIdlePages(size) }
  }

  /// Notes that blocks of a slab are no longer used. Returns the slab if it must be returned to the system;
  /// else 0.
  private static func release(
    _ count: Int, of slab: UnsafeMutablePointer<Slab>, _ state: inout State, _ size: Size
  ) -> UInt {
    slab.pointee.used -= count
    guard slab.pointee.used == 0 else { return 0 }
    guard state.emptyCount > 0 else {
      state.emptyCount = 1
      return 0
    }
    state.removeFromThoseWithRoom(slab)
    state.count -= 1
    size.count(used: 0, idle: -slab.pointee.idle.count)
    return UInt(bitPattern: slab)
  }

  private func unmap(_ slab: UInt, _ size: Size) {
    guard let slab = UnsafeMutableRawPointer(bitPattern: slab) else { return }
    rio_unmap_pages(slab, size.slabByteCount)
  }

  /// Returns the pages of one slab's free blocks to the system. Free blocks that share a page with others stay idle.
  private func dropIdlePages(_ size: Size) {
    // They count as used until that is done, so that the slab stays.
    let (address, indices) = size.state.withLock { state -> (UInt, [Int]) in
      guard let slab = state.idlest() else { return (0, []) }
      if slab.pointee.used == 0 { state.emptyCount -= 1 }
      let indices = slab.pointee.idle.removeAll()
      slab.pointee.used += indices.count
      size.count(used: 0, idle: -indices.count)
      if slab.pointee.isFull { state.removeFromThoseWithRoom(slab) }
      return (UInt(bitPattern: slab), indices)
    }
    guard let slab = UnsafeMutableRawPointer(bitPattern: address) else { return }
    // Otherwise the system would bring the pages back to make a huge one.
    rio_forbid_huge_pages(slab, size.slabByteCount)
    let blocksOfPage = max(1, pageByteCount / size.blockByteCount)
    var (first, kept, dropped) = (0, [Int](), [Int]())
    while first < indices.count {
      var end = first + 1
      while end < indices.count, indices[end] == indices[end - 1] + 1 { end += 1 }
      let lower = (indices[first] + blocksOfPage - 1) / blocksOfPage * blocksOfPage
      let upper = (indices[end - 1] + 1) / blocksOfPage * blocksOfPage
      if lower < upper {
        rio_drop_pages(slab + lower * size.blockByteCount, (upper - lower) * size.blockByteCount)
      }
      for index in indices[first..<end] {
        if index >= lower, index < upper { dropped.append(index) } else { kept.append(index) }
      }
      first = end
    }
    size.pause.store(dropped.count < indices.count / 8 ? 256 : 0, ordering: .relaxed)
    let unused = size.state.withLock { [kept, dropped] state in
      let slab = Slab.at(address)
      if slab.pointee.isFull { state.addToThoseWithRoom(slab) }
      for index in kept { slab.pointee.idle.insert(index) }
      for index in dropped { slab.pointee.dropped.insert(index) }
      size.count(used: 0, idle: kept.count)
      return Self.release(indices.count, of: slab, &state, size)
    }
    unmap(unused, size)
  }
}

/// The data at the start of a slab.
private struct Slab {
  /// The number of blocks, including the place of this data.
  let count: Int
  /// The first of the blocks that were never used.
  var untouched = 1
  var used = 0
  /// The index among the slabs with room; -1 if it has no room.
  var place = -1
  /// Free blocks whose pages are in memory, and those whose pages are not.
  var idle = BlockSet()
  var dropped = BlockSet()

  init(count: Int) { self.count = count }

  static func at(_ address: UInt) -> UnsafeMutablePointer<Slab> {
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  var isFull: Bool { untouched == count && idle.count == 0 && dropped.count == 0 }

  /// Takes a block from a slab that is not full.
  mutating func take() -> (index: Int, wasIdle: Bool) {
    used += 1
    if idle.count > 0 { return (idle.removeFirst(), true) }
    if untouched == count { return (dropped.removeFirst(), false) }
    untouched += 1
    return (untouched - 1, false)
  }
}

/// A set of numbers below 1,024: a bit for each.
private struct BlockSet {
  private var words = InlineBits()
  private(set) var count = 0

  private struct InlineBits: BitwiseCopyable {
    // Sixteen words; an inline array would need newer systems.
    typealias Four = (UInt64, UInt64, UInt64, UInt64)
    var bits: (Four, Four, Four, Four) = ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
  }

  private mutating func withWords<Result>(_ body: (UnsafeMutableBufferPointer<UInt64>) -> Result) -> Result {
    withUnsafeMutableBytes(of: &words) { body($0.bindMemory(to: UInt64.self)) }
  }

  mutating func insert(_ number: Int) {
    withWords { $0[number >> 6] |= 1 << UInt64(number & 63) }
    count += 1
  }

  /// Removes the smallest number; there must be one.
  mutating func removeFirst() -> Int {
    count -= 1
    return withWords { words in
      var place = 0
      while words[place] == 0 { place += 1 }
      defer { words[place] &= words[place] - 1 }
      return place << 6 + words[place].trailingZeroBitCount
    }
  }

  /// Removes all numbers and returns them in order.
  mutating func removeAll() -> [Int] {
    var all: [Int] = []
    all.reserveCapacity(count)
    while count > 0 { all.append(removeFirst()) }
    return all
  }
}
