import RangeIO
import RangeIOTiers

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
    let pipeline: ReadPipeline = [.caching(store, blockSize: Self.blockSize)]
    try await withSource(SourceName(path: path), OpeningOptions(engine: engine), pipeline) { reader in
      for name in ["cache empty at first", "the same reads again"] {
        guard report.comparison.mismatch == nil else { return }
        let before = (hits: store.counts().hits, fetched: Self.fetched(by: reader))
        var row = DemoReport.CacheRow(
          reading: try await TimedPass(reader: reader, plain: plain, blockSize: Self.blockSize)
            .run(name, ranges, &report.comparison))
        row.hits = store.counts().hits - before.hits
        row.fetchedBytes = Self.fetched(by: reader) - before.fetched
        report.cacheRows.append(row)
      }
    }
    report.cachedBytes = store.counts().bytes
    report.cachedBlocks = store.counts().blocks
  }

  static func fetched(by reader: RangeReader) -> Int {
    reader.statistics().source.reduce(0) { $0 + ($1.bytes ?? 0) }
  }
}

/// Shows memory and compressed memory: skewed reads of more than fits into memory. Every byte is compared.
struct TierShow {
  static let blockSize = ByteCount.kibibytes(16)
  static let memory = ByteCount.mebibytes(8)
  static let compressed = ByteCount.mebibytes(8)
  static let reads = 12_000

  let path: String
  let engine: FileSource.Engine
  let plain: PlainFile

  func run(_ ranges: [ByteRange], _ report: inout DemoReport) async throws {
    let store = TieredStore(memory: Self.memory, compressed: Self.compressed)
    let pipeline: ReadPipeline = [.caching(store, blockSize: Self.blockSize)]
    try await withSource(SourceName(path: path), OpeningOptions(engine: engine), pipeline) { reader in
      let pass = TimedPass(reader: reader, plain: plain, blockSize: Self.blockSize)
      for name in ["tiers empty at first", "the same reads again"] {
        guard report.comparison.mismatch == nil else { return }
        let (before, fetched) = (store.counts(), Self.fetches(by: reader))
        var row = DemoReport.TierRow(reading: try await pass.run(name, ranges, &report.comparison))
        let after = store.counts()
        row.movingHits = after.moving.hits - before.moving.hits
        row.compressedHits = after.compressed.hits - before.compressed.hits
        row.fetches = Self.fetches(by: reader) - fetched
        report.tierRows.append(row)
      }
    }
    report.tiers = store.counts()
  }

  private static func fetches(by reader: RangeReader) -> Int {
    reader.statistics().source.reduce(0) { $0 + ($1["reads"] ?? 0) }
  }
}

extension DemoReport {
  /// The same for reads through tiers.
  struct TierRow {
    var reading: Row
    /// Reads answered by chunks that were being moved down, by compressed chunks, and by the file.
    var movingHits = 0
    var compressedHits = 0
    var fetches = 0
    /// The remaining reads.
    var memoryHits: Int { max(0, reading.reads - movingHits - compressedHits - fetches) }

    fileprivate func share(_ count: Int) -> Double { Double(count) / Double(max(1, reading.reads)) }
  }

  /// The results of the tiers, and a chart of where reads were answered.
  var tierText: String {
    guard let tiers else { return "" }
    var cells = [["", "", "in", "com-", "by the", "RangeIO", "plain pread", "memory ▓ compressed ▒"]]
    cells.append(["with tiers", "reads", "memory", "pressed", "file", "a read", "a read", "file ░"])
    cells += tierRows.map { row in
      func percent(_ count: Int) -> String { Figures.decimal(row.share(count) * 100, places: 1) + "%" }
      return [
        row.reading.name, Figures.count(row.reading.reads), percent(row.memoryHits + row.movingHits),
        percent(row.compressedHits), percent(row.fetches),
        Figures.time(.nanoseconds(Int(row.reading.nanosecondsPerRead.rounded()))),
        Figures.time(.nanoseconds(Int(row.reading.plainNanosecondsPerRead.rounded()))), Self.bar(row),
      ]
    }
    let table = Table(columns: [.left] + Array(repeating: .right, count: 6) + [.left], rows: cells).text
    return """
      \(table)

      Whole blocks of \(TierShow.blockSize), the first of the file most. Budget \(TierShow.memory) for memory and \
      \(TierShow.compressed) for compressed blocks, which are \(Figures.size(tiers.compressed.rawBytes)) in \
      \(Figures.size(tiers.compressed.storedBytes)); \(Figures.count(tiers.compressed.incompressible)) did not shrink. \
      A file in the page cache is read faster than blocks are decompressed: tiers are for slower sources.
      """
  }

  /// A bar of thirty characters.
  private static func bar(_ row: TierRow) -> String {
    let width = 30.0
    let memory = Int((row.share(row.memoryHits + row.movingHits) * width).rounded())
    let compressed = min(Int((row.share(row.compressedHits) * width).rounded()), 30 - memory)
    return String(repeating: "▓", count: memory) + String(repeating: "▒", count: compressed)
      + String(repeating: "░", count: max(0, 30 - memory - compressed))
  }

  /// The same facts for programs.
  var tierJSON: JSON {
    guard let tiers else { return .null }
    return .object([
      "memoryLimitBytes": .integer(TierShow.memory.bytes), "compressedLimitBytes": .integer(TierShow.compressed.bytes),
      "compressionRatio": .number(tiers.compressed.ratio), "peakBytes": .integer(tiers.peakBytes),
      "rows": .array(
        tierRows.map { row in
          .object([
            "name": .string(row.reading.name), "reads": .integer(row.reading.reads),
            "memoryHits": .integer(row.memoryHits), "movingHits": .integer(row.movingHits),
            "compressedHits": .integer(row.compressedHits), "fetches": .integer(row.fetches),
            "nanosecondsPerRead": .number(row.reading.nanosecondsPerRead),
          ])
        }),
    ])
  }
}
