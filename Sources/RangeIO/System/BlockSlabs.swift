import CRangeIOSystem

/// Memory for whole blocks of 4 to 64 KiB: cut from slabs, in huge pages where the system has them.
///
/// What a cache holds is spread over gigabytes and read at random: with pages of 4 KiB nearly every block costs a walk
/// through the page tables. And blocks of one size, taken and given back for weeks, leave no holes of other sizes.
///
/// A slab is 4 MiB, or 128 blocks where that is more; the place of its first block is its own. One without blocks goes
/// back to the system, but for one of each size.
final class BlockSlabs: Sendable {
  private static let shifts = 12...16

  /// What stands at the start of a slab. Its free blocks form a list through their first words.
  private struct Slab {
    var firstFree: UInt = 0
    /// Blocks that were never taken lie from here on.
    var untouched: UInt
    let end: UInt
    var used = 0
    /// Among the slabs with room; -1 in one without.
    var place = -1

    var isFull: Bool { firstFree == 0 && untouched == end }
  }

  private struct State {
    /// Slabs with room; the last is taken from.
    var withRoom: [UInt] = []
    var count = 0
    var emptyCount = 0

    mutating func addToThoseWithRoom(_ slab: UnsafeMutablePointer<Slab>) {
      slab.pointee.place = withRoom.count
      withRoom.append(UInt(bitPattern: slab))
    }

    mutating func removeFromThoseWithRoom(_ slab: UnsafeMutablePointer<Slab>) {
      let last = withRoom.removeLast()
      if last != UInt(bitPattern: slab) {
        withRoom[slab.pointee.place] = last
        BlockSlabs.slab(last).pointee.place = slab.pointee.place
      }
      slab.pointee.place = -1
    }
  }

  /// The slabs of one size of blocks.
  private final class Size: Sendable {
    let blockByteCount: Int
    let slabByteCount: Int
    let state = Locked(State())

    init(shift: Int) {
      blockByteCount = 1 << shift
      slabByteCount = max(4 << 20, 128 << shift)
    }
  }

  private let sizes = shifts.map { Size(shift: $0) }

  /// The slabs of the process.
  static let shared = BlockSlabs()

  /// Whether blocks of this size are cut from slabs.
  @inline(__always) static func serves(_ count: Int) -> Bool {
    count & (count - 1) == 0 && count >= 1 << shifts.lowerBound && count <= 1 << shifts.upperBound
  }

  private func size(of count: Int) -> Size { sizes[count.trailingZeroBitCount - Self.shifts.lowerBound] }

  private static func slab(_ address: UInt) -> UnsafeMutablePointer<Slab> {
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// The bytes of all slabs, in use or not.
  var byteCount: Int { sizes.reduce(0) { $0 + $1.state.withLock { $0.count } * $1.slabByteCount } }

  /// A block of `count` bytes, its contents undefined; `nil` if the system has no memory.
  func take(_ count: Int) -> UnsafeMutableRawPointer? {
    let size = size(of: count)
    let address = size.state.withLock { state -> UInt in
      if state.withRoom.isEmpty {
        guard let pages = rio_map_aligned_pages(size.slabByteCount) else { return 0 }
        let start = UInt(bitPattern: pages)
        let slab = pages.bindMemory(to: Slab.self, capacity: 1)
        slab.initialize(
          to: Slab(untouched: start + UInt(size.blockByteCount), end: start + UInt(size.slabByteCount)))
        state.addToThoseWithRoom(slab)
        state.count += 1
        state.emptyCount += 1
      }
      let slab = Self.slab(state.withRoom[state.withRoom.count - 1])
      if slab.pointee.used == 0 { state.emptyCount -= 1 }
      slab.pointee.used += 1
      let address: UInt
      if slab.pointee.firstFree != 0 {
        address = slab.pointee.firstFree
        slab.pointee.firstFree = UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped.load(as: UInt.self)
      } else {
        address = slab.pointee.untouched
        slab.pointee.untouched += UInt(size.blockByteCount)
      }
      if slab.pointee.isFull { state.removeFromThoseWithRoom(slab) }
      return address
    }
    return UnsafeMutableRawPointer(bitPattern: address)
  }

  /// Takes a block back.
  func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int) {
    let size = size(of: count)
    let address = UInt(bitPattern: block)
    let unused = size.state.withLock { state -> UInt in
      let slab = Self.slab(address & ~UInt(size.slabByteCount - 1))
      if slab.pointee.isFull { state.addToThoseWithRoom(slab) }
      UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped.storeBytes(
        of: slab.pointee.firstFree, as: UInt.self)
      slab.pointee.firstFree = address
      slab.pointee.used -= 1
      guard slab.pointee.used == 0 else { return 0 }
      guard state.emptyCount > 0 else {
        state.emptyCount = 1
        return 0
      }
      state.removeFromThoseWithRoom(slab)
      state.count -= 1
      return UInt(bitPattern: slab)
    }
    if let unused = UnsafeMutableRawPointer(bitPattern: unused) { rio_unmap_pages(unused, size.slabByteCount) }
  }
}
