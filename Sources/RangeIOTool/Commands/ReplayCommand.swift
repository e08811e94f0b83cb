#if Tool
import ArgumentParser
import RangeIO
import RangeIOTiers
import RangeIOTraces

/// `rangeio replay`: shows how often a cache would have had what a trace reads.
struct ReplayCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay a trace of reads through the cache, and count hits.",
    discussion: """
      A trace is a file in the format RRT1, or a CSV with the header 'offset,length' and a line for each read, in \
      bytes; or it is made up: 'zipf:BLOCKS:READS:SKEW:SEED' reads one block at a time, the n-th most popular with a \
      probability of 1/n^SKEW. Sizes may have a unit: 4KiB, 64MiB. The cache begins empty, and takes the memory \
      that it is given. No source is read: what a fetch would bring is made up. With --tiers a part of the memory holds \
      compressed blocks, and the same memory without them is replayed, too. With --spill what memory evicts goes \
      to a disk, a made-up one, too: memory for 2% of the blocks that the trace reads, a quarter of it for compressed \
      blocks, and a disk for 10%, whole blocks as they are. With --sizes or --plot caches of several sizes are \
      replayed, and the most hits that any cache could have is counted beside them (belady): it knows all reads in \
      advance.

      Examples:
        rangeio replay reads.csv --capacity 64MiB --policy all
        rangeio replay reads.rrt --policy all --plot hits.svg
        rangeio replay zipf:100000:1000000:0.9:1 --share 10 --tiers
      """)

  @Argument(help: "The trace; -: standard input.", completion: .file())
  var trace: String
  @Option(help: "How the trace is written. Default: its first bytes tell.")
  var format: RangeTrace.Format?
  @Option(help: "The room in the cache, in blocks.")
  var blocks: Int?
  @Option(help: ArgumentHelp("The room in the cache, in bytes, its bookkeeping included.", valueName: "size"))
  var capacity: String?
  @Option(help: ArgumentHelp("The room in the cache, in percent of what the trace reads.", valueName: "percent"))
  var share: Int?
  @Flag(help: "Compress what memory evicts, within the same room.")
  var tiers = false
  @Option(
    help: ArgumentHelp(
      "The part of the room that compressed blocks may take. Default: 50; with --spill, 25. 0 is none.",
      valueName: "percent"))
  var compressedShare: Int?
  @Flag(help: "Keep what memory evicts on a disk; with --tiers.")
  var spill = false
  @Option(
    help: ArgumentHelp(
      "The room in memory with --spill, in percent of the blocks that the trace reads. Default: 2.",
      valueName: "percent"))
  var memoryShare: Int?
  @Option(
    help: ArgumentHelp(
      "The room on the disk with --spill, in percent of the blocks that the trace reads.", valueName: "percent"))
  var spillShare = 10
  @Option(help: ArgumentHelp("What LZ4 makes of the data.", valueName: "percent"))
  var shrinksTo = 50
  @Option(help: ArgumentHelp("Bytes in a block, a power of two.", valueName: "size"))
  var blockSize = "4KiB"
  @Option(help: "Parts of the cache, a power of two. Default: as many as the cache takes by itself.")
  var shards: Int?
  @Option(help: "Look up and fetch block by block, or a request as a whole.")
  var order = Replay.Order.block
  @Flag(help: "Estimate the hits with half, twice and four times the room, too, from a sample of the reads.")
  var curve = false
  @Option(help: "Which chunks are evicted.")
  var policy = ReplayPolicy.default
  @Option(
    help: ArgumentHelp(
      "Which blocks the adaptive policy samples: replay with several seeds, to see how much the sample matters.",
      valueName: "number"))
  var seed: UInt32 = 0
  @Option(
    help: ArgumentHelp(
      "Compare caches of several sizes, in percent of the blocks that the trace reads: 1,2.5,10. In place of one size.",
      valueName: "percentages"))
  var sizes: String?
  @Option(
    help: ArgumentHelp(
      "Draw the hit ratios by size, and those of the optimum, as an SVG picture. Default of --sizes: 0.1 to 100.",
      valueName: "file"),
    completion: .file())
  var plot: String?
  @Option(
    help: ArgumentHelp(
      "Write what the adaptive policy chose, and what its candidates would have hit, as CSV.", valueName: "file"),
    completion: .file())
  var tuneLog: String?
  @Flag(help: "Replace the picture or the log if it exists.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    if sizes != nil || plot != nil { return try await compareSizes() }
    guard !force || tuneLog != nil else { throw ToolFailure.usage("--force: goes with --plot or --tune-log") }
    try checkSeed()
    guard tuneLog == nil || policy.tunes else {
      throw ToolFailure.usage("--tune-log: the policy \(policy.rawValue) chooses nothing: say --policy adaptive")
    }
    var tiers = try ReplayTiers(
      compressedPercent: compressedShare == 0 && spill ? nil : compressedShare ?? (spill ? 25 : 50),
      shrinkPercent: shrinksTo)
    guard !spill || self.tiers, spill || memoryShare == nil else {
      throw ToolFailure.usage("--spill: goes with --tiers, and --memory-share goes with --spill")
    }
    let isOfTrace = spill && blocks == nil && capacity == nil || share != nil
    let early = isOfTrace ? nil : try options()
    let trace = try await load()
    let options = try early ?? options { trace.uniqueBlocks(on: $0) }
    let logFile = try tuneLog.map { try ResultFile($0, force: force) }
    if spill {
      tiers.spill = try ReplaySpill(
        percent: spillShare, uniqueBlocks: trace.uniqueBlocks(on: options.grid),
        of: MadeUpSource(byteCount: trace.byteCount).description, on: options.grid)
    }
    let replay = Replay(trace: trace, grid: options.grid, order: order)
    var report = ReplayReport(head: head(trace, options, tiers.spill))
    for (name, factory) in policy.factories(seed: seed) {
      var progress = Progress("replaying, \(name)", total: replay.requestedBytes)
      defer { progress.clear() }
      let store = options.store(factory, estimates: curve)
      var log = store.tunerState == nil ? nil : TuneLog(store, requestedBytes: replay.requestedBytes)
      let counts = try await counts(replay, options, store, log: &log) { progress.advance($0) }
      if let log { try logFile?.write(log.text) }
      report.rows.append(.init(policy: name, counts: counts, estimates: store.estimates()))
      if self.tiers { report.rows.append(try await row(name, replay, options, factory, tiers)) }
    }
    try StandardOutput().line(json ? report.json.text() : report.text)
  }

  func checkSeed() throws {
    guard seed == 0 || policy.tunes else {
      throw ToolFailure.usage("--seed: the policy \(policy.rawValue) samples nothing: say --policy adaptive")
    }
  }

  private func options(_ uniqueBlocks: (BlockGrid) -> Int = { _ in 0 }) throws -> ReplayOptions {
    try ReplayOptions(
      blocks: blocks, capacity: capacity, share: share, memoryShare: spill ? memoryShare ?? 2 : nil,
      blockSize: blockSize,
      shards: shards, uniqueBlocks: uniqueBlocks)
  }

  /// The same memory, with a part of it for compressed blocks.
  private func row(
    _ policy: String, _ replay: Replay, _ options: ReplayOptions, _ factory: Eviction, _ tiers: ReplayTiers
  ) async throws -> ReplayReport.Row {
    guard case .bytes(let budget) = options.room, order == .block else {
      throw ToolFailure.usage("--tiers: say --capacity or --share, and --order block")
    }
    guard tiers.spill == nil || budget.bytes >= 8 * MemoryStore.charge(of: options.grid.blockSize) else {
      throw ToolFailure.usage("--spill: give memory room for eight blocks at least, by --memory-share or --capacity")
    }
    var progress = Progress("replaying, \(policy), tiers", total: replay.requestedBytes)
    defer { progress.clear() }
    let page = MadeUpPage.make(shrinkingTo: tiers.fraction, blockSize: options.grid.blockSize)
    let source = MadeUpSource(byteCount: replay.trace.byteCount, page: page)
    var target = try await TierTarget(tiers, budget, options, factory, source)
    let counts = try await replay.run(&target) { progress.advance($0) }
    return .init(policy: policy + tiers.name, counts: counts, tiers: target.store.counts())
  }

  /// In the order of blocks, measures the store alone; in the order of requests, a reader with the store.
  func counts(
    _ replay: Replay, _ options: ReplayOptions, _ store: MemoryStore, log: inout TuneLog?, _ progress: (Int) -> Void
  ) async throws -> ReplayCounts {
    let source = MadeUpSource(byteCount: replay.trace.byteCount)
    switch order {
    case .block:
      var target = StoreTarget(store, options.grid, source)
      return try await replay.run(&target, log: &log, progress: progress)
    case .request:
      var target = try await ReaderTarget(store, options.grid, source)
      let counts = try await replay.run(&target, log: &log, progress: progress)
      await target.close()
      return counts
    }
  }

  /// The trace, which is not more than can be replayed.
  func load() async throws -> RangeTrace {
    let grid = try ReplayOptions.grid(blockSize)
    let loaded = try await load(grid)
    if let fault = ReplayBounds.fault(of: loaded, on: grid, order) {
      throw ToolFailure("\(Complaint.oneLine(trace)): \(fault)")
    }
    return loaded
  }

  private func load(_ grid: BlockGrid) async throws -> RangeTrace {
    if let made = try MadeUpTrace(trace) { return made.trace(blockSize: grid.blockSize) }
    let contents = try await contents(SourceName(path: trace))
    do {
      return try RangeTrace(contents, format: format, maxRequests: ReplayBounds.requests)
    } catch {
      throw ToolFailure("\(trace): \(error.message)")
    }
  }

  private func contents(_ name: SourceName) async throws -> Bytes {
    let most = ReplayBounds.traceBytes
    let advice = "too much for a trace, of which \(ByteCount.bytes(most)) are read"
    if name.isPipe {
      guard let bytes = try StandardInput.all(most: most) else {
        throw ToolFailure("standard input: this is \(advice)")
      }
      return bytes
    }
    return try await withSource(name) { reader in
      guard reader.byteCount <= most else {
        throw ToolFailure("\(Complaint.oneLine(trace)): \(ByteCount.bytes(reader.byteCount)) are \(advice)")
      }
      return try await reader.read(0..<reader.byteCount)
    }
  }

  private func head(_ trace: RangeTrace, _ options: ReplayOptions, _ spill: ReplaySpill?) -> String {
    let below = spill.map {
      ", and \(Figures.count($0.blocks, "block")) on a disk, in \(Figures.count($0.segments, "file"))"
    }
    let name = self.trace == "-" ? "standard input" : Complaint.oneLine(self.trace)
    return "\(name): \(Figures.count(trace.requests.count, "request")); a cache of "
      + "\(options.description)\(below ?? ""), \(order.rawValue) by \(order.rawValue)"
  }
}

