import RangeIO

/// A reader with a `Caching` stage and a store, as in a program.
struct ReaderTarget: ReplayTarget {
  private let reader: RangeReader
  private let source: MadeUpSource

  init(_ store: MemoryStore, _ grid: BlockGrid, _ source: MadeUpSource) async throws {
    self.source = source
    reader = try await RangeReader(source) { Caching(store, blockSize: .bytes(grid.blockSize)) }
  }

  /// Closes the reader.
  func close() async {
    ReaderLog.note("the cache", reader)
    await reader.close()
  }

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) async throws {
    _ = try await reader.read(range)
    source.takeReads(into: &fetched)
  }
}
