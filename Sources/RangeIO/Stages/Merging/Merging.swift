import Synchronization

/// Reads ranges that lie near each other as one, where that costs less than asking for each.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Merging()
/// }
/// let tiles = try await reader.read(directory.map(\.range))
/// ```
///
/// Two ranges become one *span* when what lies between them takes less time to read than another read takes to begin.
/// That is measured while reading: a line through the times of late reads gives the latency and the bandwidth, and their
/// product is the gap that is worth reading over. What was over-read goes up, with what was asked for, to a cache above,
/// which keeps it.
///
/// For sources where each read costs time or money: objects in a bucket, files on a network. A local file is read by
/// `FileSource` several ranges at a time as it is.
///
/// **Place.** Below `Caching`, which then asks for what it lacks in as few requests as this stage makes of it; above
/// what retries, verifies or limits reads of the source. Once in a pipeline. Several readers may share it: they share
/// its limit of spans, and what was measured of sources that state the same cost.
///
/// **What comes back.** Each range's bytes, in the order asked, as slices of spans; copied, where less than half of a
/// span was asked for, so that a small slice does not keep a large span. A read of one range goes straight through.
///
/// **Errors.** One span that fails cancels the others and fails the read. Below a cache each span is a request of its
/// own, and what the others bring is kept.
///
/// **Cancellation.** Cancels the spans under way, and begins no other.
///
/// **Cost.** O(n log n) for n ranges. What is read over is at most `mostWaste` times what was asked for, and no span of
/// several ranges is longer than `longestSpan`, so a read holds `concurrentSpans` × `longestSpan` bytes under way at most
/// in addition to long ranges.
public final class Merging: ReadyStage {
  /// How far apart two ranges may lie to be read as one.
  public enum Gap: Hashable, Sendable {
    /// Latency × bandwidth, as measured: until something was, as the source's description states them.
    case measured
    /// So many bytes. Zero: only ranges that overlap or touch.
    case bytes(ByteCount)
    /// Each range is one read, whatever is measured, and nothing is read over: for sources that charge by the byte.
    case never
  }

  let gap: Gap
  let longestSpan: Int
  let mostWaste: Double
  let concurrentSpans: Int
  /// For spans, and for single ranges of reads that a cache makes several requests of.
  let permits: Permits
  /// What was measured of sources that state the same cost, the latest used last.
  private let models = Locked<[(cost: SourceCost, model: LatencyModel)]>([])
  /// Sources of more costs than these share one stage seldom.
  private static let mostModels = 8
  private let readsUnderWay = Atomic<Int>(0)
  private let readsSinceSample = Atomic<Int>(0)
  /// Reads of a stage that is never idle of which one is measured.
  private static let busyReadsPerSample = 64
  /// Where bytes cost nothing: wider than any span, so that the fewest are made.
  private static let widestGap = 0x1p50
  let counts = Locked(Counts())

  /// A stage that has measured nothing yet.
  ///
  /// - Parameters:
  ///   - gap: how far apart two ranges may lie to be read as one. Default: what measuring finds.
  ///   - longestSpan: the most bytes that ranges are merged to; one longer range is read as it is. Default: 32 MiB.
  ///   - mostWaste: bytes that may be read over, as a multiple of those asked for; less than 64 KiB asked for count as
  ///     64 KiB. Default: 32.
  ///   - concurrentSpans: spans that are read at once, in all readers that share this stage. Default: 8.
  ///
  /// - Precondition: `mostWaste` is not negative, and `concurrentSpans` is at least one.
  public init(
    gap: Gap = .measured, longestSpan: ByteCount = .mebibytes(32), mostWaste: Double = 32, concurrentSpans: Int = 8
  ) {
    precondition(mostWaste >= 0, "the waste allowed is not negative")
    precondition(concurrentSpans > 0, "one span at least is read at once")
    self.gap = gap
    self.longestSpan = longestSpan.bytes
    self.mostWaste = mostWaste
    self.concurrentSpans = concurrentSpans
    permits = Permits(concurrentSpans)
  }

  /// Below the cache, above what retries.
  public var placement: StagePlacement { .merging }

  /// Several ranges in few spans; a single one as it is.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    guard request.moreRanges.isEmpty else { return try await readSeveral(request, next) }
    guard request.isOneOfMany else { return try await readMeasured(request, next) }
    return try await readInTurn(request, next)
  }

  /// What is cached costs no read.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    request.moreRanges.isEmpty ? next.ready(request) : nil
  }

  /// `requests` of several ranges, the `ranges` of these, the `spans` that were read for them, `ranges merged` (those
  /// that share a span with another); as wasted, the bytes read over.
  public func statistics() -> StageStatistics? {
    let counts = counts.withLock { $0 }
    return StageStatistics(
      stage: "Merging",
      counts: [
        .init("requests", counts.requests), .init("ranges", counts.ranges), .init("spans", counts.spans),
        .init("ranges merged", counts.merged),
      ], wastedBytes: counts.overReadBytes)
  }

  struct Counts {
    var requests = 0
    var ranges = 0
    var spans = 0
    var merged = 0
    var overReadBytes = 0
  }
}

// MARK: planning

extension Merging: GatheringStage {
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]? {
    planner(for: source)?.plan(ranges).spans.map(\.asked)
  }

  /// What plans the spans of `source` now; `nil` if nothing is merged.
  func planner(for source: SourceDescription) -> SpanPlanner? {
    let gapBytes: Int
    switch gap {
    case .never: return nil
    case .bytes(let count): gapBytes = count.bytes
    case .measured: gapBytes = Int(min(model(of: source).gap, Self.widestGap))
    }
    return SpanPlanner(gap: gapBytes, longestSpan: longestSpan, mostWaste: mostWaste)
  }

  /// What is known of sources that cost what `source` does.
  func model(of source: SourceDescription) -> LatencyModel {
    models.withLock { models in
      models.last { $0.cost == source.cost }?.model ?? LatencyModel(source.cost)
    }
  }
}

// MARK: measuring

extension Merging {
  /// Reads, and measures what that takes.
  ///
  /// Only a read that began when no other was under way tells what the source takes: what comes beside others may wait
  /// for them, and reads of one size that wait for each other look like latency. Where reads never end, one of many is
  /// taken as it comes: it tells what reading takes under that load.
  @inline(__always) nonisolated(nonsending) func readMeasured(
    _ request: ReadRequest, _ next: ReadNext
  ) async throws -> ReadResponse {
    guard gap == .measured else { return try await next(request) }
    let isAlone = readsUnderWay.wrappingAdd(1, ordering: .relaxed).oldValue == 0
    defer { readsUnderWay.wrappingSubtract(1, ordering: .relaxed) }
    let isDue = readsSinceSample.wrappingAdd(1, ordering: .relaxed).newValue >= Self.busyReadsPerSample
    // A prefetch may be made to wait for demand.
    guard isAlone || isDue, request.purpose == .demand else { return try await next(request) }
    readsSinceSample.store(0, ordering: .relaxed)
    let start = next.time.now
    let response = try await next(request)
    learn(request.source.cost, response.byteCount, start.duration(to: next.time.now))
    return response
  }

  private func learn(_ cost: SourceCost, _ byteCount: Int, _ time: Duration) {
    models.withLock { models in
      let place = models.lastIndex { $0.cost == cost }
      var model = place.map { models.remove(at: $0).model } ?? LatencyModel(cost)
      model.add(byteCount, took: time)
      models.append((cost, model))
      if models.count > Self.mostModels { models.removeFirst() }
    }
  }
}
