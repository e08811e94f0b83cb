// For the package `Benchmarks`, which measures single tiers as no program uses them. Not part of the API.

extension TieredChunkStore {
  /// Creates a store of memory and compressed memory with limits that ``Configuration`` does not allow.
  @_spi(Benchmarks) public convenience init(
    memory: MemoryStore.Configuration, compressed: ByteCount, queueLimit: ByteCount
  ) {
    let memory = MemoryStore(memory)
    let compressed = CompressedStore(.init(limit: compressed), sources: memory.sources)
    self.init(memory, compressed, queueLimit: queueLimit)
  }

  /// The token of a source, which counts as being read from now on.
  @_spi(Benchmarks) public func token(of source: SourceDescription) -> ChunkToken? {
    BlockGrid(blockSize: source.preferredBlockSize).map { token(of: source, on: $0) }
  }

  /// Gives the disk one block, as the tier above does.
  @_spi(Benchmarks) public func demote(_ bytes: Bytes, at range: ByteRange, of token: ChunkToken) -> Bool {
    spill?.insertDemoted(Chunk(ticket: token.ticket(fetchedAt: now), pieces: [RangedBytes(range, bytes)])) ?? false
  }
}
