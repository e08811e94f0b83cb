extension Goal {
  /// The goals of the cache.
  static func cache(_ report: Report) -> [Goal] {
    hits(report) + [
      sharing(report), allocations(report), keptMiss(report), missOverhead(report), stampede(report),
      bookkeeping(report),
    ]
      + defaults(report)
  }

  private static func hits(_ report: Report) -> [Goal] {
    let few = report[.hits(1_000)]
    let many = report[.hits(100_000)]
    return [
      atLeast(7, timesAsFastAs: .cBare, "hit of 4 KiB, 1,000 blocks: speed against C pread", few, note: time(few)),
      atLeast(
        3.5, timesAsFastAs: .cBare, "hit of 4 KiB, 100,000 blocks: speed against C pread", many, note: time(many)),
      million(report, few, many),
      atLeast(100, timesAsFastAs: .nio, "hit of 4 KiB, 1,000 blocks: speed against NIOFileSystem", few),
      atLeast(
        20, timesAsFastAs: .sortedChunks, "hit of 4 KiB, 10,000 blocks: speed against a sorted array, searched",
        report[.hits(10_000)]),
    ]
  }

  /// What a store of a million blocks adds to a hit.
  private static func million(_ report: Report, _ few: Report.Group?, _ many: Report.Group?) -> Goal {
    let median = report[.hits(1_000_000)]?[.rangeIO]?.median
    func ratio(_ group: Report.Group?) -> Double? {
      guard let median, let other = group?[.rangeIO]?.median else { return nil }
      return median / other
    }
    let limit = 2.0
    return Goal(
      name: "hit of 4 KiB, 1,000,000 blocks: time against 1,000 blocks", target: "at most \(Figures.plain(limit))×",
      figure: ratio(few).map(Figures.ratio), isMet: ratio(few).map { $0 <= limit },
      note: ratio(many).map { "against 100,000 blocks \(Figures.ratio($0)) the time" } ?? "")
  }

  private static func sharing(_ report: Report) -> Goal {
    let group = report[.cache(.sharing, tasks: 2)]
    let note = group?[.storeEach]?.rangeIOIsTimesFaster.map { "against a reader and a store each \(Figures.ratio($0))" }
    return atLeast(
      0.95, timesAsFastAs: .readerEach, "hits by two tasks, 100,000 blocks: rate against a reader each", group,
      note: note ?? "")
  }

  private static func allocations(_ report: Report) -> Goal {
    let facts = report.cacheFacts
    return Goal(
      name: "allocations of a hit", target: "0",
      figure: facts?.allocations.map { $0 == 0 ? "0" : Figures.plain(Double($0) / Double(facts?.hits ?? 1)) },
      isMet: facts?.allocations.map { $0 == 0 },
      note: facts.map { "\(Figures.grouped($0.hits)) hits, \(Figures.grouped($0.blocks)) blocks" } ?? "")
  }

  /// What it costs to keep what was read of a file, which brings memory of its own.
  private static func keptMiss(_ report: Report) -> Goal {
    let overhead = overhead(report, .cache(.fileMisses, temperature: .resident))
    return Goal(
      name: "a miss of a resident file that is kept: time beyond the file's", target: "at most 1.2 µs",
      figure: overhead.map(Figures.time), isMet: overhead.map { $0 <= 1_200 }, note: "")
  }

  /// The same of a source that has its bytes at hand, in memory of others: they are copied.
  private static func missOverhead(_ report: Report) -> Goal {
    let ready = overhead(report, .cache(.misses(suspending: false)))
    return Goal(
      name: "overhead of a miss, source answers at once, its bytes are copied", target: "at most 1 µs",
      figure: ready.map(Figures.time), isMet: ready.map { $0 <= 1_000 },
      note: overhead(report, .cache(.misses(suspending: true))).map { "source suspends once: \(Figures.time($0))" }
        ?? ""
    )
  }

  /// How much longer a cell takes with a cache than without. Round by round, so that slow changes of the machine cancel out.
  private static func overhead(_ report: Report, _ cell: Cell) -> Double? {
    guard let group = report[cell], let cached = group[.rangeIO], let uncached = group[.uncached] else { return nil }
    return zip(cached.samples, uncached.samples).map { $0 - $1 }.median
  }

  private static func stampede(_ report: Report) -> Goal {
    let row = report[.cache(.stampede, tasks: CacheTopic.stampedeReads)]?[.rangeIO]
    let reads = row?.source.flatMap { source in row.map { Double(source.reads) / Double($0.samples.count) } }
    return Goal(
      name: "source reads for 10,000 tasks that want one cold block", target: "1", figure: reads.map(Figures.plain),
      isMet: reads.map { $0 == 1 },
      note: row.map { "all answered in \(Figures.time($0.median * Double(CacheTopic.stampedeReads)))" } ?? "")
  }

  private static func bookkeeping(_ report: Report) -> Goal {
    let facts = report.cacheFacts
    let limit = 128.0
    return Goal(
      name: "memory for each block beyond its bytes", target: "at most \(Figures.plain(limit)) B",
      figure: facts?.residentBookkeeping.map { Figures.plain($0.rounded()) + " B" },
      isMet: facts?.residentBookkeeping.map { $0 <= limit },
      note: facts.map { "\(Figures.grouped($0.blocks)) blocks, by resident memory" } ?? "")
  }

  private static func defaults(_ report: Report) -> [Goal] {
    let resident = report[.cache(.defaults, temperature: .resident)]
    let cold = report[.cache(.defaults, temperature: .cold)]
    let ratios = [resident, cold].compactMap { group -> Double? in
      guard let cached = group?[.rangeIO]?.sourceBytesPerRead, let bare = group?[.uncached]?.sourceBytesPerRead
      else { return nil }
      return cached / bare
    }
    let limit = 1.1
    return [
      Goal(
        name: "defaults, random reads over ten times the store: bytes from the source", target: "at most \(limit)×",
        figure: ratios.max().map(Figures.ratio), isMet: ratios.max().map { $0 <= limit },
        note: ratios.isEmpty ? "" : "the worse of resident and cold"),
      atLeast(
        0.9, timesAsFastAs: .uncached, "defaults, random reads over ten times the store: cold reads a second", cold),
      atMost(
        2, timesTheTimeOf: .uncached, "defaults, random reads over ten times the store: time on a resident file",
        resident),
    ]
  }

  private static func time(_ group: Report.Group?) -> String {
    guard let ours = group?[.rangeIO], let peer = group?[.cBare] else { return "" }
    return "\(Figures.time(ours.median)) against \(Figures.time(peer.median))"
  }
}

extension Report.Row {
  /// Reads in all rounds together.
  private var reads: Int { readsPerRun * samples.count }

  /// How often the source was read for each read.
  var sourceReadsPerRead: Double? { source.map { Double($0.reads) / Double(reads) } }

  var sourceBytesPerRead: Double? { source.map { Double($0.bytes) / Double(reads) } }
}

extension Cell {
  /// One task that hits 4 KiB blocks of a store of so many.
  fileprivate static func hits(_ blocks: Int) -> Cell { cache(.hits(blocks: blocks), temperature: .resident) }
}
