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
      atLeast(
        0.8, timesAsFastAs: .cChecked, "cold 4 KiB, 1 at a time: reads a second against C", cold,
        note: "stretch 0.95×; " + bare(cold)),
      atLeast(
        0.8, timesAsFastAs: .cChecked, "cold 4 KiB, 32 at a time: reads a second against 32 C threads", coldMany,
        note: "stretch 0.95×; " + bare(coldMany)),
    ]
  }

  private static func streams(_ report: Report) -> [Goal] {
    let resident = report[.stream(.resident)]
    let cold = report[.stream(.cold)]
    let fastest = cold?.rows.filter { Contender.Name(rawValue: $0.peer)?.isRangeIO == false }
      .min { $0.median < $1.median }
    return [
      atLeast(0.9, timesAsFastAs: .cStream, "resident stream: speed against C, 1 MiB malloc a window", resident),
      atLeast(
        1.3, timesAsFastAs: .nio, "resident stream: speed against NIOFileSystem's best", resident,
        note: resident?[.nio]?.configuration ?? ""),
      atLeast(
        0.9, timesAsFastAs: fastest.flatMap { Contender.Name(rawValue: $0.peer) },
        "cold stream: speed against the fastest peer", cold,
        note: fastest.map { "\($0.peer), \($0.configuration)" } ?? ""),
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

  /// The ratio against `pread` alone, which promises less.
  private static func bare(_ group: Report.Group?) -> String {
    guard let ratio = group?[.cBare]?.rangeIOIsTimesFaster else { return "bare pread not measured" }
    return "against bare pread \(Figures.ratio(1 / ratio)) the time"
  }
}
