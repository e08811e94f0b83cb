import Foundation
import RangeIO

/// A reader of a file with the cache that it has without settings, against one without a cache, by how much is read and in
/// what order: one table, which shows whether the cache ever costs its user more than a sliver.
enum CacheSweep {
  /// In what order blocks are read.
  enum Order: CaseIterable {
    case uniform, zipf06, zipf09, zipf12
    /// Runs of so many blocks one after the other, at places that do not repeat as far as the file has others.
    case scan
    case loop
    /// Five places one after the other, random reads within each.
    case phases

    var name: String {
      switch self {
      case .uniform: "uniform"
      case .zipf06: "Zipf 0.6"
      case .zipf09: "Zipf 0.9"
      case .zipf12: "Zipf 1.2"
      case .scan: "scan"
      case .loop: "loop"
      case .phases: "phases"
      }
    }
  }

  /// The store of the reader: small enough that the benchmark's file has room for a hundred times as much.
  static let storeByteCount = 8 << 20
  /// Blocks that are read, in so many stores.
  static let sizes = [0.1, 0.5, 0.9, 2, 10, 100]
  private static let block = CacheTopic.blockSize
  private static let reads = (resident: 200_000, cold: 5_000)

  /// Measures, each pair of runs right after the other, and returns the table.
  ///
  /// Each run begins with a new reader and an empty store, so what it takes to find out is counted.
  @concurrent static func run(_ directory: URL, rounds: Int, _ progress: Progress) async throws -> String {
    let file = try BenchmarkFile(.standard, in: directory, progress: progress)
    let residency = try Residency(file)
    var rows: [[String]] = []
    for temperature in [Cell.Temperature.resident, .cold] {
      for order in Order.allCases {
        var row = ["\(order.name), \(temperature.rawValue)"]
        for size in sizes {
          progress.show("\(row[0]), \(size) times the store")
          let pairs = try await measure(file, residency, order, size, temperature, rounds)
          let ratio = pairs.map { $0.cached.nanoseconds / $0.bare.nanoseconds }.median
          let hits = pairs.map(\.cached.hitRatio).median
          row.append("\(Figures.ratio(ratio)), \(Figures.share(hits))")
        }
        rows.append(row)
      }
    }
    progress.clear()
    let header = ["time with the cache / without it, hits"] + sizes.map { "\($0) stores" }
    return TextTable(header: header, rows: rows).text()
  }

  /// The table with what it says, for the folder of reports.
  static func page(_ table: String, _ machine: MachineInfo, rounds: Int) -> String {
    """
    # What the cache of a local file costs, and what it brings

    Reads of 4 KiB, one after the other: the time with the cache that a reader of a path has without settings, divided by the
    time without a cache, and the share of hits. The columns say how many blocks are read, in multiples of what the store has
    room for (\(storeByteCount >> 20) MiB here). Each run begins with an empty store, so what it takes to find out whether
    keeping pays is counted. \(reads.resident) reads a run where the page cache has the file, \(reads.cold) where it has
    nothing of it; medians of \(rounds) interleaved pairs of runs. Less than 1 is faster.

    \(machine.summary).

    ```
    \(table)
    ```

    Repeat it with `Benchmarks/run.sh --sweep`, and `--publish` to replace this page. The reasons are in
    [Decisions/0030](../Decisions/0030-when-keeping-pays.md).

    """
  }

  private typealias Run = (nanoseconds: Double, hitRatio: Double)

  private static func measure(
    _ file: BenchmarkFile, _ residency: Residency, _ order: Order, _ size: Double, _ temperature: Cell.Temperature,
    _ rounds: Int
  ) async throws -> [(bare: Run, cached: Run)] {
    let all = file.byteCount / block
    let extent = min(all, max(1, Int(Double(storeByteCount / block) * size)))
    let count = temperature == .resident ? reads.resident : reads.cold
    var pairs: [(bare: Run, cached: Run)] = []
    for round in 0..<rounds {
      var random = SplitMix(state: UInt64(round))
      let blocks = offsets(count, order, extent: extent, of: all, &random)
      try residency.establish(temperature, file.byteCount)
      let bare = try await run(DefaultReader.uncached(file.path), blocks)
      try residency.establish(temperature, file.byteCount)
      pairs.append((bare, try await run(DefaultReader.cached(file.path, storeOf: storeByteCount), blocks)))
    }
    return pairs
  }

  private static func run(_ reader: RangeReader, _ blocks: [Int]) async throws -> Run {
    let start = ContinuousClock.now
    for number in blocks { _ = try await reader.read(number * block..<(number + 1) * block) }
    let time = start.duration(to: .now)
    let statistics = reader.statistics()
    await reader.close()
    return (
      time / .nanoseconds(blocks.count), Double(statistics.cacheHits ?? 0) / Double(max(1, statistics.reads))
    )
  }

  /// The blocks of a run, of the first `extent` blocks or, for scans and phases, of all of the file.
  private static func offsets(
    _ count: Int, _ order: Order, extent: Int, of all: Int, _ random: inout SplitMix
  ) -> [Int] {
    switch order {
    case .uniform: return (0..<count).map { _ in Int.random(in: 0..<extent, using: &random) }
    case .loop: return (0..<count).map { $0 % extent }
    case .scan:
      let runs = Array(0..<max(1, all / extent)).shuffled(using: &random)
      return (0..<count).map { runs[$0 / extent % runs.count] * extent + $0 % extent }
    case .phases:
      return (0..<count).map { number in
        (number * 5 / count * extent * 3 / 2 + Int.random(in: 0..<extent, using: &random)) % all
      }
    case .zipf06: return zipf(0.6, count, extent, &random)
    case .zipf09: return zipf(0.9, count, extent, &random)
    case .zipf12: return zipf(1.2, count, extent, &random)
    }
  }

  private static func zipf(_ exponent: Double, _ count: Int, _ extent: Int, _ random: inout SplitMix) -> [Int] {
    let ranks = Array(0..<extent).shuffled(using: &random)
    var sums: [Double] = []
    sums.reserveCapacity(extent)
    for rank in 1...extent { sums.append((sums.last ?? 0) + pow(Double(rank), -exponent)) }
    return (0..<count).map { _ in
      let drawn = Double.random(in: 0..<sums[extent - 1], using: &random)
      var (low, high) = (0, extent - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] >= drawn { high = middle } else { low = middle + 1 }
      }
      return ranks[low]
    }
  }
}
