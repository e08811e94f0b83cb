// For code that uses a store directly, without the `Caching` stage: trace replay and tests.

extension MemoryStore.Configuration {
  /// Room for exactly `blocks` whole blocks of `blockSize`. The limits in bytes and in blocks are reached together, so
  /// that policies, which weigh bytes, and simulators, which count blocks, mean the same.
  ///
  /// - Precondition: both are positive.
  package init(blocks: Int, of blockSize: ByteCount) {
    precondition(blocks > 0 && blockSize.bytes > 0, "a store has room for a block")
    let (bytes, overflow) = MemoryStore.charge(of: blockSize.bytes).multipliedReportingOverflow(by: blocks)
    self.init(limit: .bytes(overflow ? .max : bytes))
    blockLimit = blocks
    typicalBlockSize = blockSize
  }
}

extension FullChunkStore {
  /// This store's token for `source` on `grid`. The source counts as being read for as long as the store lives.
  package func token(of source: SourceDescription, on grid: BlockGrid) -> ChunkToken {
    let (token, retired) = sources.token(for: source, grid: grid, reading: true)
    for token in retired { eraseRetired(token) }
    return token
  }
}
