import RangeIO

/// A source of blocks that LZ4 halves, made once and shown without a copy.
final class TierSource: RangeSource {
  let blockSize: Int
  let blocks: [Bytes]
  private let id: String
  private let repeats: Int

  /// - Parameters:
  ///   - id: what a store knows it by.
  ///   - repeats: how often all blocks are shown, one after the other.
  init(_ blocks: [Bytes], blockSize: Int, id: String, repeats: Int = 1) {
    self.repeats = repeats
    self.blocks = blocks
    self.blockSize = blockSize
    self.id = id
  }

  static func blocks(_ count: Int, blockSize: Int) throws -> [Bytes] {
    let data = try CompressibleBlocks(blockSize: blockSize, fraction: 0.5)
    return (0..<count).map { data.bytes($0 * blockSize..<($0 + 1) * blockSize) }
  }

  nonisolated(nonsending) func describe() async throws -> SourceDescription {
    SourceDescription(
      id: id, validator: OnlyVersion(), byteCount: blocks.count * repeats * blockSize,
      preferredBlockSize: .bytes(blockSize),
      traits: .neverWaiting)
  }

  /// - Precondition: `range` is a block.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    blocks[range.lowerBound / blockSize % blocks.count]
  }

  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    .here(blocks[range.lowerBound / blockSize % blocks.count])
  }
}
