import RangeIO
import RangeIOTiers

/// The results of the demo.
struct DemoReport {
  /// One way of reading, with its time next to plain `pread` of the same ranges.
  struct Row {
    var name: String
    var reads = 0
    var bytes = 0
    var time = Duration.zero
    var plainTime = Duration.zero

    /// The speed as a multiple of plain `pread`.
    var ratio: Double { Figures.nanoseconds(plainTime) / max(1, Figures.nanoseconds(time)) }
    var nanosecondsPerRead: Double { Figures.nanoseconds(time) / Double(max(1, reads)) }
    var plainNanosecondsPerRead: Double { Figures.nanoseconds(plainTime) / Double(max(1, reads)) }
    var gigabytesPerSecond: Double { Double(bytes) / max(1, Figures.nanoseconds(time)) }
    var plainGigabytesPerSecond: Double { Double(bytes) / max(1, Figures.nanoseconds(plainTime)) }
  }

  /// The same for reads through a cache.
  struct CacheRow {
    var reading: Row
    /// Reads that the cache answered.
    var hits = 0
    /// Bytes that came from the file.
    var fetchedBytes = 0

    /// The share of reads that the cache answered.
    var hitShare: Double { Double(hits) / Double(max(1, reading.reads)) }
    /// Bytes that were not read from the file, thanks to the cache.
    var savedBytes: Int { max(0, reading.bytes - fetchedBytes) }
  }

  var path: String
  var byteCount: Int
  var engine: FileSource.Engine
  var seed: UInt64
  var rows: [Row] = []
  var comparison = DemoComparison()
  var lanes: [Counters] = []
  var cacheRows: [CacheRow] = []
  /// The bytes in the cache at the end, including its bookkeeping.
  var cachedBytes = 0
  var cachedBlocks = 0
  /// Filled if tiers are shown.
  var tierRows: [TierRow] = []
  var tiers: TieredStore.Counts?
  /// Filled if a cache on a disk is shown.
  var spill: SpillFacts?
  var peakMemory = 0

  var verdict: String {
    if let mismatch = comparison.mismatch { return "MISMATCH: the byte at \(mismatch) is not what pread says" }
    return "OK: compared \(Figures.count(comparison.reads)) reads, \(Figures.count(comparison.bytes)) bytes, "
      + "every one equal to what plain pread says"
  }
}

