import ArgumentParser
import RangeIO
import RangeIOTraces

/// `rangeio replay`: how often a cache would have had what a trace reads.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay a trace of reads through the cache, and count hits.",
    discussion: """
      A trace is a file in the format RRT1, or a CSV with the header 'offset,length' and a line for each read, in \
      bytes. Sizes may have a binary unit: 4KiB, 64MiB. The cache begins empty, and takes the memory that it is given. \
      No source is read: what a fetch would bring is made up.
      """)

  @Argument(help: "The trace.")
  var trace: String
  @Option(help: "How the trace is written. Default: its first bytes tell.")
  var format: RangeTrace.Format?
  @Option(help: "The room in the cache, in blocks.")
  var blocks: Int?
  @Option(help: ArgumentHelp("The room in the cache, in bytes, its bookkeeping included.", valueName: "size"))
  var capacity: String?
  @Option(help: ArgumentHelp("Bytes in a block, a power of two.", valueName: "size"))
  var blockSize = "4KiB"
  @Option(help: "Parts of the cache, a power of two. Default: as many as the cache takes by itself.")
  var shards: Int?
  @Option(help: "Look up and fetch block by block, or a request as a whole.")
  var order = Replay.Order.block
  @Option(help: "Which chunks are evicted.")
  var policy = ReplayPolicy.default
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let options = try ReplayOptions(blocks: blocks, capacity: capacity, blockSize: blockSize, shards: shards)
    let trace = try await load()
    let replay = Replay(trace: trace, grid: options.grid, order: order)
    var report = ReplayReport(head: head(trace, options))
    for (name, factory) in policy.factories {
      var progress = Progress("replaying, \(name)", total: trace.requests.reduce(0) { $0 + $1.count })
      defer { progress.clear() }
      let counts = try await counts(replay, options, factory) { progress.advance($0) }
      report.rows.append(.init(policy: name, counts: counts))
    }
    try StandardOutput().line(json ? report.json.text() : report.text)
  }

  /// Block by block the store by itself is measured, request by request a reader over it.
  private func counts(
    _ replay: Replay, _ options: ReplayOptions, _ policy: EvictionPolicyFactory, _ progress: (Int) -> Void
  ) async throws -> ReplayCounts {
    let store = options.store(policy)
    let source = MadeUpSource(byteCount: replay.trace.byteCount)
    switch order {
    case .block:
      var target = StoreTarget(store, options.grid, source)
      return try await replay.run(&target, progress: progress)
    case .request:
      var target = try await ReaderTarget(store, options.grid, source)
      return try await replay.run(&target, progress: progress)
    }
  }

  private func load() async throws -> RangeTrace {
    let contents = try await withSource(trace) { try await $0.read(0..<$0.byteCount) }
    do {
      return try RangeTrace(contents, format: format)
    } catch {
      throw ToolFailure("\(trace): \(error.message)")
    }
  }

  private func head(_ trace: RangeTrace, _ options: ReplayOptions) -> String {
    "\(Complaint.oneLine(self.trace)): \(Figures.count(trace.requests.count)) requests; a cache of "
      + "\(options.description), \(order.rawValue) by \(order.rawValue)"
  }
}

/// What `--policy` takes.
enum ReplayPolicy: String, CaseIterable, ExpressibleByArgument {
  case `default`, lru, sieve, s3fifo, all

  /// The policies to replay with, by the names to report them under: the default goes by that name, whatever it is.
  var factories: [(name: String, factory: EvictionPolicyFactory)] {
    switch self {
    case .default: [(rawValue, .default)]
    case .lru: [(rawValue, .lru)]
    case .sieve: [(rawValue, .sieve)]
    case .s3fifo: [(rawValue, .s3fifo)]
    case .all: Self.allCases.filter { $0 != .all }.flatMap(\.factories)
    }
  }
}

extension RangeTrace.Format: ExpressibleByArgument {}
extension Replay.Order: ExpressibleByArgument {}
