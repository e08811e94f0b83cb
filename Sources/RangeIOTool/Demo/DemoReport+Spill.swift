import RangeIO

extension DemoReport {
  /// The results of a cache with a disk.
  struct SpillFacts {
    struct Row {
      var reading: DemoReport.Row
      /// Reads answered by compressed memory, by the disk, and by the source. Memory answered the rest.
      var compressed: Int
      var disk: Int
      var source: Int
      var memory: Int { max(0, reading.reads - compressed - disk - source) }

      fileprivate func share(_ count: Int) -> Double { Double(count) / Double(max(1, reading.reads)) }
    }

    let directory: String
    /// The number of blocks that an earlier run left.
    let blocksAtFirst: Int
    var blocksAtLast = 0
    var rows: [Row] = []
  }

  /// The results of the cache, and a chart of where bytes came from.
  var spillText: String {
    guard let spill else { return "" }
    var cells = [["", "", "in", "com-", "on the", "by the", "", "all", "memory █ compressed ▓"]]
    cells.append([
      "with a disk", "reads", "memory", "pressed", "disk", "source", "a read", "of them", "disk ▒ source ░",
    ])
    cells += spill.rows.map { row in
      [
        row.reading.name, Figures.count(row.reading.reads), Figures.percent(row.share(row.memory)),
        Figures.percent(row.share(row.compressed)), Figures.percent(row.share(row.disk)),
        Figures.percent(row.share(row.source)),
        Figures.time(.nanoseconds(Int(row.reading.nanosecondsPerRead.rounded()))), Figures.time(row.reading.time),
        row.bar,
      ]
    }
    let table = Table(columns: [.left] + Array(repeating: .right, count: 7) + [.left], rows: cells).text
    let advice =
      spill.blocksAtFirst == 0 ? "Run the same again: it begins with them." : "It began with what was left there."
    return """
      \(table)

      A source that takes \(Figures.time(SpillShow.latency)) a read, in blocks of \(SpillShow.blockSize), the first most; \
      \(SpillShow.memory) of memory, \(SpillShow.compressed) of compressed memory, and \
      \(Complaint.oneLine(spill.directory)), which had \(Figures.count(spill.blocksAtFirst)) blocks at first and has \
      \(Figures.count(spill.blocksAtLast)) now. \(advice)
      """
  }
}

extension DemoReport.SpillFacts.Row {
  /// A bar of forty characters.
  var bar: String {
    let width = 40
    var left = width
    func part(_ count: Int, _ sign: String) -> String {
      let length = min(left, Int((Double(count) / Double(max(1, reading.reads)) * Double(width)).rounded()))
      left -= length
      return String(repeating: sign, count: length)
    }
    let parts = part(memory, "█") + part(compressed, "▓") + part(disk, "▒")
    // The rounding remainder counts for the source, if it answered any reads.
    return parts + String(repeating: source > 0 ? "░" : "▒", count: left)
  }
}

extension DemoReport.SpillFacts {
  /// The same facts for programs.
  var json: JSON {
    .object([
      "directory": .string(directory), "blocksAtFirst": .integer(blocksAtFirst), "blocksAtLast": .integer(blocksAtLast),
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
