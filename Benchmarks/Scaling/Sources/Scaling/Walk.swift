import CBenchmarkPeers

/// Blocks of one size that a workload reads.
struct Blocks: Sendable {
  let size: Int
  let count: Int
  /// Whether each is read once in a run, by one of its tasks. Otherwise they are read at random.
  var isOnce = false
  /// Whether each task keeps to blocks of its own, one in so many as there are tasks.
  var isApart = false
  /// How many are read between two looks at the clock.
  var batch = 64

  func range(_ number: Int) -> Range<Int> { number * size..<(number + 1) * size }
}

/// The way of one task through blocks.
struct Walk: Sendable {
  private let lane: Int
  private let lanes: Int
  /// Whether each task keeps to blocks of its own, and to how many of them.
  private let part: Int?
  private var state: UInt64
  private var taken = 0

  init(lane: Int, of lanes: Int, seed: Int, part: Int? = nil) {
    (self.lane, self.lanes, self.part) = (lane, lanes, part)
    state = bench_word(UInt64(lane &* 7919 &+ seed &* 104_729))
  }

  /// The offset of the next block; `nil` if all were read that are read once.
  @inline(__always) mutating func next(_ blocks: Blocks) -> Int? {
    taken &+= 1
    if blocks.isOnce {
      let index = lane + lanes * (taken - 1)
      // A large prime: each index gives another block.
      return index < blocks.count ? index &* 2_654_435_761 % blocks.count * blocks.size : nil
    }
    state &+= 1
    let number = bench_word(state) >> 1
    guard let part = part ?? (blocks.isApart ? .max : nil) else {
      return Int(number % UInt64(blocks.count)) * blocks.size
    }
    // In turn, so that what is kept of one task's blocks lies beside what is kept of the other's.
    return (lane + lanes * Int(number % UInt64(max(1, min(part, blocks.count / lanes))))) * blocks.size
  }
}
