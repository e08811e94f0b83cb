import Synchronization

extension ReadPipeline {
  /// Detects sequences of reads and prefetches what they will need next.
  ///
  /// ```swift
  /// let reader = try await RangeReader(source, [.readAhead(), .caching(store)])
  /// ```
  ///
  /// The stage detects runs of reads that go forwards, backwards, or by a fixed stride. It does so at their third read;
  /// for strides with other reads in between, at their fourth read that the cache does not answer. Several runs may be
  /// interleaved, with unrelated reads in between. The amount read ahead of a run doubles as long as reads wait for it,
  /// up to a limit, and shrinks if they come slower than the bytes. Bytes that are already cached or in flight are not
  /// requested again. A seek begins a new run. When a run ends, its prefetches that are still in flight are cancelled.
  /// All readers share one budget, unless you give them another. A ``MemoryStore``, also as the upper part of a
  /// `TieredStore`, does not evict what a run has prefetched until that is read, and gives a quarter of itself for it:
  /// with more runs each has less ahead. Any other store may evict it too early: make that larger than the budget.
  ///
  /// Use it for sources that are slow to answer, such as objects on a network. Local files do not need it: the system
  /// reads ahead for them.
  ///
  /// **Place.** Above the cache that keeps the prefetched bytes, because it must see the reads that the cache answers. A
  /// reader without a cache below this stage is refused. Decoding stages in between also decode the prefetched bytes.
  ///
  /// **Cancellation.** A cancelled read throws at once. Its prefetches continue and end with the reader; those of a stream end
  /// when it is left or cancelled.
  ///
  /// **Errors.** A failed prefetch is not reported. The read that needs those bytes asks for them again.
  ///
  /// **Cost.** A lock and a few comparisons for each read, including hits. A read that belongs to no run also costs a
  /// search through the last sixteen such reads.
  ///
  /// - Parameters:
  ///   - limit: the most to read ahead of each run, at most 1 GiB. Default: four times the bytes that the source could
  ///     send in the time until the first byte arrives (``SourceDescription/Cost``), between 2 and 32 MiB. If the
  ///     source measures the rate of one connection: forty times what that sends, between 8 and 64 MiB (16 MiB above a
  ///     store that may evict it too early). Over a slow link no more than it brings in eight seconds, but at least
  ///     128 KiB. All runs together never more than a quarter of a ``MemoryStore``.
  ///   - budget: the bytes that may be prefetched and unused at once, over all readers that list this stage. When they
  ///     are spent, a reader prefetches less or nothing, and the readers that have been idle longest give up their
  ///     share. Default: a budget of at most 64 MiB that the whole process shares.
  public static func readAhead(upTo limit: ByteCount? = nil, budget: ByteCount? = nil) -> ReadPipeline {
    .readAhead(limit.map(ReadAheadExtent.upTo) ?? .adaptive, budget: budget.map { ReadAheadBudget($0) } ?? .shared)
  }

  static func readAhead(_ extent: ReadAheadExtent = .adaptive, budget: ReadAheadBudget) -> ReadPipeline {
    .stage(ReadAheadStage(extent, budget: budget))
  }
}

/// The most to read ahead of a run.
enum ReadAheadExtent: Hashable, Sendable {
  /// Four times the bytes that the source could send in the time until the first byte arrives
  /// (``SourceDescription/Cost``), between 2 and 32 MiB. If the source measures: five times what its connections could
  /// send in that time, between 8 and 64 MiB. Then they wait a sixth of it. Over a slow link no more than one of them
  /// brings in eight seconds, but at least 128 KiB.
  case adaptive
  /// This many bytes, at most 1 GiB.
  case upTo(ByteCount)

  /// What a source measures is the rate of one connection, and so many pieces are read ahead at once.
  static let connections = 8

  /// - Parameters:
  ///   - measured: what the source has measured of itself.
  ///   - isHeld: whether the cache keeps what is read ahead until it is read. If not, more than 16 MiB may be evicted before.
  func longest(
    for cost: SourceDescription.Cost, measured: SourceDescription.Measurement? = nil, isHeld: Bool = true
  ) -> Int {
    switch self {
    case .upTo(let count): return count.bytes
    case .adaptive:
      let known = measured.flatMap { $0.isGuess ? nil : $0.cost }
      let seconds = Double((known ?? cost).latency.nanoseconds) / 1e9
      let bytes = seconds * (known.map { $0.rate * Double(Self.connections) * 5 } ?? cost.rate * 4)
      guard let known else {
        // A zero latency times an infinite rate is NaN, which compares as not greater and gives the minimum.
        return bytes > 0x1p21 ? Int(min(bytes, 0x1p25)) : 2 << 20
      }
      // No less than streams ask for themselves.
      let wished = bytes > 0x1p23 ? Int(min(bytes, isHeld ? 0x1p26 : 0x1p24)) : 8 << 20
      return min(wished, max(128 << 10, Int(min(known.rate * 8, 0x1p26))))
    }
  }
}

