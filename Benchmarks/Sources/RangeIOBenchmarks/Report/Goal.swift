/// One sentence of what the library promises about speed and memory, and whether this run bears it out.
struct Goal: Sendable, Codable {
  var name: String
  /// What is asked: `at most 1.5×`.
  var target: String
  /// What was measured, `nil` if this run did not.
  var figure: String?
  var isMet: Bool?
  /// Further figures of interest.
  var note: String = ""

  var verdict: String { isMet.map { $0 ? "met" : "short" } ?? "not measured" }
}

extension Goal {
  /// All goals, judged by `report`.
  static func all(_ report: Report) -> [Goal] {
    points(report) + streams(report) + [lanes(report), memory(report)] + cache(report) + pipeline(report)
      + tiers(report)
      + spill(report)
  }

  // MARK: kinds of goals

  /// Our time as a multiple of a peer's.
  static func atMost(
    _ limit: Double, timesTheTimeOf peer: Contender.Name, _ name: String, _ group: Report.Group?, note: String = ""
  ) -> Goal {
    let ratio = group?[peer]?.rangeIOIsTimesFaster.map { 1 / $0 }
    return Goal(
      name: name, target: "at most \(Figures.plain(limit))×", figure: ratio.map(Figures.ratio),
      isMet: ratio.map { $0 <= limit },
      note: note)
  }

  /// How many times as fast as a peer we are.
  static func atLeast(
    _ limit: Double, timesAsFastAs peer: Contender.Name?, _ name: String, _ group: Report.Group?, note: String = ""
  ) -> Goal {
    let ratio = peer.flatMap { group?[$0]?.rangeIOIsTimesFaster }
    return Goal(
      name: name, target: "at least \(Figures.plain(limit))×", figure: ratio.map(Figures.ratio),
      isMet: ratio.map { $0 >= limit }, note: note)
  }

  /// The time, or the CPU time, of one row as a multiple of another's.
  static func atMost(
    _ limit: Double, _ name: String, _ figure: KeyPath<Report.Row, Double> = \.median, of ours: Contender.Name,
    against peer: Contender.Name?, _ group: Report.Group?, note: String = ""
  ) -> Goal {
    let (row, other) = (group?[ours], peer.flatMap { group?[$0] })
    let ratio = row.flatMap { row in other.map { row[keyPath: figure] / $0[keyPath: figure] } }
    return Goal(
      name: name, target: "at most \(Figures.plain(limit))×", figure: ratio.map(Figures.ratio),
      isMet: ratio.map { $0 <= limit }, note: note)
  }

  // MARK: the goals

  private static func points(_ report: Report) -> [Goal] {
    let small = report[.reads(4096, .resident, 1)]
    let large = report[.reads(1 << 20, .resident, 1)]
    let cold = report[.reads(4096, .cold, 1)]
    let coldMany = report[.reads(4096, .cold, 32)]
    return [
      atMost(
        1.5, timesTheTimeOf: .cChecked, "resident 4 KiB: time against C pread + fstat", small,
        note: "stretch 1.3×; " + bare(small)),
      atLeast(10, timesAsFastAs: .nio, "resident 4 KiB: speed against NIOFileSystem", small),
      atLeast(25, timesAsFastAs: .dispatchIO, "resident 4 KiB: speed against bare DispatchIO", small),
      atMost(1.2, timesTheTimeOf: .cChecked, "resident 1 MiB: time against C pread + fstat", large, note: bare(large)),
      atMost(
        1.15, timesTheTimeOf: .cChecked, "cold 4 KiB, 1 at a time: time against C pread + fstat", cold,
        note: bare(cold)),
      atMost(
        1.05, "cold 4 KiB in place, 1 at a time: time against C pread + fstat", of: .rangeIOInPlace, against: .cChecked,
        cold),
      atMost(
        1.05, "cold 4 KiB in place, 32 at a time: time against 32 C threads", of: .rangeIOInPlace, against: .cChecked,
        coldMany),
    ] + [4, 32, 128].flatMap { severalCold($0, report[.reads(4096, .cold, $0)]) }
  }

