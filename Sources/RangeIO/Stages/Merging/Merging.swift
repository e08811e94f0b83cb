import Synchronization

extension ReadPipeline {
  /// Reads ranges that are close together as one, where that is cheaper than separate reads.
  ///
  /// ```swift
  /// let reader = try await RangeReader(source, [.caching(store), .merging()])
  /// let tiles = try await reader.read(directory.map(\.range))
  /// ```
  ///
  /// Two ranges become one *span* when reading the bytes between them takes less time than starting another read. The
  /// stage measures this as it reads. A line fitted to the times of recent reads gives latency and bandwidth; their
  /// product is the gap worth reading over. The over-read bytes go up to a cache above, together with the requested
  /// ones. The cache keeps them if they are at most 32 times the requested ones.
  ///
  /// A source that measures itself, such as a remote object, also says how many reads it runs at once. Then ranges are read
  /// separately where that takes no longer, and no span is so long that the others wait for it.
  ///
  /// Use it for sources where each read costs time or money: objects in a bucket, files on a network. For a local file it
  /// is not needed: `FileSource` reads several ranges at a time by itself.
  ///
  /// **Place.** Below `.caching`, which then fetches what it lacks in as few requests as this stage needs; above the
  /// stages that retry, verify or limit reads of the source. Only once in a pipeline. Several readers can share it. They
  /// then share its limit of spans, and the measurements of sources that state the same cost.
  ///
  /// **Results.** The bytes of each range, in the order of the request, as slices of spans. If less than half of a span
  /// was requested, the bytes are copied, so that a small slice does not keep a large span in memory. A read of one range
  /// passes straight through, unless it is of 2 MiB or more, of a source that has measured itself and is not read otherwise:
  /// then it is read in parts side by side, of 1 MiB or more.
  ///
  /// **Errors.** If one span fails, the others are cancelled and the read fails. Below a cache each span is its own
  /// request, and the cache keeps what the others return.
  ///
  /// **Cancellation.** Cancels the spans in flight and starts no others.
  ///
  /// **Cost.** O(n log n) for n ranges. The stage reads over at most `maxWaste` times the requested bytes, and no span
  /// of several ranges is longer than `maxSpan`. Over-read bytes are in memory until their span is complete. Those of one
  /// read are at most 128 MiB at once, or a sixth of the memory of the process if that is less (1 MiB of each span may
  /// be). Of several reads together they are less than `maxConcurrentSpans` × `maxSpan`: 256 MiB by default.
  ///
  /// - Parameters:
  ///   - maxGap: how far apart two ranges may be to be read as one. With zero, only ranges that overlap or touch are, and
  ///     nothing is over-read: for sources that charge by the byte. Default: latency × bandwidth, as measured; before
  ///     the first measurement, as stated in the source's description.
  ///   - maxSpan: the most bytes in a span of several ranges; a single longer range is still read whole. Default:
  ///     32 MiB. Of a remote object at most 64 KiB while its opening is on its way, 1 MiB until its rate is known, and
  ///     4 MiB until eight answers of 32 KiB or more have shown it.
  ///   - maxWaste: how many bytes may be over-read, as a multiple of the requested bytes. Requests of less than 64 KiB
  ///     count as 64 KiB. Default: 256; over links of up to 200 MB/s a connection, more saves no time. Where bytes cost money,
  ///     pass 8 or less.
  ///   - maxConcurrentSpans: how many spans are read at the same time, over all readers that share this stage. Below a
  ///     cache, and for a source that measures its cost, this also limits single ranges of one reader. The others wait,
  ///     and ranges close together are then read as one. Default: 8.
  ///
  /// - Precondition: `maxWaste` is not negative, and `maxConcurrentSpans` is at least one.
  public static func merging(
    maxGap: ByteCount? = nil, maxSpan: ByteCount = .mebibytes(32), maxWaste: Double = 256, maxConcurrentSpans: Int = 8
  ) -> ReadPipeline {
    precondition(maxWaste >= 0, "the waste allowed is not negative")
    precondition(maxConcurrentSpans > 0, "one span at least is read at once")
    let planner = SpanPlanner(gap: maxGap?.bytes ?? 0, longestSpan: maxSpan.bytes, maxWaste: maxWaste)
    return .stage(MergingStage(planner, measures: maxGap == nil, maxConcurrentSpans))
  }
}