extension DemoReport {
  /// A table for people.
  var text: String {
    let head = "\(Complaint.oneLine(path)): \(Figures.size(byteCount)), engine \(engine.name), seed \(seed)"
    var cells = [["", "", "", "RangeIO", "", "plain pread", "", "times"]]
    cells.append(["what was done", "reads", "bytes", "a read", "rate", "a read", "rate", "as fast"])
    cells += rows.map { row in
      [
        row.name, Figures.count(row.reads), Figures.size(row.bytes),
        Self.time(row.nanosecondsPerRead), Figures.rate(bytes: row.bytes, in: row.time),
        Self.time(row.plainNanosecondsPerRead), Figures.rate(bytes: row.bytes, in: row.plainTime),
        Figures.decimal(row.ratio, places: 2),
      ]
    }
    let figures = Table(columns: [.left, .right, .right, .right, .right, .right, .right, .right], rows: cells).text
    let lanes = lanes.map { "\($0.name) \(Figures.size($0.bytes ?? 0))" }.joined(separator: ", ")
    let facts = Table(
      columns: [.left, .left],
      rows: [
        ["bytes by lane", lanes],
        ["peak memory", Figures.size(peakMemory)],
        ["verdict", verdict],
      ]
    ).text
    let note = "Plain pread reads into one buffer, again and again, and does not look whether the file has changed."
    return [head, figures, note, cacheText, tierText, spillText, facts].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// The results of the cache, and a chart of where bytes came from.
  private var cacheText: String {
    var cells = [["", "", "", "RangeIO", "plain pread", "times", "bytes of", "", "from memory ▓"]]
    cells.append([
      "with a cache", "reads", "hits", "a read", "a read", "as fast", "the file", "saved", "from the file ░",
    ])
    cells += cacheRows.map { row in
      [
        row.reading.name, Figures.count(row.reading.reads),
        Figures.decimal(row.hitShare * 100, places: 1) + "%", Self.time(row.reading.nanosecondsPerRead),
        Self.time(row.reading.plainNanosecondsPerRead), Figures.decimal(row.reading.ratio, places: 2),
        Figures.size(row.fetchedBytes), Figures.size(row.savedBytes),
        Self.bar(Double(row.savedBytes) / Double(max(1, row.reading.bytes))),
      ]
    }
    let table = Table(columns: [.left] + Array(repeating: .right, count: 7) + [.left], rows: cells).text
    return """
      \(table)

      Reads are whole blocks of \(CacheShow.blockSize), the first of the file most. The cache may take \
      \(Figures.size(CacheShow.limit.bytes)) and now has \(Figures.size(cachedBytes)), bookkeeping included.
      """
  }

  /// A bar for a share of the whole, 20 characters wide.
  private static func bar(_ share: Double) -> String {
    let full = Int((min(max(share, 0), 1) * 20).rounded())
    return String(repeating: "▓", count: full) + String(repeating: "░", count: 20 - full)
  }

  /// The same facts for programs. Times are in nanoseconds, rates in GB/s.
  var json: JSON {
    .object([
      "file": .string(path), "byteCount": .integer(byteCount), "engine": .string(engine.name),
      // As text: JSON readers may keep only 53 bits of a number.
      "seed": .string(String(seed)),
      "rows": .array(rows.map(\.json)),
      "cache": .object([
        "limitBytes": .integer(CacheShow.limit.bytes), "blockSize": .integer(CacheShow.blockSize.bytes),
        "bytes": .integer(cachedBytes), "blocks": .integer(cachedBlocks), "rows": .array(cacheRows.map(\.json)),
      ]),
      "tiers": tierJSON,
      "spill": spill?.json ?? .null,
      "lanes": .array(
        lanes.map {
          .object([
            "name": .string($0.name), "reads": .integer($0["reads"] ?? 0), "bytes": .integer($0.bytes ?? 0),
          ])
        }),
      "comparedReads": .integer(comparison.reads), "comparedBytes": .integer(comparison.bytes),
      "mismatch": comparison.mismatch.map { .integer($0) } ?? .null,
      "peakMemoryBytes": .integer(peakMemory), "isOK": .bool(comparison.mismatch == nil), "verdict": .string(verdict),
    ])
  }

  private static func time(_ nanoseconds: Double) -> String {
    Figures.time(.nanoseconds(Int(nanoseconds.rounded())))
  }
}

extension DemoReport.Row {
  fileprivate var json: JSON {
    .object([
      "name": .string(name), "reads": .integer(reads), "bytes": .integer(bytes),
      "nanosecondsPerRead": .number(nanosecondsPerRead), "gigabytesPerSecond": .number(gigabytesPerSecond),
      "plainNanosecondsPerRead": .number(plainNanosecondsPerRead),
      "plainGigabytesPerSecond": .number(plainGigabytesPerSecond), "timesAsFastAsPlain": .number(ratio),
    ])
  }
}

extension DemoReport.CacheRow {
  fileprivate var json: JSON {
    .object([
      "name": .string(reading.name), "reads": .integer(reading.reads), "bytes": .integer(reading.bytes),
      "hits": .integer(hits), "fetchedBytes": .integer(fetchedBytes), "savedBytes": .integer(savedBytes),
      "nanosecondsPerRead": .number(reading.nanosecondsPerRead),
      "plainNanosecondsPerRead": .number(reading.plainNanosecondsPerRead),
      "timesAsFastAsPlain": .number(reading.ratio),
    ])
  }
}