  /// Several cold reads at a time, through the page cache and past it: the time, and that of the processor.
  private static func severalCold(_ count: Int, _ group: Report.Group?) -> [Goal] {
    let ways: [(Contender.Name, Contender.Name, String)] = [
      (.rangeIO, .cChecked, ""), (.rangeIODirect, .cDirect, " past the page cache"),
    ]
    return ways.flatMap { ours, peer, way in
      [
        atMost(
          1.2, "cold 4 KiB\(way), \(count) at a time: time against as many C threads", of: ours, against: peer, group,
          note: disk(group)),
        atMost(
          1.4, "cold 4 KiB\(way), \(count) at a time: CPU against as many C threads", \.cpuNanoseconds, of: ours,
          against: peer, group, note: processor(ours, peer, group)),
      ]
    }
  }

  private static func streams(_ report: Report) -> [Goal] {
    let resident = report[.stream(.resident)]
    let cold = report[.stream(.cold)]
    let fastest = cold?.rows.filter { row in
      Contender.Name(rawValue: row.peer).map { !$0.isRangeIO && !$0.isDirect } ?? false
    }.min { $0.median < $1.median }
    // The plain loops, whichever of them is fastest.
    let loop = [Contender.Name.cStream, .cStreamReused].filter { cold?[$0] != nil }
      .min { cold?[$0]?.median ?? 0 < cold?[$1]?.median ?? 0 }
    return [
      atLeast(0.9, timesAsFastAs: .cStream, "resident stream: speed against C, 1 MiB malloc a window", resident),
      atLeast(
        1.3, timesAsFastAs: .nio, "resident stream: speed against NIOFileSystem's best", resident,
        note: resident?[.nio]?.configuration ?? ""),
      atLeast(
        1, timesAsFastAs: fastest.flatMap { Contender.Name(rawValue: $0.peer) },
        "cold stream: speed against the fastest peer with a page cache", cold,
        note: fastest.map { "\($0.peer), \($0.configuration)" } ?? ""),
      atMost(
        0.667, "cold stream past the page cache: time against C's fastest loop through it", of: .rangeIODirect,
        against: loop, cold, note: loop?.rawValue ?? ""),
      atMost(
        1.053, "cold stream past the page cache: time against C O_DIRECT, 1 MiB", of: .rangeIODirect,
        against: .cDirectStream, cold),
      atMost(
        0.5, "cold stream past the page cache: CPU against a stream through it", \.cpuNanoseconds, of: .rangeIODirect,
        against: .rangeIO, cold),
    ]
  }

  /// A cold stream's bytes that were not resident must go through DispatchIO.
  private static func lanes(_ report: Report) -> Goal {
    let lanes = report[.stream(.cold)]?[.rangeIO]?.lanes ?? [:]
    let missed = lanes.filter { $0.key != "resident" }.values.reduce(0, +)
    let share = missed > 0 ? Double(lanes["dispatchIO"] ?? 0) / Double(missed) : nil
    return Goal(
      name: "cold stream: share of non-resident bytes by DispatchIO", target: "at least 90%",
      figure: share.map(Figures.percent), isMet: share.map { $0 >= 0.9 }, note: Figures.lanes(lanes))
  }

  private static func memory(_ report: Report) -> Goal {
    let limit = 32 << 20
    return Goal(
      name: "growth of peak memory while streaming a sparse file", target: "at most 32 MiB",
      figure: report.memory.map { Figures.mebibytes($0.growth) }, isMet: report.memory.map { $0.growth <= limit },
      note: report.memory.map { "\($0.byteCount >> 30) GiB streamed, from \(Figures.mebibytes($0.start))" } ?? "")
  }

  /// What the disk can do, as fio finds it in the same rounds.
  private static func disk(_ group: Report.Group?) -> String {
    let rows = [Contender.Name.fioRing, .fioBlocking].compactMap { group?[$0] }
    guard let best = rows.min(by: { $0.median < $1.median }) else { return "" }
    return "\(best.peer): \(Figures.time(best.median)) a read"
  }

  private static func processor(_ ours: Contender.Name, _ peer: Contender.Name, _ group: Report.Group?) -> String {
    guard let row = group?[ours], let other = group?[peer] else { return "" }
    return "\(Figures.time(row.cpuNanoseconds)) against \(Figures.time(other.cpuNanoseconds)) a read"
  }

  /// The ratio against `pread` alone, which promises less.
  private static func bare(_ group: Report.Group?) -> String {
    guard let ratio = group?[.cBare]?.rangeIOIsTimesFaster else { return "bare pread not measured" }
    return "against bare pread \(Figures.ratio(1 / ratio)) the time"
  }
}
