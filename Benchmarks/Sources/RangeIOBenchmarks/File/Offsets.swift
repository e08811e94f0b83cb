/// Where a run reads.
enum Offsets {
  enum Order: Sendable {
    /// Every other block, none twice: the kernel's read-ahead past one read then never warms the next.
    case everyOther
    /// All multiples of a step, shuffled; over again when these are used up.
    case all(step: Int)
    /// Blocks drawn at random, some of them twice and some never.
    case drawn
    /// One block, over and over.
    case same
  }

  /// `count` offsets for reads of `size` bytes within the first `extent` bytes.
  ///
  /// - Parameter seed: the same one gives the same offsets; a shorter run reads the beginning of a longer one.
  static func make(_ count: Int, _ order: Order, size: Int, extent: Int, seed: UInt64) -> [Int] {
    var random = SplitMix(state: seed)
    switch order {
    case .everyOther: return shuffled(count, size: size, step: 2 * size, extent: extent, &random)
    case .all(let step): return shuffled(count, size: size, step: step, extent: extent, &random)
    case .drawn: return (0..<count).map { _ in Int.random(in: 0..<extent / size, using: &random) * size }
    case .same: return Array(repeating: Int.random(in: 0..<extent / size, using: &random) * size, count: count)
    }
  }

  private static func shuffled(
    _ count: Int, size: Int, step: Int, extent: Int, _ random: inout SplitMix
  ) -> [Int] {
    var blocks = Array(stride(from: 0, through: extent - size, by: step))
    for index in 0..<min(count, blocks.count - 1) {
      blocks.swapAt(index, Int.random(in: index..<blocks.count, using: &random))
    }
    return (0..<count).map { blocks[$0 % blocks.count] }
  }

  /// The most reads of a cold run: a quarter of the file, so that it stays cold to the end.
  static func coldLimit(size: Int, extent: Int) -> Int { extent / size / 4 }
}

/// Random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
