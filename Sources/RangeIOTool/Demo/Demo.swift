#if Tool
import RangeIO

/// Shows what a program does with a file, what each step takes, and what it takes with ``PlainFile``, which gives the same
/// guarantees. What both read is compared, byte by byte.
///
/// Before anything is timed, the whole file is streamed and compared. Otherwise the first step would wait for the disk, and the
/// others would not.
struct Demo {
  let path: String
  let engine: FileSource.Engine
  let seed: UInt64
  /// The directory for a cache on a disk, if that is to be shown too.
  var spillDirectory: String?

  /// The bytes that the reader's cache may take: more than the jumps read.
  static let cacheLimit = ByteCount.mebibytes(64)
  /// What the cache keeps.
  private static let sizes = 1...65_536
  private static let jumps = 1000

  func run() async throws -> DemoReport {
    // Comes first, because it may fail.
    var spill: SpillShow?
    if let spillDirectory { spill = try await SpillShow(directory: spillDirectory) }
    let pipeline = ReadPipeline.localFile(cache: MemoryStore(limit: Self.cacheLimit))
    return try await withSource(SourceName(path: path), OpeningOptions(engine: engine), pipeline) { reader in
      var report = DemoReport(path: path, byteCount: reader.byteCount, engine: engine, seed: seed)
      var ranges = DemoRanges(byteCount: reader.byteCount, seed: seed)
      let race = DemoRace(reader: reader, plain: try PlainFile(path), path: path, engine: engine)
      try await race.compareWhole(&report.comparison)
      report.rows.append(try await race.open(&report.comparison))
      let jumps = ranges.next(Self.jumps, sizes: Self.sizes)
      for name in ["jump about", "the same again", "and once more"] {
        report.rows.append(try await race.read(name, jumps, &report.comparison))
      }
      report.rows[report.rows.count - 1].swing = DemoRace.swing(report.rows.suffix(3).map(\.plainTime))
      report.bareTime = try race.bare(jumps)
      let many = ranges.next(8 * Self.jumps, sizes: Self.sizes)
      report.rows.append(try await race.read("jump about, 32 at a time", many, atOnce: 32, &report.comparison))
      report.rows.append(try await race.stream())
      if let row = try await race.cancel() { report.rows.append(row) }
      report.rows.append(try await DemoChange(engine: engine).run(&report.comparison))
      report.lanes = reader.statistics().source
      report.spill = try await spill?.run(path, engine, race.plain, &report.comparison)
      report.peakMemory = PeakMemory.bytes
      return report
    }
  }
}

/// The amount compared, and what differed.
struct DemoComparison: Sendable {
  private(set) var reads = 0
  private(set) var bytes = 0
  /// The offset in the file of the first byte that differed, or `nil`.
  private(set) var mismatch: Int?
  /// A change of a file was not noticed.
  var missesChange = false

  var isOK: Bool { mismatch == nil && !missesChange }

  /// Compares `piece`, read from `offset`, with what plain `pread` says.
  mutating func compared(_ piece: Bytes, at offset: Int, with plain: PlainBytes) {
    reads += 1
    bytes += piece.count
    if mismatch == nil, let place = plain.firstDifference(from: piece) { mismatch = offset + place }
  }
}
#endif
