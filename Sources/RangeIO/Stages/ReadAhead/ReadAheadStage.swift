import Synchronization

/// What ``ReadAhead`` does.
final class ReadAheadStage: ReadyStage {
  private let extent: ReadAhead.Extent
  private let budget: ReadAhead.Budget
  private let counters = ReadAheadCounters()
  /// The read-ahead of each version that was read recently.
  private let sources = Locked<[(version: SourceDescription, reads: ReadAheadReads)]>([])
  /// The number of versions that are remembered.
  private static let mostSources = 32

  init(_ extent: ReadAhead.Extent, budget: ReadAhead.Budget = .shared) {
    self.extent = extent
    self.budget = budget
  }

  deinit { endAll() }

  /// Above the cache, which is required.
  var placement: ReadPipeline.Placement { .readAhead }

  /// Passes the read on, and reads ahead.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    if request.purpose == .prefetch { return try await readHinted(request, next) }
    notice(request, next, isHit: false)
    return try await next(request)
  }

  /// Passes a cache hit on, and reads ahead.
  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    guard let response = next.ready(request) else { return nil }
    notice(request, next, isHit: true)
    return response
  }

  /// Cancels the prefetches in flight and releases what was not used.
  nonisolated(nonsending) func close() async { endAll() }

  private func endAll() {
    let all = sources.withLock { sources in
      defer { sources = [] }
      return sources
    }
    for (_, reads) in all { reads.end() }
  }

  /// What was read ahead, and what became of it.
  func statistics() -> ReadCounts? { counters.snapshot() }

  /// Records a read.
  private func notice(_ request: ReadRequest, _ next: ReadNext, isHit: Bool) {
    // If the bytes may not be cached, reading ahead is useless.
    guard request.caching == .normal, request.source.isSettled, !next.isClosed else { return }
    let reads = reads(of: request.source)
    let (parts, ended) = reads.notice(request, extent.longest(for: request.source.cost), isHit: isHit)
    for task in ended { task.cancel() }
    for part in parts {
      guard reads.start(part, request, next) else { break }
    }
  }

  /// Reads for a hint by the caller. It counts against the budget, and the reads that follow use it up.
  private func readHinted(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    let reads = reads(of: request.source)
    let ranges = [request.range] + request.moreRanges
    guard let hint = reads.begin(ranges) else {
      throw ReadError(
        .limitExceeded, "the budget for reading ahead is spent: the range is read when it is asked for",
        context: .init(source: request.source.name, offset: request.range.lowerBound, count: request.byteCount))
    }
    do {
      return try await next(request)
    } catch {
      reads.failed(hint)
      throw error
    }
  }

  private func reads(of source: SourceDescription) -> ReadAheadReads {
    let (reads, ended) = sources.withLock { sources -> (ReadAheadReads, ReadAheadReads?) in
      if let index = sources.firstIndex(where: { $0.version === source }) {
        if index > 0 { sources.insert(sources.remove(at: index), at: 0) }
        return (sources[0].reads, nil)
      }
      // A longer version continues the read-ahead of the shorter one.
      if let index = sources.firstIndex(where: { $0.version.change(to: source) != .other }) {
        let reads = sources.remove(at: index).reads
        sources.insert((source, reads), at: 0)
        return (reads, nil)
      }
      sources.insert((source, ReadAheadReads(budget, counters)), at: 0)
      return (sources[0].reads, sources.count > Self.mostSources ? sources.removeLast().reads : nil)
    }
    ended?.end()
    return reads
  }
}

extension ReadAheadStage: DiscardingStage {
  func discard(_ range: ByteRange, of source: SourceDescription) { reads(of: source).discard(range) }
}
