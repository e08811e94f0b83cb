#if Tool
import RangeIO
import RangeIOTraces

/// Sends the reads of a trace through a cache, and counts.
///
/// It decides the order in which blocks are requested. The cache decides what to keep.
struct Replay {
  enum Order: String, CaseIterable {
    /// Each block of a request is looked up and, if missing, fetched before the next block: as simulators count.
    case block
    /// A request is looked up as a whole, and then the missing blocks are fetched, with one fetch per run of blocks: as
    /// a reader works.
    case request
  }

  let trace: RangeTrace
  let grid: BlockGrid
  let order: Order

  /// The number of requests after which the replay reports progress and checks for cancellation.
  private static let stride = 1024

  /// The sum of all requests.
  var requestedBytes: Int { trace.requests.reduce(0) { $0 + $1.count } }

  func run(_ target: inout some ReplayTarget, progress: (Int) -> Void = { _ in }) async throws -> ReplayCounts {
    var log: TuneLog?
    return try await run(&target, log: &log, progress: progress)
  }

  /// - Parameters:
  ///   - log: hears of every request.
  ///   - progress: called with the number of bytes requested since the last call.
  /// - Throws: `CancellationError`, and any error that `target` throws.
  func run(
    _ target: inout some ReplayTarget, log: inout TuneLog?, progress: (Int) -> Void
  ) async throws -> ReplayCounts {
    var counts = ReplayCounts()
    let start = ContinuousClock.now
    var timeOfLog = Duration.zero
    var told = 0
    var fetched: [ByteRange] = []
    for range in trace.requests {
      counts.requests += 1
      counts.requestedBytes += range.count
      switch order {
      case .block: for piece in grid.pieces(of: range) { try await read(piece.range, &target, &fetched, &counts) }
      case .request: if !range.isEmpty { try await read(range, &target, &fetched, &counts) }
      }
      if log != nil {
        let before = ContinuousClock.now
        log?.note(counts)
        timeOfLog += ContinuousClock.now - before
      }
      if counts.requests % Self.stride == 0 {
        try Task.checkCancellation()
        progress(counts.requestedBytes - told)
        told = counts.requestedBytes
      }
    }
    counts.time = ContinuousClock.now - start - timeOfLog
    return counts
  }

  /// Reads `range`. What was not fetched from the source during this counts as a hit.
  private func read(
    _ range: ByteRange, _ target: inout some ReplayTarget, _ fetched: inout [ByteRange], _ counts: inout ReplayCounts
  ) async throws {
    fetched.removeAll(keepingCapacity: true)
    try await target.read(range, fetched: &fetched)
    let blocks = grid.blocks(covering: range).count
    counts.blockAccesses += blocks
    counts.hits += blocks
    counts.hitBytes += range.count
    for run in fetched {
      counts.hits -= grid.blocks(covering: run).count
      counts.hitBytes -= ByteRanges.intersection(run, range)?.count ?? 0
      counts.sourceOperations += 1
      counts.sourceBytes += run.count
    }
  }
}

/// The counts of a replay.
struct ReplayCounts: Equatable {
  var requests = 0
  /// Blocks in the requests. A block counts each time that it is requested.
  var blockAccesses = 0
  /// Block accesses that found the block stored.
  var hits = 0
  var requestedBytes = 0
  /// Requested bytes that were stored.
  var hitBytes = 0
  /// Reads of the source. In the order of requests, one for each run of missing blocks.
  var sourceOperations = 0
  /// Bytes read from the source: whole blocks.
  var sourceBytes = 0
  /// Without that of the log.
  var time = Duration.zero

  /// The time for looking up, evicting, making up bytes and storing them, divided by the number of block accesses.
  var nanosecondsPerAccess: Double { Figures.nanoseconds(time) / Double(max(1, blockAccesses)) }
}
#endif
