import RangeIO

/// Reads a file in many ways, compares every byte with plain `pread`, and times both.
///
/// First the whole file is streamed and compared, untimed: the first reader of a cold file waits for the disk and would
/// lose any race. Then both read the same ranges in turns. At the end the reader gets a cache.
struct Demo {
  let path: String
  let engine: FileSource.Engine
  let seed: UInt64
  /// `true` shows tiers too.
  var showsTiers = false
  /// The directory for a cache on a disk, if that is to be shown too.
  var spillDirectory: String?

  /// The largest piece read at once.
  static let maxPieceSize = ByteCount.mebibytes(1)
  /// Up to this size, a race over the whole file runs more than once, and the median counts.
  private static let smallEnoughToRepeat = ByteCount.gibibytes(2)
  /// The time after which the race on random ranges ends, because a slow disk would take minutes.
  static let maxPhase = Duration.seconds(8)

  func run() async throws -> DemoReport {
    // Comes first, because it may fail.
    var spillShow: SpillShow?
    if let spillDirectory { spillShow = try await SpillShow(directory: spillDirectory) }
    return try await readAll(spillShow)
  }

  private func readAll(_ spillShow: SpillShow?) async throws -> DemoReport {
    try await withSource(SourceName(path: path), OpeningOptions(engine: engine)) { reader in
      let plain = try PlainFile(path)
      var report = DemoReport(path: path, byteCount: reader.byteCount, engine: engine, seed: seed)
      var ranges = DemoRanges(byteCount: reader.byteCount, seed: seed)
      try await compareWhole(reader, plain, &report)
      try await raceWhole(reader, plain, &report)
      let race = RandomRace(reader: reader, plain: plain)
      for phase in RandomRace.phases where report.comparison.mismatch == nil {
        let all = ranges.next(phase.count, sizes: phase.sizes)
        try await phase.atOnce == 1
          ? race.oneAtATime(all, phase, &report) : race.manyAtOnce(all, phase, &report)
      }
      report.lanes = reader.statistics().source
      let skewed = ranges.nextSkewed(CacheShow.reads, blockSize: CacheShow.blockSize)
      try await CacheShow(path: path, engine: engine, plain: plain).run(skewed, &report)
      if showsTiers {
        let blocks = ranges.nextSkewed(TierShow.reads, blockSize: TierShow.blockSize)
        try await TierShow(path: path, engine: engine, plain: plain).run(blocks, &report)
      }
      try await spillShow?.run(path, engine, plain, &report)
      report.peakMemory = PeakMemory.bytes
      return report
    }
  }

  /// Streams the whole file and compares it.
  private func compareWhole(_ reader: RangeReader, _ plain: PlainFile, _ report: inout DemoReport) async throws {
    var progress = Progress("comparing", total: reader.byteCount)
    defer { progress.clear() }
    let scratch = Scratch(Self.maxPieceSize)
    var offset = 0
    for try await piece in reader.stream(0..<reader.byteCount, chunkSize: Self.maxPieceSize) {
      try plain.read(offset..<offset + piece.count, into: scratch.buffer)
      report.comparison.compared(piece, at: offset, with: scratch)
      offset += piece.count
      progress.advance(piece.count)
    }
  }

  /// Times reading the whole file, in turns.
  private func raceWhole(_ reader: RangeReader, _ plain: PlainFile, _ report: inout DemoReport) async throws {
    let rounds = reader.byteCount <= Self.smallEnoughToRepeat.bytes ? 3 : 1
    var progress = Progress("streaming", total: 2 * rounds * reader.byteCount)
    defer { progress.clear() }
    let scratch = Scratch(Self.maxPieceSize)
    var row = DemoReport.Row(name: "stream of the whole file")
    var times: [Duration] = []
    var plainTimes: [Duration] = []
    for _ in 0..<rounds {
      (row.reads, row.bytes) = (0, 0)
      var start = ContinuousClock.now
      for try await piece in reader.stream(0..<reader.byteCount, chunkSize: Self.maxPieceSize) {
        row.reads += 1
        row.bytes += piece.count
        progress.advance(piece.count)
      }
      times.append(ContinuousClock.now - start)
      start = ContinuousClock.now
      var offset = 0
      while offset < reader.byteCount {
        try Task.checkCancellation()
        let end = min(offset + Self.maxPieceSize.bytes, reader.byteCount)
        try plain.read(offset..<end, into: scratch.buffer)
        progress.advance(end - offset)
        offset = end
      }
      plainTimes.append(ContinuousClock.now - start)
    }
    row.time = times.sorted()[rounds / 2]
    row.plainTime = plainTimes.sorted()[rounds / 2]
    report.rows.append(row)
  }
}
