extension CachingStage {
  /// Handles a read that the store could not answer at once.
  ///
  /// - Parameters:
  ///   - isFirst: `true` for a first read of these bytes, which bypasses the store.
  ///   - timing: measures a read by ``readAtHand(_:_:_:_:_:)``.
  func readMissing(
    _ request: ReadRequest, _ next: ReadNext, isFirst: Bool, timing: AdmissionMeter.Timing? = nil
  ) async throws -> ReadResponse {
    guard let token = token(of: request.source) else { return try await readBypassing(request, next) }
    guard !isLong(request, token.grid) else {
      return try await BackgroundWork.offActor { [self] in try await readMissing(request, token, isFirst, next) }
    }
    // Before the look-up.
    let mark = FlightMark(token)
    guard request.moreRanges.isEmpty else { return try await readMissing(request, token, isFirst, next) }
    let found = store.lookUp(request.range, token: token.number, grid: token.grid)
    switch found {
    case .hit(let bytes) where bytes.count == request.range.count: return ReadResponse(bytes)
    case .miss where isFirst: return try await readBypassing(request, next)
    case .miss:
      // Handed over: a copy would count a reference to the token.
      let ticket = ChunkTicket(token: consume token, generation: mark.generation, fetchedAt: keeper.time.now)
      if let response = readAtHand(request, ticket, timing, next) { return response }
      return try await readMissing(request, ticket.token, isFirst, next, (mark, CachedParts(request.range, found)))
    case .partial(let pieces, let deferred, let gaps) where deferred.count == 1 && pieces.isEmpty && gaps.isEmpty:
      switch loadAtHand(deferred[0], request, token) {
      case .here(let bytes?): return ReadResponse(bytes)
      // It was damaged, and is not found again. If only memory was lacking, the number of such looks is bounded.
      case .here(nil): return try await readMissing(request, token, isFirst, next)
      case .later: break
      case nil: return try await readMissing(request, token, isFirst, next, (mark, CachedParts(request.range, found)))
      }
      var parts = CachedParts(request.range, found)
      parts.mustWait = true
      return try await readMissing(request, token, isFirst, next, (mark, parts))
    default: break
    }
    return try await readMissing(request, token, isFirst, next, (mark, CachedParts(request.range, found)))
  }

  /// The most blocks, or ranges of a read of several, that are looked up and planned for on the caller's actor.
  static let maxBlocksHere = 256

  private func isLong(_ request: ReadRequest, _ grid: BlockGrid) -> Bool {
    request.byteCount >> grid.shift + request.moreRanges.count > Self.maxBlocksHere
  }

  /// - Parameter first: what the first look-up has found, with the mark from before it.
  private func readMissing(
    _ request: ReadRequest, _ token: ChunkToken, _ isFirst: Bool, _ next: ReadNext,
    _ first: (mark: FlightMark, found: CachedParts)? = nil
  ) async throws -> ReadResponse {
    // A read that joined a failed flight may retry once. A flight that was given up says nothing about the source, so
    // it does not count: its reader was closed and starts no other, or it was for bytes that cannot be kept.
    var isLast = false
    var losses = 0
    var (first, request) = (first, request)
    while true {
      let (mark, found) = first ?? (FlightMark(token), lookUp(request, token))
      first = nil
      if found.isComplete { return found.response(to: request) }
      // A first touch is served from the tiers below if they have some of it; otherwise the missing part bypasses the
      // store.
      if isFirst, found.deferred.isEmpty { return try await readBypassing(found, request, next) }
      guard request.caching != .onlyIfCached || found.gaps.isEmpty else { throw ReadError.notCached(request) }
      // The source reads its contents through another reader of the same source.
      if EnclosingRead.isUnderWay(for: token) { return try await readBypassing(request, next) }
      do {
        return try await fetch(found, request, token, since: mark, next)
      } catch is FailedTogether {
        try Task.checkCancellation()
        // It may have joined another group since.
        guard !request.isOneOfMany else { return try await readBypassing(request, next) }
        // Which waits in no line.
        request.isOneOfMany = true
      } catch let failure as WiderReadFailed {
        return try await readExactly(request, next, instead: failure.error)
      } catch let failure as JoinedFlightFailed {
        if failure.error is HeldPieceIsGone {
          losses += 1
          // A store that keeps finding pieces it cannot load is not asked forever.
          guard losses < Self.maxLosses else { return try await readBypassing(request, next) }
        }
        if !failure.wasGivenUp {
          if isLast {
            guard !isExact(request, widening(request, token, next).of(request.range)) else { throw failure.error }
            return try await readExactly(request, next, instead: failure.error)
          }
          isLast = true
        }
        try Task.checkCancellation()
      }
    }
  }

  /// The most pieces that one read may find and lose before it bypasses the store. Nearly always each is a different piece.
  private static let maxLosses = 8