/// The stage of `.merging`: reads near ranges as one span.
final class MergingStage: ReadStage {
  /// With the gap that was set, or none.
  let planner: SpanPlanner
  /// `true` if the gap is measured.
  let measures: Bool
  let concurrentSpans: Int
  /// Permits for spans, and for single ranges that are part of a read which a cache splits into several requests.
  let permits: Permits
  /// Measurements, shared by sources that state the same cost. The most recently used one is last.
  private let models = Locked<[(cost: SourceDescription.Cost, model: LatencyModel)]>([])
  /// It is rare that sources of more different costs than this share one stage.
  private static let maxModels = 8
  private let readsUnderWay = Atomic<Int>(0)
  private let readsSinceSample = Atomic<Int>(0)
  /// The bytes of all reads that have ended; it may wrap around.
  private let bytesDone = Atomic<Int>(0)
  /// If the stage is never idle, one of this many reads is measured.
  private static let busyReadsPerSample = 64
  let counts = Locked(Counts())

  init(_ planner: SpanPlanner, measures: Bool, _ concurrentSpans: Int) {
    self.planner = planner
    self.measures = measures
    self.concurrentSpans = concurrentSpans
    permits = Permits(concurrentSpans)
  }

  var placement: ReadPipeline.Placement { .merging }

  /// Reads several ranges in few spans; a single range as it is, or a long one in parts.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    guard request.moreRanges.isEmpty else { return try await readSeveral(request, next) }
    guard !request.isOneOfMany else { return try await readWithPermit(request, next) }
    if let parts = parts(of: request) { return try await read(parts, of: request, next) }
    return try await readMeasured(request, next)
  }

  /// Passes a cache hit on: it needs no read of the source.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    request.moreRanges.isEmpty ? next.answer(request) : .later
  }

  /// `requests` of several ranges, the number of their `ranges`, the `spans` read for them, and `ranges merged` (ranges
  /// that share a span with another). The bytes read over count as wasted.
  func statistics() -> Counters? {
    let counts = counts.withLock { $0 }
    return Counters(
      "Merging",
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

// MARK: measuring

extension MergingStage {
  /// The measurements of sources with the same cost as `source`.
  func model(of source: SourceDescription) -> LatencyModel {
    models.withLock { models in
      models.last { $0.cost == source.cost }?.model ?? LatencyModel(source.cost)
    }
  }

  /// Reads, and measures how long that takes.
  ///
  /// Only a read that began while no other was in flight shows what the source itself takes: concurrent reads may wait
  /// for each other, and reads of one size that wait for each other look like latency. If the stage is never idle, one
  /// read of many is measured anyway: it shows what a read takes under that load. Neither counts if its time is what is
  /// known already and what the reads that began beside it may explain.
  @inline(__always) nonisolated(nonsending) func readMeasured(
    _ request: ReadRequest, _ next: ReadNext
  ) async throws -> ReadResponse {
    guard measures else { return try await next(request) }
    let isAlone = readsUnderWay.wrappingAdd(1, ordering: .relaxed).oldValue == 0
    defer { readsUnderWay.wrappingSubtract(1, ordering: .relaxed) }
    let isDue = readsSinceSample.wrappingAdd(1, ordering: .relaxed).newValue >= Self.busyReadsPerSample
    // A prefetch may have to wait for demand reads.
    guard isAlone || isDue, request.purpose == .demand else {
      let response = try await next(request)
      bytesDone.wrappingAdd(response.byteCount, ordering: .relaxed)
      return response
    }
    readsSinceSample.store(0, ordering: .relaxed)
    let (start, before) = (next.time.now, bytesDone.load(ordering: .relaxed))
    let response = try await next(request)
    let done = bytesDone.wrappingAdd(response.byteCount, ordering: .relaxed).newValue &- before
    let others = isAlone ? readsSinceSample.load(ordering: .relaxed) : Self.busyReadsPerSample
    learn(
      request.source.cost, response.byteCount, start.duration(to: next.time.now), beside: min(others, concurrentSpans),
      of: done)
    return response
  }

  private func learn(
    _ cost: SourceDescription.Cost, _ byteCount: Int, _ time: Duration, beside others: Int, of doneByteCount: Int
  ) {
    models.withLock { models in
      let place = models.lastIndex { $0.cost == cost }
      var model = place.map { models[$0].model } ?? LatencyModel(cost)
      guard !model.explains(byteCount, took: time, beside: others, of: doneByteCount) else { return }
      if let place { models.remove(at: place) }
      model.add(byteCount, took: time)
      models.append((cost, model))
      if models.count > Self.maxModels { models.removeFirst() }
    }
  }
}
