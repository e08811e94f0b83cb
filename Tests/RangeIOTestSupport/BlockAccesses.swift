import RangeIO
import RangeIOTraces

/// The blocks that a trace reads, one by one, numbered in the order of their first read: an array can then stand for
/// the dictionary of a cache, and debug builds replay a million reads in a second.
struct BlockAccesses: Sendable {
  /// Numbers of blocks.
  private(set) var accesses: [Int32] = []
  /// The block of each number.
  private(set) var blocks: [UInt64] = []

  init(_ trace: RangeTrace, _ grid: BlockGrid) {
    var numbers: [Int: Int32] = [:]
    for request in trace.requests {
      for block in grid.blocks(covering: request) {
        let number = numbers[block] ?? Int32(blocks.count)
        if number == blocks.count {
          numbers[block] = number
          blocks.append(UInt64(block))
        }
        accesses.append(number)
      }
    }
  }

  /// Reads that find their block in a cache of `capacity` blocks.
  ///
  /// - Parameters:
  ///   - room: the blocks that there is room for, since pinned ones and reads under way take the rest. Default: all.
  ///   - erasing: every so many reads the block that was read last is erased. Default: none is.
  ///   - key: of a block. Default: the block itself.
  func hits(
    _ factory: Eviction, capacity: Int, room: Int? = nil, erasing: Int? = nil, key: (UInt64) -> UInt64 = { $0 }
  ) -> Int {
    var policy = SelfTuned(factory, capacity: capacity)
    let room = room ?? capacity
    var free: [Int] = []
    var slots = [Int32](repeating: -1, count: blocks.count)
    var numbers: [Int] = []
    var hits = 0
    for (read, access) in accesses.enumerated() {
      let number = Int(access)
      defer {
        if let erasing, read % erasing == 0 {
          policy.remove(Int(slots[number]))
          free.append(Int(slots[number]))
          slots[number] = -1
        }
      }
      if slots[number] >= 0 {
        hits += 1
        policy.hit(Int(slots[number]))
        continue
      }
      var slot = free.last ?? numbers.count
      if free.popLast() != nil {
        numbers[slot] = number
      } else if slot == room, let victim = policy.evict() {
        slot = victim
        slots[numbers[slot]] = -1
        numbers[slot] = number
      } else {
        numbers.append(number)
      }
      slots[number] = Int32(slot)
      policy.insert(slot, key: key(blocks[number]), weight: 1)
    }
    return hits
  }
}
