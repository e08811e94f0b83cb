import RangeIO

/// A store that holds the first so many blocks of a source, and readers of it.
struct FilledStore: Sendable {
  let blocks: Int
  let store: CacheStore

  /// Reads every block once.
  @concurrent static func filled(_ blocks: Int) async throws -> FilledStore {
    // With room for bookkeeping of any size: what it takes is measured elsewhere.
    let store = CacheStore(limit: blocks * (CacheTopic.blockSize + 512) + 16 << 20)
    let filled = FilledStore(blocks: blocks, store: store)
    let filler = try await filled.reader(under: 0)
    for block in 0..<blocks {
      let offset = block * CacheTopic.blockSize
      try await filler.read(at: offset, count: CacheTopic.blockSize).check(at: offset, count: CacheTopic.blockSize)
    }
    await filler.reader.close()
    return filled
  }

  /// Another reader of the same source through the same store.
  func reader(under idleStages: Int, areReady: Bool = false) async throws -> CachedReader {
    let source = BlockSource(byteCount: blocks * CacheTopic.blockSize)
    return CachedReader(try await store.reader(source, under: idleStages, areReady: areReady), over: source)
  }
}
