import Synchronization

/// Notices reads that follow one another, and asks for what comes next before it is asked for.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   ReadAhead()
///   Caching(store)
/// }
/// ```
///
/// Runs forwards, backwards and by strides are noticed at their third read (strides with other reads in between at their
/// fourth that the cache does not answer), several of them interleaved, with other reads in between. What is asked for ahead of a run doubles as it goes on, up to a bound; nothing is asked for that is cached
/// already, or on its way. A seek begins a new run; of a run that is not followed any more what is still on its way is
/// given up. All readers share one ``ReadAheadBudget``, unless they are given another. What is ahead lies in the cache
/// until it is read: give the cache more than the budget, or some is evicted before.
///
/// For sources where asking takes long, such as objects over a network. Local files do not need it: the system reads
/// ahead of them.
///
/// **Place.** Above the cache, which keeps what was read ahead: it has to see the reads that the cache answers. Without
/// one below it the reader is refused. Stages in between that decode do so for what is read ahead, too.
///
/// **Cancellation.** A cancelled read throws at once; what is read ahead goes on, and ends with the reader.
///
/// **Errors.** A failed prefetch is not reported. The read that needs those bytes asks again.
///
/// **Cost.** A lock and a few comparisons for each read, hits included; for one that belongs to no run a search through
/// the last sixteen of those.
public final class ReadAhead: ReadyStage {
  /// How far ahead of a run to read, at most.
  public struct Extent: Hashable, Sendable {
    private enum Kind: Hashable {
      case adaptive
      case upTo(Int)
    }
    private let kind: Kind

    /// Four times what the source could send while one waits for its first byte (``SourceDescription/cost``), between
    /// 2 and 32 MiB.
    public static let adaptive = Extent(kind: .adaptive)
    /// So many bytes, 1 GiB at most.
    public static func upTo(_ count: ByteCount) -> Extent { Extent(kind: .upTo(count.bytes)) }

    func longest(for cost: SourceCost) -> Int {
      switch kind {
      case .upTo(let bytes): return bytes
      case .adaptive:
        let seconds = Double(cost.latency.nanoseconds) / 1e9
        let bytes = seconds * cost.bytesPerSecond * 4
        // No time at any rate is not a number, and not more than the least.
        return bytes > 0x1p21 ? Int(min(bytes, 0x1p25)) : 2 << 20
      }
    }
  }

  private let extent: Extent
  private let budget: ReadAheadBudget
  private let counters = ReadAheadCounters()
  /// What is read ahead, of each version that was read lately.
  private let sources = Locked<[(version: SourceDescription, reads: ReadAheadReads)]>([])
  /// Versions whose reads are remembered.
  private static let mostSources = 32

  /// A stage that reads ahead.
  ///
  /// - Parameters:
  ///   - extent: how far ahead of each run, at most.
  ///   - budget: the bytes that may be held ahead of all readers that share it. Default: 64 MiB for the process.
  public init(_ extent: Extent = .adaptive, budget: ReadAheadBudget = .shared) {
    self.extent = extent
    self.budget = budget
  }

  deinit { endAll() }

  /// Above the cache, which there must be.
  public var placement: StagePlacement { .readAhead }

  /// Passes the read on, and reads ahead.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    if request.purpose == .prefetch { return try await readHinted(request, next) }
    notice(request, next, isHit: false)
    return try await next(request)
  }

  /// Passes on what is cached, and reads ahead.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    guard let response = next.ready(request) else { return nil }
    notice(request, next, isHit: true)
    return response
  }

  /// Gives up what is on its way, and what was not used.
  public nonisolated(nonsending) func close() async { endAll() }

  private func endAll() {
    let all = sources.withLock { sources in
      defer { sources = [] }
      return sources
    }
    for (_, reads) in all { reads.end() }
  }

  /// What was read ahead, and what came of it.
  public func statistics() -> StageStatistics? { counters.snapshot() }

  /// A read comes.
  private func notice(_ request: ReadRequest, _ next: ReadNext, isHit: Bool) {
    // What may not be kept need not be read ahead.
    guard request.caching == .normal, request.source.isSettled, !next.isClosed else { return }
    let reads = reads(of: request.source)
    let (parts, ended) = reads.notice(request, extent.longest(for: request.source.cost), isHit: isHit)
    for task in ended { task.cancel() }
    for part in parts {
      guard reads.start(part, request, next) else { break }
    }
  }

  /// A hint of the user's: counted against the budget, and used by the reads that follow.
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
      // A longer version goes on where the shorter one was.
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

extension ReadAhead: DiscardingStage {
  func discard(_ range: ByteRange, of source: SourceDescription) { reads(of: source).discard(range) }
}
