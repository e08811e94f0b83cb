import Synchronization

// How the flights of one plan start: one by one, or together if a stage below reads them together; all at once, or as
// others end (`FetchQueue`, and `FetchLines` for plans of one flight).

extension CachingStage {
  /// The common properties of the flights of one plan.
  struct Fetch: Sendable {
    let source: SourceDescription
    let token: ChunkToken
    /// The token's, before the look-up.
    let generation: UInt64
    let next: ReadNext
    /// The wait for these flights, if a read waits for them.
    var wait: FetchWait?
    /// The read is one of several into which a cache above has split a read.
    var isOneOfMany = false
    /// A cache above keeps these bytes, even if this one does not.
    var isForCache = false
    /// See ``ReadRequest/hold``.
    var hold: ReadAheadHold?
  }

  /// The outcome of the flights of one plan so far.
  private struct Tally {
    /// The bytes that are read on the waiter's thread if the source has them at hand, over all flights.
    private var quickBytes = 0
    /// There was room for all.
    var isKept = true

    /// Counts so many more bytes, and returns `true`, if they can be read there too.
    mutating func isQuick(_ count: Int) -> Bool {
      guard count <= maxQuickBytes - quickBytes else { return false }
      quickBytes += count
      return true
    }
  }

  /// Starts flights: makes room, reads, stores, completes.
  ///
  /// - Parameters:
  ///   - starts: flights of one plan.
  ///   - run: the number of bytes that the request is missing in total. They are kept all together or not at all.
  /// - Returns: whether there was room for all.
  @discardableResult func start(_ starts: SmallArray<FlightPlan.Start>, of run: Int, _ fetch: Fetch) -> Bool {
    var tally = Tally()
    guard starts.count > 1 else {
      for start in starts {
        let departure = prepare(start, of: run, fetch, &tally)
        if let departure { departAlone(departure, fetch) }
      }
      return tally.isKept
    }
    var departures: [PlannedFetch] = []
    for start in starts {
      if let departure = prepare(start, of: run, fetch, &tally) { departures.append(departure) }
    }
    let gathering = fetch.next.gathering(of: fetch.source)
    let groups = PlannedFetch.groups(of: departures[...], fetch.next)
    // A prefetch that waits here would not be raised by a demand that joins it. Permits below can do that.
    if let gathering, groups.count > gathering.groupsAtOnce, departures[0].start.purpose == .demand {
      FetchQueue(departures, groups, gathering, fetch.next, keeper).start()
    } else {
      for group in groups { depart(departures[group], fetch, isOneOfMany: fetch.isOneOfMany || groups.count > 1) }
    }
    return tally.isKept
  }

  /// Starts the only flight of a plan: now, or when fetches of other reads have ended, if the source knows what that saves.
  ///
  /// A read within another never waits: those before it may wait for what the outer one holds, such as a permit of `.limiting`.
  private func departAlone(_ one: PlannedFetch, _ fetch: Fetch) {
    guard one.start.purpose == .demand, !fetch.isOneOfMany, fetch.source.measuredCost != nil,
      !EnclosingRead.isUnderWay, let gathering = fetch.next.gathering(of: fetch.source)
    else { return depart([one], fetch, isOneOfMany: fetch.isOneOfMany) }
    let task = lines.start(one, gathering, keeper, fetch.next)
    guard let task, fetch.wait?.hasAllCompleted != true else { return }
    fetch.token.flights.started(one.start.flight, task)
  }

  /// Starts flights that are read as one request.
  private func depart(_ fetches: ArraySlice<PlannedFetch>, _ fetch: Fetch, isOneOfMany: Bool) {
    let task = PlannedFetch.start(fetches, isOneOfMany: isOneOfMany, keeper, fetch.next)
    guard fetch.wait?.hasAllCompleted != true else { return }
    if fetches.count == 1 {
      fetch.token.flights.started(fetches[fetches.startIndex].start.flight, task)
    } else {
      fetch.token.flights.started(fetches.map(\.start.flight), task)
    }
  }

  /// Makes room for a flight. Completes it at once if its bytes are available without waiting, or if it is given up.
  private func prepare(
    _ start: FlightPlan.Start, of run: Int, _ fetch: Fetch, _ tally: inout Tally
  ) -> PlannedFetch? {
    let token = fetch.token
    var reservation = store.reserve(start.range, ofRun: run, for: token)
    reservation?.hold = fetch.hold
    if reservation == nil { tally.isKept = false }
    guard start.purpose == .demand || reservation != nil || fetch.isForCache else {
      // No read needs these bytes yet and they cannot be kept, so reading them would be useless. A read that has joined
      // in between starts its own flight.
      token.flights.complete(start.flight, start.range, .failure(GivenUp(error: Self.noRoomAhead)))
      return nil
    }
    let ticket = ChunkTicket(token: token, generation: fetch.generation, fetchedAt: keeper.time.now)
    let (flight, range) = (start.flight, start.range)
    let request = ReadRequest(
      range, of: fetch.source, urgency: token.flights.urgency(of: start),
      grid: reservation == nil ? nil : token.grid)
    let isQuick = tally.isQuick(range.count)
    // Bytes that are here need no task. Other reads may have joined already, and get their answer too.
    if isQuick, let reservation, token.grid.blocks(covering: range).count == 1,
      case .here(let response) = fetch.next.answer(request), response.bytes.count == range.count,
      response.moreBytes.isEmpty
    {
      hasBytesAtHand.store(true, ordering: .relaxed)
      store.insert(response.bytes, at: range, ticket: ticket, reservation: reservation)
      token.flights.complete(flight, range, .success(response.bytes))
      return nil
    }
    return PlannedFetch(
      start: start, request: request, ticket: ticket, reservation: reservation, isQuick: isQuick)
  }

