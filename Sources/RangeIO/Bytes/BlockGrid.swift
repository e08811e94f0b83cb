/// The grid of aligned, equal blocks that caches use as keys: block `n` holds the bytes `n × blockSize ..< (n+1) ×
/// blockSize`.
///
/// All functions are pure, take constant time and cannot overflow, whatever range and block you pass. There are no
/// blocks and no bytes below zero.
public struct BlockGrid: Hashable, Sendable {
  /// log2 of the block size.
  @usableFromInline package let shift: Int

  /// The number of bytes in a block, a power of two.
  @inlinable public var blockSize: Int { 1 << shift }

  /// Creates a grid of blocks of `blockSize` bytes, or returns `nil` if that is not a power of two.
  public init?(blockSize: Int) {
    guard blockSize > 0, blockSize & (blockSize - 1) == 0 else { return nil }
    shift = blockSize.trailingZeroBitCount
  }

  init(shift: Int) { self.shift = shift }

  /// The block that holds the byte at `offset`.
  package func block(at offset: Int) -> Int { offset >> shift }

  /// The blocks that contain bytes of `range`; none for an empty range.
  @inlinable public func blocks(covering range: ByteRange) -> Range<Int> {
    let first = range.lowerBound >> shift
    return range.isEmpty ? first..<first : first..<((range.upperBound - 1) >> shift) + 1
  }

  /// The bytes of `block` in a source of `byteCount` bytes: a whole block, fewer at the source's end, empty beyond it.
  @inlinable public func range(of block: Int, in byteCount: Int) -> ByteRange {
    guard block >= 0, block <= byteCount >> shift else {
      let end = max(0, byteCount)
      return end..<end
    }
    let lower = block << shift
    return lower..<(byteCount - lower < blockSize ? byteCount : lower + blockSize)
  }

  /// `range` extended to whole blocks, cut at the end of a source of `byteCount` bytes.
  package func outward(_ range: ByteRange, in byteCount: Int) -> ByteRange {
    let blocks = blocks(covering: range)
    guard !blocks.isEmpty else { return range }
    let lower = max(0, blocks.lowerBound) << shift
    return lower..<max(lower, self.range(of: blocks.upperBound - 1, in: byteCount).upperBound)
  }

  /// `range` split at block boundaries: each block with the part of `range` that lies in it, in order.
  public func pieces(of range: ByteRange) -> some RandomAccessCollection<(block: Int, range: ByteRange)> {
    blocks(covering: range).lazy.map { block in
      let lower = max(range.lowerBound, block << shift)
      let next = block << shift
      return (block, lower..<min(range.upperBound, ByteRanges.sum(next, blockSize)))
    }
  }
}
