import CRangeIOSystem
import Synchronization

/// Free blocks that threads keep for the next who needs one: of each size two, for each of a few groups of threads. What is kept
/// counts as used, and takes 2 MiB at most.
///
/// Gains the two lockings of ``BlockSlabs`` for each read that is kept where another block leaves: all threads of the process share
/// those locks, one for each size.
struct BlocksAtHand: ~Copyable, @unchecked Sendable {
  // Unchecked: memory that only atomic operations touch, freed with its one owner.
  private static let groups = 8
  /// Two cache lines: processors fetch lines in pairs. There is room for two blocks of each of five sizes.
  private static let stride = 128
  private static let depth = 2

  private let base = UnsafeMutableRawPointer.allocate(byteCount: groups * stride, alignment: stride)
  private let slabs: BlockSlabs

  init(_ slabs: BlockSlabs) {
    self.slabs = slabs
    for index in 0..<Self.groups * Self.stride / 8 {
      (base + index * 8).bindMemory(to: Atomic<UInt>.self, capacity: 1).initialize(to: Atomic(0))
    }
  }

  deinit {
    for group in 0..<Self.groups {
      for size in BlockSlabs.shifts {
        while let block = takeKept(1 << size, group) { slabs.giveBack(block, 1 << size) }
      }
    }
    base.deallocate()
  }

  /// Does what ``BlockSlabs/take(_:)`` does.
  func take(_ count: Int) -> UnsafeMutableRawPointer? { takeKept(count, Self.ownGroup) ?? slabs.take(count) }

  /// Does what ``BlockSlabs/giveBack(_:_:)`` does.
  func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int) {
    for index in 0..<Self.depth {
      let place = place(index, count, Self.ownGroup)
      guard place.pointee.load(ordering: .relaxed) == 0 else { continue }
      let address = UInt(bitPattern: block)
      if place.pointee.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    }
    slabs.giveBack(block, count)
  }

  private func takeKept(_ count: Int, _ group: Int) -> UnsafeMutableRawPointer? {
    for index in 0..<Self.depth {
      let place = place(index, count, group)
      guard place.pointee.load(ordering: .relaxed) != 0 else { continue }
      let address = place.pointee.exchange(0, ordering: .acquiring)
      if let block = UnsafeMutableRawPointer(bitPattern: address) { return block }
    }
    return nil
  }

  private static var ownGroup: Int { Int(rio_thread_number()) & (groups - 1) }

  @inline(__always) private func place(_ index: Int, _ count: Int, _ group: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    let size = count.trailingZeroBitCount - BlockSlabs.shifts.lowerBound
    return (base + (group * Self.stride + (size * Self.depth + index) * 8)).assumingMemoryBound(to: Atomic<UInt>.self)
  }
}
