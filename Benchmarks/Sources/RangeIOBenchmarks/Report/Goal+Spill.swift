extension Goal {
  /// The goals of the store on disk.
  static func spill(_ report: Report) -> [Goal] {
    let hit = report[.spill(.hit(size: 65_536))]
    return [
      atMost(
        1.15, timesTheTimeOf: .cSpill, "hit on disk, resident, 64 KiB: time against C pread + CRC32C + LZ4", hit,
        note: report[.spill(.hit(size: 4096))]?[.cSpill]?.rangeIOIsTimesFaster
          .map { "4 KiB: \(Figures.ratio(1 / $0))" } ?? ""),
      atMost(
        1.15, "hit on disk, resident, 64 KiB, not compressed: time against C pread + CRC32C", of: .spillIdentity,
        against: .cSpillIdentity, hit),
      plainWrites(report), compressedWrites(report), reopening(report, .closed, .resident, seconds: 1),
      reopening(report, .killed, .resident, seconds: 1.5), reopening(report, .closed, .cold, seconds: 1),
      reopening(report, .killed, .cold, seconds: 1.5),
    ] + sqlite(report, reads: hit)
  }

  private static func sqlite(_ report: Report, reads: Report.Group?) -> [Goal] {
    let small = report[.spill(.hit(size: 4096))]
    let unsynced = report[.spill(.write(size: 65_536, .none))]
    let synced = report[.spill(.write(size: 65_536, .fdatasync))]
    return [
      rate(
        1.5, "hit on disk, resident, 64 KiB, codec: .automatic: speed against tuned SQLite", reads?[.spillAutomatic],
        reads?[.sqliteTuned], note: ""),
      rate(
        4, "writes to disk, codec: .automatic, synced: speed against tuned SQLite", synced?[.spillAutomatic],
        synced?[.sqliteTuned], note: ""),
      atLeast(
        5, timesAsFastAs: .sqliteTuned, "hit on disk, resident, 64 KiB: speed against tuned SQLite", reads,
        note: mapped(reads)),
      atLeast(
        5, timesAsFastAs: .sqliteTuned, "hit on disk, resident, 4 KiB: speed against tuned SQLite", small,
        note: mapped(small)),
      atLeast(
        3, timesAsFastAs: .sqliteTuned, "writes to disk, not synced: speed against tuned SQLite", unsynced,
        note: mapped(unsynced)),
      atLeast(
        3, timesAsFastAs: .sqliteTuned, "writes to disk, synced: speed against tuned SQLite", synced,
        note: mapped(synced)),
      untuned(report, 65_536), untuned(report, 4096),
    ]
  }

  /// What was claimed of such stores before.
  private static func untuned(_ report: Report, _ size: Int) -> Goal {
    let reads = report[.spill(.hit(size: size))]?[.sqliteUntuned]?.rangeIOIsTimesFaster
    return atLeast(
      30, timesAsFastAs: .sqliteUntuned,
      "writes to disk, blocks of \(size >> 10) KiB, synced: speed against untuned SQLite",
      report[.spill(.write(size: size, .fdatasync))], note: reads.map { "reads: \(Figures.ratio($0))" } ?? "")
  }

  /// What is stored as it is against what everybody has to copy a file.
  private static func plainWrites(_ report: Report) -> Goal {
    let group = report[.spill(.write(size: 65_536, .fdatasync))]
    return rate(
      0.8, "writes to disk, not compressed, synced: rate against dd", group?[.spillIdentity], group?[.dd],
      note: group?[.cWrite].flatMap { bare in group?[.spillIdentity].map { bare.median / $0.median } }
        .map { "against C pwrite \(Figures.ratio($0))" } ?? "")
  }

  /// What is compressed against the slower of the two that it takes.
  private static func compressedWrites(_ report: Report) -> Goal {
    let group = report[.spill(.write(size: 65_536, .fdatasync))]
    let slower = [group?[.dd], group?[.bareLZ4]].compactMap { $0 }.max { $0.median < $1.median }
    return rate(
      0.7, "writes to disk, LZ4, synced: rate against the slower of dd and one thread's LZ4", group?[.rangeIO], slower,
      note: slower.map { "\($0.peer) is" } ?? "")
  }

  private static func rate(
    _ limit: Double, _ name: String, _ ours: Report.Row?, _ peer: Report.Row?, note: String
  ) -> Goal {
    let ratio = ours.flatMap { ours in peer.map { $0.median / ours.median } }
    return Goal(
      name: name, target: "at least \(Figures.plain(limit))×", figure: ratio.map(Figures.ratio),
      isMet: ratio.map { $0 >= limit }, note: note)
  }

  private static func reopening(
    _ report: Report, _ end: SpillEnd, _ temperature: Cell.Temperature, seconds: Double
  ) -> Goal {
    let group = report[.spill(.reopen(blocks: 1_000_000, end, temperature))]
    let time = group?[.rangeIO]?.median
    return Goal(
      name: "1,000,000 blocks of 4 KiB \(end), \(temperature.rawValue): from opening to the first read",
      target: "at most \(Figures.plain(seconds)) s", figure: time.map(Figures.time),
      isMet: time.map { $0 <= seconds * 1e9 },
      note: group?[.sqliteTuned].map { "tuned SQLite: \(Figures.time($0.median))" } ?? "")
  }

  /// How it stands against what SQLite does at its best, and how what is not compressed stands.
  private static func mapped(_ group: Report.Group?) -> String {
    let best = group?[.sqliteMapped]?.rangeIOIsTimesFaster.map { "mapped and exclusive: \(Figures.ratio($0))" }
    let plain = group?[.spillIdentity].flatMap { plain in group?[.sqliteTuned].map { $0.median / plain.median } }
      .map { "not compressed: \(Figures.ratio($0))" }
    return [best, plain].compactMap { $0 }.joined(separator: "; ")
  }
}
