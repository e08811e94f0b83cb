/// Which blocks stand for all: those whose hashes are small.
struct BlockSample: Equatable, Sendable {
  /// Of two to the power of so many blocks, one is in the sample.
  let bits: Int
  /// The hashes below this are in the sample.
  private let bound: UInt64

  /// The most: one block in thirty-two.
  static let mostBits = 5
  /// The sample has room for so many blocks, if the store has.
  static let leastBlocks = 64
  /// No block.
  static let none = BlockSample(bits: 64)

  private init(bits: Int) {
    self.bits = bits
    bound = bits >= 64 ? 0 : UInt64.max >> UInt64(bits)
  }

  /// - Parameter capacity: the bytes that the store may hold.
  init(capacity: Int) {
    let share = max(1, (capacity >> 12) / Self.leastBlocks)
    self.init(bits: min(Self.mostBits, Int.bitWidth - 1 - share.leadingZeroBitCount))
  }

  /// Checks whether it contains a block. A few instructions, for every hit.
  @inline(__always) func contains(_ block: Int) -> Bool {
    UInt64(truncatingIfNeeded: block &+ 1) &* 0x9E37_79B9_7F4A_7C15 < bound
  }
}
