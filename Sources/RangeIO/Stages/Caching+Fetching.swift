extension Caching {
  /// A read that the store could not answer at once.
  func readMissing(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    guard request.caching != .bypass, request.source.isSettled, !passes(request) else {
      guard request.caching != .onlyIfCached else { throw ReadError.notCached(request) }
      return try await next(request)
    }
    let token = token(of: request.source)
    if let touched, request.isPlain, isFirstTouch(request.range, token, touched) { return try await next(request) }
    // Of several who join a flight that fails, each may try once more by itself: the fault may have been with the
    // reader that began it, which was closed.
    for attempt in 0...1 {
      let landed = token.flights.landingCount
      let generation = token.generation
      let found = lookUp(request, token)
      if found.gaps.isEmpty { return found.response(to: request) }
      guard request.caching != .onlyIfCached else { throw ReadError.notCached(request) }
      do {
        return try await fetch(found, request, token, landed: landed, generation: generation, next)
      } catch let failure as JoinedFlightFailed {
        if attempt == 1 { throw failure.error }
        try Task.checkCancellation()
      }
    }
    preconditionFailure("the last attempt returns or throws")
  }

  /// Whether a range is read for the first time: then nothing of its first block is here.
  private func isFirstTouch(_ range: ByteRange, _ token: ChunkToken, _ touched: RecentTouches) -> Bool {
    let block = UInt64(range.lowerBound >> token.grid.shift)
    var hash = (token.number &* 0x9E37_79B9_7F4A_7C15) ^ (block &* 0xD6E8_FEB8_6659_FD93)
    hash = (hash ^ hash >> 32) &* 0x9FB2_1C65_1E98_DF25
    return !touched.touch(hash ^ hash >> 28)
  }

  /// A flight failed that another read had begun.
  private struct JoinedFlightFailed: Error {
    let error: any Error
  }

  private func lookUp(_ request: ReadRequest, _ token: ChunkToken) -> CachedParts {
    var found = CachedParts()
    found.add(request.range, store.lookUp(request.range, token: token.number, grid: token.grid))
    for range in request.moreRanges {
      found.add(range, store.lookUp(range, token: token.number, grid: token.grid))
    }
    if !request.moreRanges.isEmpty { found.gaps = ByteRanges.normalize(found.gaps) }
    return found
  }

  /// Gets what is missing, joining what is under way.
  private func fetch(
    _ found: CachedParts, _ request: ReadRequest, _ token: ChunkToken, landed: Int, generation: UInt64,
    _ next: ReadNext
  ) async throws -> ReadResponse {
    let wait = GapWait()
    let planned = token.flights.plan(
      found.gaps, landed: landed, generation: generation, purpose: request.purpose, wait,
      widen: { [fill, grid = token.grid, byteCount = request.source.byteCount] in
        fill == .block ? grid.outward($0, in: byteCount) : $0
      },
      lookAgain: {
        let found = self.lookUp(request, token)
        return (found, found.gaps)
      })
    var found = planned.found ?? found
    guard let plan = planned.plan else { return found.response(to: request) }
    let run = found.gaps.reduce(0) { $0 + $1.count }
    for start in plan.starts { self.start(start, of: run, request.source, token, generation, next, wait) }
    do {
      let gaps = found.gaps
      // A source that did not suspend has answered by now.
      if !wait.isDone { try await wait.finish() }
      found.pieces += try wait.pieces()
      if fill == .requestedFirst { fetchRest(of: gaps, request.source, token, next) }
      return found.response(to: request)
    } catch let failure as GapWait.Failure {
      token.flights.leave(plan)
      guard plan.starts.contains(where: { $0.flight == failure.flight }) else {
        throw JoinedFlightFailed(error: failure.error)
      }
      throw failure.error
    } catch {
      token.flights.leave(plan)
      throw error
    }
  }

  /// Begins a flight: makes room, reads, stores, lands.
  ///
  /// - Parameter run: the bytes that the request is missing, of which this is a part: they are kept as one or not at all.
  private func start(
    _ start: FlightPlan.Start, of run: Int, _ source: SourceDescription, _ token: ChunkToken,
    _ generation: UInt64, _ next: ReadNext, _ wait: GapWait?
  ) {
    let room = store.reserve(start.range, ofRun: run, for: token)
    let ticket = ChunkTicket(token: token, generation: generation, birth: store.now)
    let (flight, range) = (start.flight, start.range)
    let request = ReadRequest(
      range, of: source, purpose: start.purpose, grid: room.reservation == nil ? nil : token.grid)
    let task = next.background.start { [store, request, reservation = room.reservation] in
      let result: Result<Bytes, any Error>
      do {
        result = .success(try await Self.acquire(request, ticket, reservation, store, next))
      } catch {
        result = .failure(error)
      }
      token.flights.land(flight, range, result)
    }
    if wait?.isDone != true { token.flights.started(flight, task) }
  }

  /// Reads, and stores if room was reserved.
  private static func acquire(
    _ request: ReadRequest, _ ticket: ChunkTicket, _ reservation: ChunkReservation?, _ store: any ChunkStore,
    _ next: ReadNext
  ) async throws -> Bytes {
    guard let reservation else {
      try await store.enterUnreserved()
      defer { store.leaveUnreserved() }
      let response = try await next(request)
      try response.check(request)
      return response.bytes
    }
    let response: ReadResponse
    do {
      response = try await next(request)
      try response.check(request)
    } catch {
      store.cancel(reservation)
      throw error
    }
    _ = store.insert(response.bytes, at: request.range, ticket: ticket, reservation: reservation)
    return response.bytes
  }

  /// Fetches what is missing around `gaps` to whole blocks, with nobody waiting.
  private func fetchRest(of gaps: [ByteRange], _ source: SourceDescription, _ token: ChunkToken, _ next: ReadNext) {
    let wide = ByteRanges.normalize(gaps.map { token.grid.outward($0, in: source.byteCount) })
    let landed = token.flights.landingCount
    let generation = token.generation
    let missing = { @Sendable [store] () -> [ByteRange] in
      wide.flatMap { range -> [ByteRange] in
        switch store.lookUp(range, token: token.number, grid: token.grid) {
        case .hit: []
        case .partial(_, let gaps): gaps
        case .miss: [range]
        }
      }
    }
    let rest = missing()
    guard !rest.isEmpty else { return }
    let plan = token.flights.plan(
      rest, landed: landed, generation: generation, purpose: .prefetch, nil, widen: { $0 },
      lookAgain: { ((), missing()) }
    ).plan
    for start in plan?.starts ?? .init() {
      self.start(start, of: start.range.count, source, token, generation, next, nil)
    }
  }
}

extension ReadError {
  static func notCached(_ request: ReadRequest) -> ReadError {
    ReadError(
      .notCached, "the cache does not hold all of it: read it without `onlyIfCached`",
      context: .init(source: request.source.id, offset: request.range.lowerBound, count: request.range.count))
  }
}
