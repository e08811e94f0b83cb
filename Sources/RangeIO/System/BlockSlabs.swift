import CRangeIOSystem

/// Memory for whole blocks of 4 to 64 KiB: cut from slabs of 2 MiB, in huge pages where the system has them.
///
/// What a cache holds is spread over gigabytes and read at random: with pages of 4 KiB nearly every block costs a walk
/// through the page tables. And blocks of one size, taken and given back for weeks, leave no holes of other sizes.
///
/// A slab without blocks goes back to the system, but for one of each size.
final class BlockSlabs: Sendable {
  static let slabByteCount = 2 << 20
  private static let shifts = 12...16

  /// One slab. Its free blocks form a list through their first words.
  private struct Slab {
    var firstFree: UInt = 0
    /// Blocks that were never taken lie from here on.
    var untouched: UInt
    var used = 0
  }

  private struct State {
    var slabs: [UInt: Slab] = [:]
    /// Those with room; the last is taken from.
    var withRoom: [UInt] = []
    var emptyCount = 0
  }

  /// The slabs of one size of blocks.
  private final class Size: Sendable {
    let blockByteCount: UInt
    let state = Locked(State())
    init(shift: Int) { blockByteCount = 1 << UInt(shift) }
  }

  private let sizes = shifts.map { Size(shift: $0) }

  /// The slabs of the process.
  static let shared = BlockSlabs()

  /// Whether blocks of this size are cut from slabs.
  @inline(__always) static func serves(_ count: Int) -> Bool {
    count & (count - 1) == 0 && count >= 1 << shifts.lowerBound && count <= 1 << shifts.upperBound
  }

  private func size(of count: Int) -> Size { sizes[count.trailingZeroBitCount - Self.shifts.lowerBound] }

  /// The bytes of all slabs, in use or not.
  var byteCount: Int { sizes.reduce(0) { $0 + $1.state.withLock { $0.slabs.count } } * Self.slabByteCount }

  /// A block of `count` bytes, its contents undefined; `nil` if the system has no memory.
  func take(_ count: Int) -> UnsafeMutableRawPointer? {
    let size = size(of: count)
    let address = size.state.withLock { state -> UInt in
      if state.withRoom.isEmpty {
        guard let slab = rio_map_aligned_pages(Self.slabByteCount) else { return 0 }
        state.slabs[UInt(bitPattern: slab)] = Slab(untouched: UInt(bitPattern: slab))
        state.withRoom.append(UInt(bitPattern: slab))
        state.emptyCount += 1
      }
      let base = state.withRoom[state.withRoom.count - 1]
      var slab = state.slabs[base]!
      if slab.used == 0 { state.emptyCount -= 1 }
      slab.used += 1
      let address: UInt
      if slab.firstFree != 0 {
        address = slab.firstFree
        // The first word of a free block is the address of the next one.
        slab.firstFree = UnsafeRawPointer(bitPattern: address)!.load(as: UInt.self)
      } else {
        address = slab.untouched
        slab.untouched += size.blockByteCount
      }
      if slab.firstFree == 0, slab.untouched == base + UInt(Self.slabByteCount) { state.withRoom.removeLast() }
      state.slabs[base] = slab
      return address
    }
    return UnsafeMutableRawPointer(bitPattern: address)
  }

  /// Takes a block back.
  func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int) {
    let address = UInt(bitPattern: block)
    let base = address & ~UInt(Self.slabByteCount - 1)
    let unused = size(of: count).state.withLock { state -> UInt in
      var slab = state.slabs[base]!
      if slab.firstFree == 0, slab.untouched == base + UInt(Self.slabByteCount) { state.withRoom.append(base) }
      UnsafeMutableRawPointer(bitPattern: address)!.storeBytes(of: slab.firstFree, as: UInt.self)
      slab.firstFree = address
      slab.used -= 1
      state.slabs[base] = slab
      guard slab.used == 0 else { return 0 }
      state.emptyCount += 1
      guard state.emptyCount > 1 else { return 0 }
      state.emptyCount -= 1
      state.slabs[base] = nil
      // From the end: what was freed last is looked for first.
      if let place = state.withRoom.lastIndex(of: base) { state.withRoom.remove(at: place) }
      return base
    }
    if let unused = UnsafeMutableRawPointer(bitPattern: unused) { rio_unmap_pages(unused, Self.slabByteCount) }
  }
}