extension RangeTrace {
  /// The number of different blocks that are read.
  func uniqueBlocks(on grid: BlockGrid) -> Int {
    var blocks: Set<Int> = []
    for request in requests { blocks.formUnion(grid.blocks(covering: request)) }
    return blocks.count
  }
}

/// The values of `--policy`.
enum ReplayPolicy: String, CaseIterable, ExpressibleByArgument {
  case `default`, lru, sieve, s3fifo, adaptive, all

  /// `true` if one of the policies has a tuner.
  var tunes: Bool { factories(seed: 0).contains { $0.factory.makeTuner != nil } }

  /// The policies to replay with, and their names in the report. The default policy is reported as the default,
  /// whichever it is.
  ///
  /// - Parameter seed: of the sample of the adaptive policy.
  func factories(seed: UInt32) -> [(name: String, factory: Eviction)] {
    var settings = PolicyTuner.Settings()
    settings.seed = seed
    let adaptive = Eviction.adaptive(settings)
    return switch self {
    // The default is the adaptive one.
    case .default, .adaptive: [(rawValue, adaptive)]
    case .lru: [(rawValue, .lru)]
    case .sieve: [(rawValue, .sieve)]
    case .s3fifo: [(rawValue, .s3fifo)]
    case .all: Self.allCases.filter { $0 != .all && $0 != .adaptive }.flatMap { $0.factories(seed: seed) }
    }
  }
}

extension RangeTrace.Format: ExpressibleByArgument {}
extension Replay.Order: ExpressibleByArgument {}
#endif
