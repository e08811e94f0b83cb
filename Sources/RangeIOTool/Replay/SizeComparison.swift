#if Tool
import RangeIO

/// The hit ratios of caches of several sizes with several policies, on one trace.
struct SizeComparison {
  /// One policy, or the optimum.
  struct Series {
    var policy: String
    /// From 0 to 1, one for each size.
    var hitRatios: [Double]
  }

  /// The trace, in words.
  var name: String
  var blockSize: ByteCount
  var blockReads: Int
  var uniqueBlocks: Int
  /// The room in the caches, in blocks.
  var blocks: [Int]
  var series: [Series] = []

  /// The name of the optimum among the policies.
  static let optimum = "belady"

  private func share(_ blocks: Int) -> String {
    let percent = Double(blocks) / Double(max(1, uniqueBlocks)) * 100
    return Figures.decimal(percent, places: percent < 1 ? 2 : percent < 10 ? 1 : 0) + "%"
  }

  private var subject: String {
    "\(Figures.count(blockReads, "read")) of \(Figures.count(uniqueBlocks, "block")) of \(blockSize)"
  }

  /// A table for people: one row for each size.
  var text: String {
    var cells = [["cache", "of the data", "blocks"] + series.map(\.policy)]
    for (index, count) in blocks.enumerated() {
      let ratios = series.map { Figures.decimal($0.hitRatios[index] * 100, places: 2) + "%" }
      cells.append([Self.size(count, blockSize), share(count), Figures.count(count)] + ratios)
    }
    let columns = Array(repeating: Table.Alignment.right, count: 3 + series.count)
    return "\(name): \(subject)\nhit ratio by size of the cache\n\n" + Table(columns: columns, rows: cells).text
  }

  /// The same facts for programs.
  var json: JSON {
    .object([
      "blockSize": .integer(blockSize.bytes), "blockAccesses": .integer(blockReads),
      "uniqueBlocks": .integer(uniqueBlocks), "blocks": .array(blocks.map { .integer($0) }),
      "policies": .array(
        series.map {
          .object(["policy": .string($0.policy), "hitRatios": .array($0.hitRatios.map { .number($0) })])
        }),
    ])
  }

  /// A picture: hit ratio over size, a line for each policy.
  var chart: LineChart {
    LineChart(
      title: "Hit ratio by size of the cache: \(name)", subtitle: subject,
      x: .init(
        title: "size of the cache: bytes of blocks, and percent of all that the trace reads (logarithmic)",
        ticks: blocks.map { .init(value: Double($0), label: Self.size($0, blockSize), detail: share($0)) }),
      yTitle: "hit ratio, percent of block reads",
      lines: series.map { series in
        LineChart.Line(
          name: series.policy == Self.optimum ? "Belady's optimum" : series.policy,
          isReference: series.policy == Self.optimum,
          points: zip(blocks, series.hitRatios).map { (Double($0), $1 * 100) })
      })
  }

  /// `4.0 MiB`.
  private static func size(_ blocks: Int, _ blockSize: ByteCount) -> String {
    Figures.size(Int(min(Double(blocks) * Double(blockSize.bytes), 1e18)))
  }
}
#endif
