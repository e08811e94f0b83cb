import RangeIO

/// Shows the cache: the same skewed reads with an empty cache and again with a full one, next to plain `pread`. Every
/// byte is compared.
struct CacheShow {
  static let blockSize = ByteCount.kibibytes(4)
  static let limit = ByteCount.mebibytes(64)
  /// Fewer reads than fit into the cache, so that the second run finds everything that the first one read.
  static let reads = 12_000

  let path: String
  let engine: FileSource.Engine
  let plain: PlainFile

  func run(_ ranges: [ByteRange], _ report: inout DemoReport) async throws {
    let store = MemoryStore(limit: Self.limit)
    let pipeline = ReadPipeline { Caching(store, blockSize: Self.blockSize) }
    try await withSource(path, engine: engine, pipeline) { reader in
      for name in ["cache empty at first", "the same reads again"] {
        guard report.comparison.mismatch == nil else { return }
        let before = (hits: store.statistics().hits, fetched: Self.fetched(by: reader))
        var row = DemoReport.CacheRow(
          reading: try await TimedPass(reader: reader, plain: plain, blockSize: Self.blockSize)
            .run(name, ranges, &report.comparison))
        row.hits = store.statistics().hits - before.hits
        row.fetchedBytes = Self.fetched(by: reader) - before.fetched
        report.cacheRows.append(row)
      }
    }
    report.cachedBytes = store.statistics().bytes
    report.cachedBlocks = store.statistics().blocks
  }

  static func fetched(by reader: RangeReader) -> Int {
    reader.statistics().source.reduce(0) { $0 + $1.bytes }
  }
}
