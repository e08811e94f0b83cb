import RangeIO

/// The cache at work: the same skewed reads with an empty cache and again with a full one, beside plain `pread`, every
/// byte compared.
struct CacheShow {
  static let blockSize = ByteCount.kibibytes(4)
  static let limit = ByteCount.mebibytes(64)
  /// Fewer than fit into the cache, so that the second run finds all that the first one read.
  static let reads = 12_000
  /// Reads that are timed together: looking at the clock for each would cost as much as a hit.
  private static let batch = 256

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
        var row = DemoReport.CacheRow(reading: try await pass(name, ranges, reader, &report.comparison))
        row.hits = store.statistics().hits - before.hits
        row.fetchedBytes = Self.fetched(by: reader) - before.fetched
        report.cacheRows.append(row)
      }
    }
    report.cachedBytes = store.statistics().bytes
    report.cachedBlocks = store.statistics().blocks
  }

  private static func fetched(by reader: RangeReader) -> Int {
    reader.statistics().source.lanes.reduce(0) { $0 + $1.bytes }
  }

  private func pass(
    _ name: String, _ ranges: [ByteRange], _ reader: RangeReader, _ comparison: inout DemoComparison
  ) async throws -> DemoReport.Row {
    var row = DemoReport.Row(name: name)
    var progress = Progress(name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let scratches = (0..<Self.batch).map { _ in Scratch(Self.blockSize) }
    var pieces: [Bytes] = []
    let end = ContinuousClock.now + Demo.longestPhase
    for first in stride(from: 0, to: ranges.count, by: Self.batch) where ContinuousClock.now < end {
      let batch = ranges[first..<min(first + Self.batch, ranges.count)]
      pieces.removeAll(keepingCapacity: true)
      var start = ContinuousClock.now
      for range in batch { pieces.append(try await reader.read(range)) }
      row.time += ContinuousClock.now - start
      start = ContinuousClock.now
      for (range, scratch) in zip(batch, scratches) { try plain.read(range, into: scratch.buffer) }
      row.plainTime += ContinuousClock.now - start
      for (index, range) in batch.enumerated() {
        comparison.compared(pieces[index], at: range.lowerBound, with: scratches[index])
        row.reads += 1
        row.bytes += range.count
        progress.advance(range.count)
      }
    }
    return row
  }
}
