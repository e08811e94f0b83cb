import RangeIO

/// The blocks that contenders write and that their answers are compared with.
struct SpillData: Sendable {
  let size: Int
  private let source: CompressibleBlocks

  init(size: Int) throws {
    self.size = size
    source = try CompressibleBlocks(blockSize: size, fraction: 0.5)
  }

  /// Blocks by number, each in memory of its own.
  func blocks(_ numbers: Range<Int>) -> [Bytes] {
    numbers.map { source.bytes($0 * size..<($0 + 1) * size) }
  }

  /// Fills a store with the first `count` blocks, a few at a time.
  func fill(_ peer: any SpillPeer, count: Int) async throws {
    try await inPortions(count) { numbers in
      try await peer.fill(blocks(numbers)[...], at: numbers.lowerBound * size)
    }
  }

  /// Compares every byte of the first `count` blocks, and looks for one behind them.
  func verify(_ peer: any SpillPeer, count: Int) async throws {
    try await inPortions(count) { numbers in
      for (number, expected) in zip(numbers, blocks(numbers)) {
        let found = try await peer.bytes(at: number * size, count: size)
        guard let found, found == expected else {
          throw WrongBytes(offset: number * size, expected: size, got: found?.count ?? 0)
        }
      }
    }
    guard try await peer.bytes(at: count * size, count: size) == nil else { throw Unexpected(offset: count * size) }
  }

  private func inPortions(_ count: Int, _ body: (Range<Int>) async throws -> Void) async throws {
    let portion = (16 << 20) / size
    for first in stride(from: 0, to: count, by: portion) { try await body(first..<min(first + portion, count)) }
  }
}
