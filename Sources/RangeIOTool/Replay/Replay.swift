import RangeIO
import RangeIOTraces

/// Sends the reads of a trace through a cache, and counts.
///
/// Owns the order in which blocks are asked for. What is kept is the cache's affair.
struct Replay {
  enum Order: String, CaseIterable {
    /// Each block of a request is looked up and, if missing, fetched before the next: how simulators count.
    case block
    /// A request is looked up as a whole, and then what is missing is fetched, one fetch a run of blocks: how a reader
    /// works.
    case request
  }

  let trace: RangeTrace
  let grid: BlockGrid
  let order: Order

  /// Requests between two looks at the clock and at cancellation.
  private static let stride = 1024

  /// - Parameter progress: hears of the bytes that were requested.
  /// - Throws: `CancellationError`, and what `target` throws.
  func run(_ target: inout some ReplayTarget, progress: (Int) -> Void = { _ in }) async throws -> ReplayCounts {
    var counts = ReplayCounts()
    let start = ContinuousClock.now
    var told = 0
    var fetched: [ByteRange] = []
    for range in trace.requests {
      counts.requests += 1
      counts.requestedBytes += range.count
      switch order {
      case .block: for piece in grid.pieces(of: range) { try await read(piece.range, &target, &fetched, &counts) }
      case .request: if !range.isEmpty { try await read(range, &target, &fetched, &counts) }
      }
      if counts.requests % Self.stride == 0 {
        try Task.checkCancellation()
        progress(counts.requestedBytes - told)
        told = counts.requestedBytes
      }
    }
    counts.time = ContinuousClock.now - start
    return counts
  }

  /// Reads `range`. What the source was not asked for meanwhile was stored.
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

/// What a replay counted.
struct ReplayCounts: Equatable {
  var requests = 0
  /// Blocks that the requests touched, each as often as it was.
  var blockAccesses = 0
  /// Block accesses that found the block stored.
  var hits = 0
  var requestedBytes = 0
  /// Requested bytes that were stored.
  var hitBytes = 0
  /// Reads of the source: in the order of requests one for each run of missing blocks.
  var sourceOperations = 0
  /// Bytes read from the source: whole blocks.
  var sourceBytes = 0
  var time = Duration.zero

  /// Looking up, evicting, making up bytes and storing them, shared by all block accesses.
  var nanosecondsPerAccess: Double { Figures.nanoseconds(time) / Double(max(1, blockAccesses)) }
}
