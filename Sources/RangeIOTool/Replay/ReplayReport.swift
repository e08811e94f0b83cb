import RangeIO

/// What replays of one trace counted, a row for each policy.
struct ReplayReport {
  struct Row {
    var policy: String
    var counts: ReplayCounts
  }

  /// One line on the trace and the cache.
  var head: String
  var rows: [Row] = []

  /// A table for people.
  var text: String {
    var cells = [["", "block", "", "", "bytes", "of them", "", "bytes", "time of a"]]
    cells.append(["policy", "reads", "hits", "share", "asked for", "stored", "fetches", "fetched", "block read"])
    cells += rows.map { row in
      let counts = row.counts
      return [
        row.policy, Figures.count(counts.blockAccesses), Figures.count(counts.hits),
        Figures.decimal(Double(counts.hits) / Double(max(1, counts.blockAccesses)) * 100, places: 2) + "%",
        Figures.size(counts.requestedBytes), Figures.size(counts.hitBytes), Figures.count(counts.sourceOperations),
        Figures.size(counts.sourceBytes), Figures.time(.nanoseconds(Int(counts.nanosecondsPerAccess.rounded()))),
      ]
    }
    return head + "\n\n" + Table(columns: [.left] + Array(repeating: .right, count: 8), rows: cells).text
  }

  /// The same for programs: an array.
  var json: JSON {
    .array(
      rows.map { row in
        .object([
          "policy": .string(row.policy), "requests": .integer(row.counts.requests),
          "blockAccesses": .integer(row.counts.blockAccesses), "hits": .integer(row.counts.hits),
          "requestedBytes": .integer(row.counts.requestedBytes), "hitBytes": .integer(row.counts.hitBytes),
          "sourceOperations": .integer(row.counts.sourceOperations), "sourceBytes": .integer(row.counts.sourceBytes),
          "nanosecondsPerAccess": .number(row.counts.nanosecondsPerAccess),
        ])
      })
  }
}
