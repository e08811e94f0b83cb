import RangeIO

/// A source that has the bytes of its blocks ready, each in memory of its own: what a miss costs over it is what the
/// cache costs.
final class ReadySource: RangeSource {
  private let blocks: [Bytes]
  private let suspends: Bool
  private let id: String

  /// - Parameters:
  ///   - suspends: whether a read suspends once before it answers.
  ///   - id: what a store knows it by.
  init(blocks: [Bytes], suspends: Bool, id: String) {
    self.id = id
    self.blocks = blocks
    self.suspends = suspends
  }

  nonisolated(nonsending) func describe() async throws -> SourceDescription {
    SourceDescription(
      id: id, validator: OnlyVersion(), byteCount: blocks.count * CacheTopic.blockSize,
      preferredBlockSize: .bytes(CacheTopic.blockSize), traits: .neverWaiting)
  }

  /// - Precondition: `range` is a block.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    if suspends { await Task.yield() }
    return blocks[range.lowerBound / CacheTopic.blockSize]
  }

  /// What a source says that answers at once; one that suspends has nothing at hand.
  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    suspends ? .later : .here(blocks[range.lowerBound / CacheTopic.blockSize])
  }
}