  /// Notes a read of the range's first block. Returns `true` if that is the first one lately, and the read may bypass the store.
  func isFirstTouch(_ request: ReadRequest) -> Bool {
    // Prefetched bytes must be kept, or reading them would be useless.
    guard let touched, request.isPlain, request.purpose == .demand, let token = token(of: request.source) else {
      return false
    }
    return !touched.touch(Self.touchHash(request.range.lowerBound >> token.grid.shift, token.number))
  }

  /// The hash under which a touch of a block is remembered.
  @inline(__always) static func touchHash(_ block: Int, _ token: UInt64) -> UInt64 {
    var hash = (token &* 0x9E37_79B9_7F4A_7C15) ^ (UInt64(truncatingIfNeeded: block) &* 0xD6E8_FEB8_6659_FD93)
    hash = (hash ^ hash >> 32) &* 0x9FB2_1C65_1E98_DF25
    return hash ^ hash >> 28
  }

  /// A flight failed that another read had started.
  private struct JoinedFlightFailed: Error {
    let error: any Error
    let wasGivenUp: Bool
  }

  /// A flight of this read failed that was for more than was asked for.
  private struct WiderReadFailed: Error {
    let error: any Error
  }

  /// The error of a flight that failed for a reason other than the source.
  struct GivenUp: Error {
    let error: any Error
  }

  /// The error of a flight that was read as one request with those of other reads: it may concern their bytes only.
  struct FailedTogether: Error {
    let error: any Error
  }

  private func lookUp(_ request: ReadRequest, _ token: ChunkToken) -> CachedParts {
    var found = CachedParts()
    found.add(request.range, store.lookUp(request.range, token: token.number, grid: token.grid))
    for range in request.moreRanges {
      found.add(range, store.lookUp(range, token: token.number, grid: token.grid))
    }
    if !request.moreRanges.isEmpty { found.normalize() }
    return found
  }

  /// Fetches what is missing, and joins flights that are already fetching it.
  private func fetch(
    _ found: CachedParts, _ request: ReadRequest, _ token: ChunkToken, since mark: FlightMark, _ next: ReadNext
  ) async throws -> ReadResponse {
    let wait = FetchWait()
    let widening =
      found.gaps.isEmpty
      ? Widening(store, token, .exact, in: request.source.byteCount) : widening(request, token, next)
    let planned = token.flights.plan(
      found.wants, since: mark, purpose: request.purpose, wait,
      widen: { widening.of($0) },
      lookAgain: {
        let found = self.lookUp(request, token)
        let isRefused = request.caching == .onlyIfCached && !found.gaps.isEmpty
        return (found, isRefused ? [] : found.wants)
      })
    var found = planned.found ?? found
    // A piece that was held a moment ago may be gone at the second look.
    guard request.caching != .onlyIfCached || found.gaps.isEmpty else { throw ReadError.notCached(request) }
    guard planned.plan != nil || planned.below != nil else { return found.response(to: request) }
    let run = found.gaps.count == 1 ? found.gaps[0].count : found.gaps.reduce(0) { $0 + $1.count }
    var isKept = true
    let fetch = Fetch(
      source: request.source, token: token, generation: mark.generation, next: next, wait: wait,
      isOneOfMany: request.isOneOfMany, isForCache: request.urgency?.isOfFlight ?? false, hold: request.hold)
    // The source first, so that decompressing happens while the source is being read.
    if let plan = planned.plan { isKept = start(plan.starts, of: run, fetch) }
    if let below = planned.below {
      let (mayAsk, mustWait) = (request.caching != .onlyIfCached, found.mustWait)
      get(below.plan.starts, found.deferred, mayAsk: mayAsk, mustWait: mustWait, fetch)
    }
    do {
      // A source that did not suspend has answered by now.
      if !wait.isDone {
        EnclosingRead.giveUpPermits()
        try await wait.finish(planned.plan, planned.below?.plan, next) { token.flights.escalate($0, to: $1) }
      }
      // One gap, one flight, nothing else: nothing to combine.
      if found.pieces.isEmpty, wait.partCount == 1, request.moreRanges.isEmpty,
        planned.plan == nil || fill != .requestedFirst
      {
        let bytes = try wait.onlyPiece()
        if planned.plan != nil { countMiss(request, next) }
        return ReadResponse(bytes)
      }
      let gaps = found.gaps
      found.pieces += try wait.pieces()
      if planned.plan != nil { countMiss(request, next) }
      if fill == .requestedFirst, isKept { fetchRest(of: gaps, request.source, token, next) }
      return found.response(to: request)
    } catch let failure as FetchWait.Failure {
      leave(planned, token)
      let givenUp = failure.error as? GivenUp
      let together = failure.error as? FailedTogether
      // Another version is another for all.
      if let together, (together.error as? ReadError)?.code != .sourceChanged { throw together }
      let error = givenUp?.error ?? together?.error ?? failure.error
      guard let start = planned.plan?.starts.first(where: { $0.flight == failure.flight }) else {
        throw JoinedFlightFailed(error: error, wasGivenUp: givenUp != nil)
      }
      throw isExact(request, start.range) ? error : WiderReadFailed(error: error)
    } catch {
      leave(planned, token)
      throw error
    }
  }

