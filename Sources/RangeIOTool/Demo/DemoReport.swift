#if Tool
import RangeIO

/// The results of the demo.
struct DemoReport {
  /// One step, with its time next to that of ``PlainFile``.
  struct Row {
    var name: String
    var reads = 0
    var bytes = 0
    var time = Duration.zero
    var plainTime = Duration.zero
    /// Reads that the cache answered.
    var cacheHits: Int?
    /// Rates instead of the time of a read.
    var showsRate = false
    /// How often the plain way took the quickest of its times, where it did the same more than once: what swings is the machine.
    var swing = 1.0

    /// The speed as a multiple of the plain one.
    var ratio: Double { max(1, Figures.nanoseconds(plainTime)) / max(1, Figures.nanoseconds(time)) }
    var nanosecondsPerRead: Double { Figures.nanoseconds(time) / Double(max(1, reads)) }
    /// The ratio as it is shown, which is then what the verdict goes by.
    var shownRatio: String { Figures.decimal(ratio, places: ratio < 100 ? 2 : 0) }
    var isSlower: Bool { reads > 0 && ratio < 0.995 }

    mutating func add(_ bytes: Bytes) {
      reads += 1
      self.bytes += bytes.count
    }
  }

  var path: String
  var byteCount: Int
  var engine: FileSource.Engine
  var seed: UInt64
  var rows: [Row] = []
  /// A jump by `pread` alone, in a loop, into one buffer.
  var bareTime = Duration.zero
  var comparison = DemoComparison()
  var lanes: [Counters] = []
  /// Filled if a cache on a disk is shown.
  var spill: SpillShow.Facts?
  var peakMemory = 0

  var verdict: String {
    if let mismatch = comparison.mismatch { return "MISMATCH: the byte at \(mismatch) is not what pread says" }
    if comparison.missesChange { return "MISMATCH: a file was changed, and a read did not notice it" }
    return "OK: compared \(Figures.count(comparison.reads)) reads, \(Figures.size(comparison.bytes)): as pread says"
  }

  /// The steps that RangeIO takes longer for.
  var slower: [Row] { rows.filter(\.isSlower) }

  /// So much apart were times of the same: a machine that does nothing else stays well below.
  var swing: Double { rows.reduce(1) { max($0, $1.swing) } }
  private static let quiet = 1.4
}

extension DemoReport {
  /// A screen of 80 columns for people.
  var text: String {
    let facts = ": \(Figures.size(byteCount)), engine \(engine.name), seed \(seed)"
    let head = TerminalText.suffix(Complaint.oneLine(path), columns: max(20, 80 - facts.count)) + facts
    var cells = [["", "", "", "", "pread +", "times"]]
    cells.append(["what a program does", "reads", "bytes", "RangeIO", "fstat", "as fast"])
    cells += rows.map { row in
      [
        row.name, Figures.count(row.reads), row.bytes > 0 ? Figures.size(row.bytes) : "",
        row.shown(row.time), row.shown(row.plainTime), row.shownRatio,
      ]
    }
    let figures = Table(columns: [.left, .right, .right, .right, .right, .right], rows: cells).text
    let note = """
      pread + fstat: as asynchronous code must for the same guarantees, on a pool of
      threads, into fresh memory. A bare pread, which has none: \(Figures.time(bareTime)) a jump.
      """
    var slower = slower.map { "\($0.name) \($0.shownRatio)" }
    // All of it stays on a screen.
    if slower.count > 3 { slower[2...] = ["and \(slower.count - 2) more"] }
    var lines = slower.enumerated().map { [$0.offset == 0 ? "slower here" : "", $0.element] }
    if slower.isEmpty { lines = [["slower here", "nothing"]] }
    lines += [
      ["bytes by lane", lanes.map { "\($0.name) \(Figures.size($0.bytes ?? 0))" }.joined(separator: ", ")],
      ["peak memory", Figures.size(peakMemory)], ["verdict", verdict],
    ]
    if swing > Self.quiet {
      let times = Figures.decimal(swing, places: 1)
      lines.append(["not quiet", "the same took up to \(times) times as long: something else runs here"])
    }
    let parts = [head, figures, note, spill?.text, Table(columns: [.left, .left], rows: lines).text]
    return parts.compactMap { $0 }.joined(separator: "\n\n")
  }

  /// The same facts for programs. Times are in nanoseconds, rates in GB/s.
  var json: JSON {
    .object([
      "file": .string(path), "byteCount": .integer(byteCount), "engine": .string(engine.name),
      // As text: JSON readers may keep only 53 bits of a number.
      "seed": .string(String(seed)),
      "rows": .array(rows.map(\.json)), "barePreadNanoseconds": .number(Figures.nanoseconds(bareTime)),
      "cacheLimitBytes": .integer(Demo.cacheLimit.bytes), "spill": spill?.json ?? .null,
      "lanes": .array(
        lanes.map {
          .object([
            "name": .string($0.name), "reads": .integer($0["reads"] ?? 0), "bytes": .integer($0.bytes ?? 0),
          ])
        }),
      "comparedReads": .integer(comparison.reads), "comparedBytes": .integer(comparison.bytes),
      "mismatch": comparison.mismatch.map { .integer($0) } ?? .null,
      "swing": .number(swing), "slower": .array(slower.map { .string($0.name) }),
      "peakMemoryBytes": .integer(peakMemory),
      "isOK": .bool(comparison.isOK), "verdict": .string(verdict),
    ])
  }
}

extension DemoReport.Row {
  /// The time of a read, or the rate.
  func shown(_ time: Duration) -> String {
    showsRate ? Figures.rate(bytes: bytes, in: time) : Figures.time(time / max(1, reads))
  }

  fileprivate var json: JSON {
    let rate = { Double(bytes) / max(1, Figures.nanoseconds($0)) }
    return .object([
      "name": .string(name), "reads": .integer(reads), "bytes": .integer(bytes),
      "cacheHits": cacheHits.map { .integer($0) } ?? .null, "nanosecondsPerRead": .number(nanosecondsPerRead),
      "gigabytesPerSecond": .number(rate(time)),
      "plainNanosecondsPerRead": .number(
        Figures.nanoseconds(plainTime) / Double(max(1, reads))),
      "plainGigabytesPerSecond": .number(rate(plainTime)), "timesAsFastAsPlain": .number(ratio),
    ])
  }
}
#endif
