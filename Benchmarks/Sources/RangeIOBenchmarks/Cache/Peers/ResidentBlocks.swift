import RangeIO

/// The blocks that the peers of the cache hold: made once and shared by all of them, so that a million fit in memory.
struct ResidentBlocks: Sendable {
  private let blocks: [Bytes]

  init(_ count: Int) {
    blocks = (0..<count).map { BlockSource.bytes($0 * CacheTopic.blockSize..<($0 + 1) * CacheTopic.blockSize) }
  }

  /// The first `count` of them, by number.
  func first(_ count: Int) -> Zip2Sequence<Range<Int>, ArraySlice<Bytes>> { zip(0..<count, blocks[..<count]) }
}

extension ByteRange {
  /// The blocks that the range covers.
  var blocks: Range<Int> { lowerBound / CacheTopic.blockSize..<upperBound / CacheTopic.blockSize }
}

/// A contender was asked for what it should have and did not have it, or went to the source for it.
struct Missed: Error, CustomStringConvertible {
  let offset: Int?

  var description: String {
    offset.map { "the block at \($0) is not where it was put" } ?? "a run that should only hit went to the source"
  }
}
