import RangeIO
import RangeIOTraces

/// Replays the reads of a trace through a cache, and counts.
///
/// Owns the order in which blocks are looked up and fetched. What is kept is the cache's affair.
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
  func run(_ target: inout some ReplayTarget, progress: (Int) -> Void = { _ in }) throws -> ReplayCounts {
    var counts = ReplayCounts()
    let start = ContinuousClock.now
    var told = 0
    for range in trace.requests {
      counts.requests += 1
      counts.requestedBytes += range.count
      switch order {
      case .block: for piece in grid.pieces(of: range) { try read(piece.range, &target, &counts) }
      case .request: if !range.isEmpty { try read(range, &target, &counts) }
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

  /// Looks `range` up, and fetches what is missing of it.
  private func read(_ range: ByteRange, _ target: inout some ReplayTarget, _ counts: inout ReplayCounts) throws {
    let blocks = grid.blocks(covering: range)
    let missing = try target.lookUp(range)
    counts.blockAccesses += blocks.count
    counts.hits += blocks.count
    counts.hitBytes += range.count
    for run in missing {
      let fetched = bytes(of: run)
      counts.hits -= run.count
      counts.hitBytes -= ByteRanges.intersection(fetched, range)?.count ?? 0
      counts.sourceOperations += 1
      counts.sourceBytes += fetched.count
    }
    for run in missing { try target.insert(run) }
  }

  private func bytes(of run: Range<Int>) -> ByteRange {
    let last = grid.range(of: run.upperBound - 1, in: trace.byteCount)
    return grid.range(of: run.lowerBound, in: trace.byteCount).lowerBound..<last.upperBound
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
  /// Reads of the source: one for each run of missing blocks.
  var sourceOperations = 0
  /// Bytes read from the source: whole blocks.
  var sourceBytes = 0
  var time = Duration.zero

  /// Looking up, evicting and storing, shared by all block accesses.
  var nanosecondsPerAccess: Double { Figures.nanoseconds(time) / Double(max(1, blockAccesses)) }
}