  private func leave(_ planned: FlightTable.Planned<CachedParts>, _ token: ChunkToken) {
    if let plan = planned.plan { token.flights.leave(plan) }
    if let below = planned.below { token.flights.leave(below.plan) }
  }

  /// The most bytes of one request that a source which has them in memory copies on the reader's thread. As many are
  /// decompressed there. Other threads do the rest at the same time.
  static let maxQuickBytes = 256 << 10

  /// Starts flights that load what the store holds.
  ///
  /// - Parameters:
  ///   - mayAsk: `true` if the source may also be read if the store takes long.
  ///   - mustWait: `true` if the pieces are known not to be at hand.
  private func get(
    _ starts: SmallArray<FlightPlan.Start>, _ deferred: [DeferredPiece], mayAsk: Bool, mustWait: Bool, _ fetch: Fetch
  ) {
    let (token, wait) = (fetch.token, fetch.wait)
    // A flight may outlive the read that started it, and keeps nothing of its wait.
    var flight = fetch
    flight.wait = nil
    var quickBytes = 0
    for start in starts {
      // Each flight loads a part of one piece.
      let piece = deferred[deferred.partitionPoint { $0.wanted.upperBound > start.range.lowerBound }]
      if !mustWait, piece.loader.isQuick, quickBytes < Self.maxQuickBytes {
        quickBytes += piece.range.count
        if case .here(let bytes) = piece.loader.answer() {
          token.flights.complete(start.flight, start.range, Self.cut(bytes, piece, start.range))
          continue
        }
      }
      let race = DeferredRace { token.flights.complete(start.flight, start.range, $0) }
      let task = fetch.next.startFlight(elsewhere: true) { [keeper, flight] in
        await withTaskCancellationHandler {
          let bytes = await piece.loader.load {
            guard mayAsk else { return }
            // The disk may hang. The first answer counts.
            race.startOther {
              flight.next.start { await race.otherEnded(Self.acquire(start, flight, keeper)) }
            }
          }
          race.loaded(Self.cut(bytes, piece, start.range))
        } onCancel: {
          race.cancel()
        }
      }
      race.loads(task)
      if wait?.hasAllCompleted != true { token.flights.started(start.flight, task) }
    }
  }

  /// The part of a loaded piece that a flight needs.
  private static func cut(_ bytes: Bytes?, _ piece: DeferredPiece, _ range: ByteRange) -> Result<Bytes, any Error> {
    // Gone: waiters look again, and find it elsewhere or read the source.
    guard let bytes, bytes.count == piece.range.count else { return .failure(GivenUp(error: HeldPieceIsGone())) }
    let lower = range.lowerBound - piece.range.lowerBound
    return .success(range == piece.range ? bytes : bytes.slice(lower..<lower + range.count))
  }

  private struct HeldPieceIsGone: Error {}

  /// Fetches the rest of the blocks around `gaps`, in the background.
  private func fetchRest(of gaps: [ByteRange], _ source: SourceDescription, _ token: ChunkToken, _ next: ReadNext) {
    let widening = Widening(store, token, .blocks, in: source.byteCount)
    let wide = ByteRanges.normalize(gaps.map(widening.of))
    let mark = FlightMark(token)
    let missing = { @Sendable [store] () -> [ByteRange] in
      wide.flatMap { range -> [ByteRange] in
        switch store.lookUp(range, token: token.number, grid: token.grid) {
        case .hit: []
        case .partial(_, _, let gaps): gaps
        case .miss: [range]
        }
      }
    }
    let rest = missing()
    guard !rest.isEmpty else { return }
    let plan = token.flights.plan(
      FlightWants(gaps: rest), since: mark, purpose: .prefetch, nil, widen: { $0 },
      lookAgain: { ((), FlightWants(gaps: missing())) }
    ).plan
    let run = rest.reduce(0) { $0 + $1.count }
    guard let plan else { return }
    start(plan.starts, of: run, Fetch(source: source, token: token, generation: mark.generation, next: next))
  }
}

extension FlightMark {
  init(_ token: ChunkToken) {
    self.init(completionCount: token.flights.completionCount, generation: token.generation)
  }
}

extension ReadError {
  static func notCached(_ request: ReadRequest) -> ReadError {
    ReadError(
      .notCached, "the cache does not hold all of it: read it without `onlyIfCached`",
      context: .init(source: request.source.name, offset: request.range.lowerBound, count: request.range.count))
  }
}
