// What those need who use a store directly, without the stage `Caching`: the replay of traces, tests.

extension MemoryStore.Configuration {
  /// Room for exactly `blocks` whole blocks of `blockSize`: the limits in bytes and in blocks are reached together, so
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

extension ChunkStore {
  /// What this store calls `source` on `grid`, which is taken to be read for as long as the store lives.
  package func token(of source: SourceDescription, on grid: BlockGrid) -> ChunkToken {
    let (token, retired) = sources.token(for: source, grid: grid, reading: true)
    for token in retired { eraseRetired(token) }
    return token
  }
}
