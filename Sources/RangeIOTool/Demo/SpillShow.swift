#if Tool
import RangeIO
import RangeIOSpillInspection
import RangeIOTiers

/// A cache of memory, compressed memory and a disk, above a distant source: skewed reads, with every byte compared. The
/// next process finds what this one has read.
struct SpillShow {
  static let blockSize = ByteCount.kibibytes(64)
  static let memory = ByteCount.mebibytes(6)
  static let compressed = ByteCount.mebibytes(2)
  static let disk = ByteCount.mebibytes(256)
  static let latency = Duration.milliseconds(20)
  static let reads = 500
  /// The same reads in each run, so that the second run finds what the first one read.
  private static let seed: UInt64 = 20

  private let directory: String
  private let store: TieredStore
  private let blocksAtFirst: Int

  /// Opens the cache with what an earlier run has left.
  init(directory: String) async throws {
    self.directory = directory
    var configuration = TieredStore.Configuration(memory: Self.memory, compressed: Self.compressed)
    // Room for what such a small compressed tier evicts at once. With the default, all but a few blocks would be
    // dropped.
    configuration.queueLimit = .mebibytes(1)
    do {
      store = try await TieredStore(configuration, disk: .init(directory: directory, limit: Self.disk))
    } catch let error as ReadError {
      throw SpillLook.failure(error, directory)
    }
    blocksAtFirst = store.counts().disk?.blocks ?? 0
  }

  func run(
    _ path: String, _ engine: FileSource.Engine, _ plain: PlainFile, _ comparison: inout DemoComparison
  ) async throws -> Facts {
    let file = try PathArgument.source(path, configuration: .init(engine: engine))
    let source = SlowSource(file, latency: Self.latency)
    let pipeline: ReadPipeline = [.caching(store, blockSize: Self.blockSize)]
    let first = blocksAtFirst == 0 ? "disk empty at first" : "disk as it was left"
    let rows = try await withReader(SourceName(path: path), of: source, pipeline) { reader in
      var ranges = DemoRanges(byteCount: reader.byteCount, seed: Self.seed)
      let blocks = ranges.nextSkewed(Self.reads, blockSize: Self.blockSize)
      let race = DemoRace(reader: reader, plain: plain, path: path, engine: engine)
      var rows: [Facts.Row] = []
      for name in [first, "the same reads again"] {
        let before = Counts(store.counts(), source)
        let reading = try await race.read(name, blocks, &comparison)
        let after = Counts(store.counts(), source)
        rows.append(
          Facts.Row(
            reading: reading, compressed: after.compressed - before.compressed, disk: after.disk - before.disk,
            source: after.source - before.source))
        try await store.flush()
      }
      return rows
    }
    do {
      try await store.close(within: .seconds(10))
    } catch let error as ReadError {
      throw SpillLook.failure(error, directory)
    }
    let blocksAtLast = try SpillLook(directory).survey().sources.reduce(0) { $0 + $1.blocks }
    return Facts(directory: directory, blocksAtFirst: blocksAtFirst, blocksAtLast: blocksAtLast, rows: rows)
  }

  /// The reads so far that compressed memory, the disk, and the source have answered.
  private struct Counts {
    let compressed: Int
    let disk: Int
    let source: Int

    init(_ tiers: TieredStore.Counts, _ source: SlowSource) {
      compressed = tiers.compressed.hits
      disk = tiers.disk?.hits ?? 0
      self.source = source.reads
    }
  }
}

extension SpillShow {
  /// What was found.
  struct Facts {
    struct Row {
      var reading: DemoReport.Row
      /// Reads answered by compressed memory, by the disk, and by the source. Memory answered the rest.
      var compressed: Int
      var disk: Int
      var source: Int
      var memory: Int { max(0, reading.reads - compressed - disk - source) }
    }

    let directory: String
    /// The number of blocks that an earlier run left.
    let blocksAtFirst: Int
    let blocksAtLast: Int
    let rows: [Row]

    /// A table for people.
    var text: String {
      var cells = [["with a disk", "reads", "memory", "compressed", "disk", "source", "a read"]]
      cells += rows.map { row in
        let counts = [row.reading.reads, row.memory, row.compressed, row.disk, row.source]
        return [row.reading.name] + counts.map(Figures.count) + [row.reading.shown(row.reading.time)]
      }
      let advice = blocksAtFirst == 0 ? "Run the same again: it begins with them." : "It began with those."
      return """
        \(Table(columns: [.left] + Array(repeating: .right, count: 6), rows: cells).text)

        Blocks of \(SpillShow.blockSize) of a source that takes \(Figures.time(SpillShow.latency)) a read; \
        \(SpillShow.memory) of memory and
        \(SpillShow.compressed) compressed, above \(Complaint.oneLine(directory)),
        which had \(Figures.count(blocksAtFirst)) blocks at first and has \(Figures.count(blocksAtLast)) now.
        \(advice)
        """
    }

    /// The same facts for programs.
    var json: JSON {
      .object([
        "directory": .string(directory),
        "blocksAtFirst": .integer(blocksAtFirst), "blocksAtLast": .integer(blocksAtLast),
        "latencyNanoseconds": .integer(Int(SpillShow.latency / .nanoseconds(1))),
        "rows": .array(
          rows.map { row in
            .object([
              "name": .string(row.reading.name), "reads": .integer(row.reading.reads),
              "memoryHits": .integer(row.memory), "compressedHits": .integer(row.compressed),
              "diskHits": .integer(row.disk), "sourceReads": .integer(row.source),
              "nanosecondsPerRead": .number(row.reading.nanosecondsPerRead),
            ])
          }),
      ])
    }
  }
}
#endif
