/// Where a run reads: block-aligned, shuffled, no block twice.
enum Offsets {
  /// `count` offsets of blocks of `size` bytes.
  ///
  /// Cold runs take every other block only: the kernel's read-ahead past one read then never warms the next. Resident
  /// runs take all, and start over when these are used up.
  ///
  /// - Parameter seed: the same one gives the same offsets; a shorter run reads the beginning of a longer one.
  static func shuffled(_ count: Int, size: Int, fileSize: Int, cold: Bool, seed: UInt64) -> [Int] {
    let step = cold ? 2 * size : size
    var blocks = Array(stride(from: 0, through: fileSize - size, by: step))
    precondition(!cold || count <= blocks.count, "a cold run must not read a block twice")
    var random = SplitMix(state: seed)
    for index in 0..<min(count, blocks.count - 1) {
      blocks.swapAt(index, Int.random(in: index..<blocks.count, using: &random))
    }
    return (0..<count).map { blocks[$0 % blocks.count] }
  }

  /// The most reads of a cold run: a quarter of the file, so that it stays cold to the end.
  static func coldLimit(size: Int, fileSize: Int) -> Int { fileSize / size / 4 }
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
