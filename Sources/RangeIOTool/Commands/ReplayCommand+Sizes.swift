#if Tool
import RangeIO
import RangeIOTraces

extension ReplayCommand {
  /// Replays caches of several sizes, with each policy, and counts the optimum.
  func compareSizes() async throws {
    guard blocks == nil, capacity == nil, share == nil, !tiers, !spill, !curve, tuneLog == nil else {
      throw ToolFailure.usage(
        "--sizes and --plot replay several sizes: leave out --blocks, --capacity, --share, --tiers, --curve and "
          + "--tune-log")
    }
    guard !force || plot != nil else { throw ToolFailure.usage("--force: goes with --plot") }
    try checkSeed()
    let sizes = try sizes.map { try ReplaySizes($0) } ?? .standard
    let trace = try await load()
    // Checks the other options before a long replay, and the picture's name with them.
    let grid = try options(blocks: 1 << 20).grid
    let picture = try plot.map { try ResultFile($0, force: force) }
    let reads = BlockReads(trace, grid)
    guard reads.uniqueCount > 0 else { throw ToolFailure("\(Complaint.oneLine(self.trace)): the trace reads nothing") }
    var comparison = SizeComparison(
      name: traceName, blockSize: .bytes(grid.blockSize), blockReads: reads.numbers.count,
      uniqueBlocks: reads.uniqueCount, blocks: sizes.blockCounts(of: reads.uniqueCount))
    comparison.series.append(optimum(reads, comparison.blocks))
    for (name, factory) in policy.factories(seed: seed) {
      comparison.series.append(try await series(name, factory, trace, comparison.blocks))
    }
    if let picture { try picture.write(comparison.chart.svg()) }
    try StandardOutput().line(json ? comparison.json.text() : comparison.text)
  }

  private func optimum(_ reads: BlockReads, _ blocks: [Int]) -> SizeComparison.Series {
    let belady = Belady(reads)
    return .init(
      policy: SizeComparison.optimum,
      hitRatios: blocks.map { Double(belady.hits(capacity: $0)) / Double(reads.numbers.count) })
  }

  private func series(
    _ name: String, _ factory: Eviction, _ trace: RangeTrace, _ blocks: [Int]
  ) async throws -> SizeComparison.Series {
    var progress = Progress(
      "replaying, \(name)", total: trace.requests.reduce(0) { $0 + $1.count } * blocks.count)
    defer { progress.clear() }
    var (ratios, log): ([Double], TuneLog?) = ([], nil)
    for count in blocks {
      let options = try options(blocks: count)
      let replay = Replay(trace: trace, grid: options.grid, order: order)
      let counts = try await counts(replay, options, options.store(factory), log: &log) { progress.advance($0) }
      ratios.append(Double(counts.hits) / Double(max(1, counts.blockAccesses)))
    }
    return .init(policy: name, hitRatios: ratios)
  }

  private func options(blocks: Int) throws -> ReplayOptions {
    try ReplayOptions(
      blocks: blocks, capacity: nil, blockSize: blockSize,
      shards: shards.map { min($0, 1 << (Int.bitWidth - 1 - blocks.leadingZeroBitCount)) })
  }

  /// The trace as the user named it, without folders.
  private var traceName: String {
    Complaint.oneLine(String(trace.split(separator: "/").last.map { $0 } ?? trace[...]))
  }
}
#endif
