#if Tool
import RangeIO

/// Random ranges like those of real programs: of all sizes, aligned and not, at both ends of the file.
struct DemoRanges {
  private var random: SeededRandom
  private let byteCount: Int

  init(byteCount: Int, seed: UInt64) {
    self.byteCount = byteCount
    random = SeededRandom(seed)
  }

  /// `count` ranges of the given sizes. Each power of two has the same probability.
  mutating func next(_ count: Int, sizes: ClosedRange<Int>) -> [ByteRange] {
    (0..<count).map { _ in next(sizes) }
  }

  /// `count` whole blocks with a skewed distribution: block number n roughly with a frequency of 1/n, so the first
  /// blocks of the file come most often.
  mutating func nextSkewed(_ count: Int, blockSize: ByteCount) -> [ByteRange] {
    guard byteCount > 0, let grid = BlockGrid(blockSize: blockSize.bytes) else { return [] }
    let blocks = grid.blocks(covering: 0..<byteCount).count
    let powers = blocks.bitWidth - blocks.leadingZeroBitCount
    return (0..<count).map { _ in
      let lower = 1 << Int.random(in: 0..<powers, using: &random)
      let rank = Int.random(in: lower...min(lower * 2 - 1, blocks), using: &random)
      return grid.range(of: rank - 1, in: byteCount)
    }
  }

  private mutating func next(_ sizes: ClosedRange<Int>) -> ByteRange {
    let size = min(nextSize(sizes), byteCount)
    let last = byteCount - size
    let start: Int
    switch Int.random(in: 0..<16, using: &random) {
    case 0: start = 0
    case 1: start = last
    case 2..<7: start = Int.random(in: 0...last, using: &random) & ~4095
    default: start = Int.random(in: 0...last, using: &random)
    }
    return start..<start + size
  }

  private mutating func nextSize(_ sizes: ClosedRange<Int>) -> Int {
    let smallest = sizes.lowerBound.bitWidth - sizes.lowerBound.leadingZeroBitCount
    let largest = sizes.upperBound.bitWidth - sizes.upperBound.leadingZeroBitCount
    let power = 1 << (Int.random(in: smallest...largest, using: &random) - 1)
    // Half of the sizes are round numbers, as sizes in file formats are.
    let size = Bool.random(using: &random) ? power : Int.random(in: power...power * 2 - 1, using: &random)
    return min(max(size, sizes.lowerBound), sizes.upperBound)
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers for the same seed, on every machine.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
#endif
