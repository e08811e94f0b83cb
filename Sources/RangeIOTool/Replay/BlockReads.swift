#if Tool
import RangeIO
import RangeIOTraces

/// The blocks that a trace reads, one by one, numbered in the order of their first read.
struct BlockReads: Equatable {
  /// The number of the block of each read.
  private(set) var numbers: [Int32] = []
  /// The number of different blocks.
  private(set) var uniqueCount = 0

  /// - Precondition: the trace reads fewer than 2^31 blocks, see ``ReplayBounds``.
  init(_ trace: RangeTrace, _ grid: BlockGrid) {
    var known: [Int: Int32] = [:]
    for request in trace.requests {
      for block in grid.blocks(covering: request) {
        let number = known[block] ?? Int32(known.count)
        if number == known.count { known[block] = number }
        numbers.append(number)
      }
    }
    uniqueCount = known.count
  }
}
#endif