/// The stage of `.readAhead`: prefetches what runs of reads will need next.
final class ReadAheadStage: ReadStage {
  private let extent: ReadAheadExtent
  private let budget: ReadAheadBudget
  private let counters = ReadAheadCounters()
  /// The read-ahead of each version that was read recently.
  private let sources = Locked<[(version: SourceDescription, reads: ReadAheadReads)]>([])
  private static let maxSources = 32

  init(_ extent: ReadAheadExtent, budget: ReadAheadBudget) {
    self.extent = extent
    self.budget = budget
  }

  deinit { endAll() }

  var placement: ReadPipeline.Placement { .readAhead }

  /// Passes the read on, and reads ahead.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    if request.purpose == .prefetch { return try await readHinted(request, next) }
    let passed = notice(request, next, isHit: false)
    // Not before it is read: what else comes in meanwhile could evict it.
    defer { for hold in passed { hold.end() } }
    return try await next(request)
  }

  /// Passes a cache hit on, and reads ahead.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    let answer = next.answer(request)
    guard case .here = answer else { return .later }
    for hold in notice(request, next, isHit: true) { hold.end() }
    return answer
  }

  /// Cancels the prefetches in flight and releases what was not used.
  nonisolated(nonsending) func close() async { endAll() }

  /// One of the readers that share it is closed: gives up what was read ahead for it.
  func end(_ reader: SourceLink) {
    for (_, reads) in sources.withLock({ $0 }) { reads.end(ObjectIdentifier(reader)) }
  }

  private func endAll() {
    let all = sources.withLock { sources in
      defer { sources = [] }
      return sources
    }
    for (_, reads) in all { reads.end() }
  }

  /// The counts of bytes read ahead: asked for, used, cached already, beyond the budget, failed.
  func statistics() -> Counters? { counters.snapshot() }

  /// Notes a read, and reads ahead. Returns the holds of what it reads.
  private func notice(_ request: ReadRequest, _ next: ReadNext, isHit: Bool) -> [ReadAheadHold] {
    // If the bytes may not be cached, reading ahead is useless; if they come only in their order, it would disturb that.
    guard request.caching == .normal, request.source.isSettled, !request.source.isReadForward, !next.isClosed else {
      return []
    }
    let reads = reads(of: request.source)
    // Hits say that the source is quick enough, and are too many to look at what it measures.
    if !isHit || reads.longest.load(ordering: .relaxed) == 0 {
      let measured = request.source.measuredCost
      let longest = extent.longest(
        for: request.source.cost, measured: measured, isHeld: next.aheadBudget != nil)
      reads.isMeasured.store(measured?.isGuess == false, ordering: .relaxed)
      reads.longest.store(longest, ordering: .relaxed)
      reads.followRoom(of: next)
    }
    let noticed = reads.notice(request, isHit: isHit)
    for task in noticed.ended { task.cancel() }
    for part in noticed.ask {
      guard reads.start(part, request, next) else { break }
    }
    return noticed.passed
  }

  /// Reads for a hint by the caller. It counts against the budget, and the reads that follow use it up.
  private func readHinted(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    let reads = reads(of: request.source)
    guard let hint = reads.begin(Array(request.ranges), by: ObjectIdentifier(next.bottom)) else {
      throw ReadError(
        .limitExceeded, "the budget for reading ahead is spent: the range is read when it is asked for",
        context: .init(source: request.source.name, offset: request.range.lowerBound, count: request.byteCount))
    }
    do {
      let response = try await next(request)
      reads.ended(hint)
      return response
    } catch {
      reads.failed(hint)
      throw error
    }
  }

  /// A stream asks for no more. Its last read ended at one of `offsets`.
  private func leave(at offsets: ClosedRange<Int>, of source: SourceDescription) {
    // Another reader's description of the version may stand for it by now, or that of a longer one.
    let all = sources.withLock { sources in
      sources.filter {
        $0.version === source || $0.version.change(to: source) != .other || source.change(to: $0.version) != .other
      }
    }
    for (_, reads) in all { reads.leave(at: offsets) }
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
      return (sources[0].reads, sources.count > Self.maxSources ? sources.removeLast().reads : nil)
    }
    ended?.end()
    return reads
  }
}

extension ReadAheadStage: RoleStage {
  var role: StageRole {
    .readingAhead {
      [self] range, source in
      reads(of: source).discard(range)
    } leave: {
      [self] offsets, source in
      leave(at: offsets, of: source)
    }
  }
}

final class ReadAheadCounters: Sendable {
  enum Counter: Int {
    case runs, asked, used, cached, refused, failed, wasted
  }
  private let counts = Stripes()

  func add(_ value: Int, _ counter: Counter) { if value != 0 { counts.add(value, to: counter.rawValue) } }

  func snapshot() -> Counters {
    Counters(
      "ReadAhead", counts, "runs", "bytes asked for", "bytes used", "bytes cached already", "bytes beyond the budget",
      "bytes that failed", wasted: Counter.wasted.rawValue)
  }
}