  private static let noRoomAhead = ReadError(
    .limitExceeded, "the cache has no room for what is read ahead: it is read when it is asked for")

  /// Reads the bytes of a flight, and stores them if there is room.
  static func acquire(
    _ start: FlightPlan.Start, _ fetch: Fetch, _ keeper: CacheKeeper
  ) async -> Result<Bytes, any Error> {
    let token = fetch.token
    let reservation = keeper.store.reserve(start.range, ofRun: start.range.count, for: token)
    let ticket = ChunkTicket(token: token, generation: fetch.generation, fetchedAt: keeper.time.now)
    let request = ReadRequest(
      start.range, of: fetch.source, urgency: token.flights.urgency(of: start),
      grid: reservation == nil ? nil : token.grid)
    return await acquire(request, ticket, reservation, keeper, fetch.next)
  }

  /// Reads, and stores if room was reserved.
  static func acquire(
    _ request: ReadRequest, _ ticket: ChunkTicket, _ reservation: ChunkReservation?, _ keeper: CacheKeeper,
    _ next: ReadNext
  ) async -> Result<Bytes, any Error> {
    let store = keeper.store
    do {
      let response = try await readFlight(request, of: ticket.token, isKept: reservation != nil, store, next)
      if let reservation {
        keeper.keepOverRead(of: response, ticket)
        store.insert(response.bytes, at: request.range, ticket: ticket, reservation: reservation)
      }
      return .success(response.bytes)
    } catch {
      if let reservation { store.cancel(reservation) }
      return .failure(next.isClosed ? GivenUp(error: error) : error)
    }
  }

  /// Reads for flights of `token`.
  ///
  /// - Parameter isKept: `false` if no room is reserved for some of the bytes. Then it waits for a permit, but only until
  ///   the reader that wants it is closed.
  static func readFlight(
    _ request: ReadRequest, of token: ChunkToken, isKept: Bool, _ store: any FullChunkStore, _ next: ReadNext
  ) async throws -> ReadResponse {
    // A cache below takes permits itself: a flight that held one here while it waits for one there would block others.
    let permit = isKept || next.isKept ? nil : store.sources.unreserved
    try await permit?.enter(urgency: nil) { try await next.wait(for: $0) }
    let response = try await EnclosingRead.read(of: token, through: next.bottom, holding: permit) {
      try await next(request)
    }
    try response.check(request)
    return response
  }
}

/// Puts over-read bytes into the store and counts them. Separate from `.caching`, because flights keep it and may
/// outlive the stage.
final class CacheKeeper: Sendable {
  let store: any FullChunkStore
  /// The store's, for the age of chunks.
  let time: ReadClock
  /// Longer ranges are not kept.
  private let maxReadSize: Int
  private let keptBytes = Atomic<Int>(0)
  private let againBytes = Atomic<Int>(0)

  init(_ store: any FullChunkStore, maxReadSize: Int) {
    self.store = store
    time = store.traits.time
    self.maxReadSize = maxReadSize
  }

  func statistics() -> Counters {
    Counters(
      "Caching",
      counts: [
        .init("over-read bytes kept", keptBytes.load(ordering: .relaxed)),
        .init("bytes read again", againBytes.load(ordering: .relaxed)),
      ])
  }

  /// Keeps the over-read of a checked response, where the store lacks it and has room.
  ///
  /// - Parameter ticket: the ticket of the requested bytes: the over-read has the same version and the same age.
  func keepOverRead(of response: ReadResponse, _ ticket: ChunkTicket) {
    let overRead = response.overRead
    guard !overRead.isEmpty else { return }
    let run = overRead.reduce(0) { $0 + $1.range.count }
    for part in overRead where part.range.count <= maxReadSize && part.range.lowerBound >= 0 {
      var fresh = part.range.lowerBound
      for piece in ticket.token.grid.pieces(of: part.range) where isHere(piece.range, ticket.token) {
        keep(fresh..<piece.range.lowerBound, of: part, run, ticket)
        againBytes.wrappingAdd(piece.range.count, ordering: .relaxed)
        fresh = piece.range.upperBound
      }
      keep(fresh..<part.range.upperBound, of: part, run, ticket)
    }
  }

  private func isHere(_ range: ByteRange, _ token: ChunkToken) -> Bool {
    store.holds(range, token: token.number, grid: token.grid)
  }

  private func keep(_ range: ByteRange, of part: RangedBytes, _ run: Int, _ ticket: ChunkTicket) {
    guard !range.isEmpty, let reservation = store.reserve(range, ofRun: run, for: ticket.token) else { return }
    let isKept = store.insert(part.bytes(of: range), at: range, ticket: ticket, reservation: reservation)
    if isKept { keptBytes.wrappingAdd(range.count, ordering: .relaxed) }
  }
}
