// How the flights of one plan begin: each by itself, or those together that a stage below reads together.

extension Caching {
  /// A flight that is to be read by a task.
  private struct PlannedFetch: Sendable {
    let start: FlightPlan.Start
    let request: ReadRequest
    let ticket: ChunkTicket
    /// `nil`: it is served, and not kept.
    let reservation: ChunkReservation?
    /// Whether it begins on the thread of who waits for it.
    let isQuick: Bool
  }

  /// Begins flights: makes room, reads, stores, completes.
  ///
  /// - Parameters:
  ///   - starts: of one plan.
  ///   - run: the bytes that the request is missing, of which these are parts: they are kept as one or not at all.
  ///   - wait: of who waits for them, if anybody does.
  ///   - isOneOfMany: whether the read that they are for is one of several that a cache above makes of one.
  ///   - isForCache: whether a cache above keeps what they bring, also if this one does not.
  /// - Returns: whether there was room for all.
  @discardableResult func start(
    _ starts: SmallArray<FlightPlan.Start>, of run: Int, _ source: SourceDescription, _ token: ChunkToken,
    _ generation: UInt64, _ next: ReadNext, _ wait: FetchWait?, isOneOfMany: Bool, isForCache: Bool = false
  ) -> Bool {
    var isKept = true
    var quickBytes = 0
    guard starts.count > 1 else {
      for start in starts {
        let departure = prepare(
          start, of: run, source, token, generation, next, isForCache: isForCache, &quickBytes, &isKept)
        if let departure { depart(departure, next, wait, isOneOfMany: isOneOfMany) }
      }
      return isKept
    }
    var departures: [PlannedFetch] = []
    for start in starts {
      let departure = prepare(
        start, of: run, source, token, generation, next, isForCache: isForCache, &quickBytes, &isKept)
      if let departure { departures.append(departure) }
    }
    let groups = Self.groups(of: departures, source, next)
    for group in groups {
      let isOneOfMany = isOneOfMany || groups.count > 1
      if group.count == 1 {
        depart(departures[group.lowerBound], next, wait, isOneOfMany: isOneOfMany)
      } else {
        depart(departures[group], next, wait, isOneOfMany: isOneOfMany)
      }
    }
    return isKept
  }

  /// Makes room for a flight, and completes it if what it brings is there without waiting, or if it is given up.
  ///
  /// - Parameters:
  ///   - quickBytes: of flights so far that a source may answer on the thread of who waits, however many they are.
  ///   - isKept: becomes `false` if there was no room.
  private func prepare(
    _ start: FlightPlan.Start, of run: Int, _ source: SourceDescription, _ token: ChunkToken, _ generation: UInt64,
    _ next: ReadNext, isForCache: Bool, _ quickBytes: inout Int, _ isKept: inout Bool
  ) -> PlannedFetch? {
    let room = store.reserve(start.range, ofRun: run, for: token)
    if room.reservation == nil { isKept = false }
    guard start.purpose == .demand || room.reservation != nil || isForCache else {
      // What nobody needs yet and what is not to be kept would be read in vain. Whoever has joined meanwhile begins a
      // flight of his own.
      token.flights.complete(start.flight, start.range, .failure(GivenUp(error: Self.noRoomAhead)))
      return nil
    }
    let ticket = ChunkTicket(token: token, generation: generation, fetchedAt: store.now)
    let (flight, range) = (start.flight, start.range)
    let request = ReadRequest(
      range, of: source, urgency: token.flights.urgency(of: start), grid: room.reservation == nil ? nil : token.grid)
    let isQuick = quickBytes < Self.mostQuickBytes
    // Of longer ones sources see to it themselves.
    if range.count <= Self.mostQuickBytes { quickBytes += range.count }
    // What is at hand needs no task. Others may have joined already, and are answered all the same.
    if isQuick, let reservation = room.reservation, token.grid.blocks(covering: range).count == 1,
      let response = next.ready(request)
    {
      _ = store.insert(response.bytes, at: range, ticket: ticket, reservation: reservation)
      token.flights.complete(flight, range, .success(response.bytes))
      return nil
    }
    return PlannedFetch(
      start: start, request: request, ticket: ticket, reservation: room.reservation, isQuick: isQuick)
  }

  private static let noRoomAhead = ReadError(
    .limitExceeded, "the cache has no room for what is read ahead: it is read when it is asked for")

  /// Which of the departures are to be read together, by their numbers.
  private static func groups(
    of departures: [PlannedFetch], _ source: SourceDescription, _ next: ReadNext
  ) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var first = 0
    while first < departures.count {
      // The longest flights are what a long range was cut to so that they go beside each other.
      let isLong = { departures[$0].start.range.count >= departures[$0].ticket.token.flights.longest }
      let end = isLong(first) ? first + 1 : (first..<departures.count).first(where: isLong) ?? departures.count
      let ranges = departures[first..<end].map(\.start.range)
      let gathered = ranges.count > 1 ? next.groups(ranges, of: source) : nil
      groups += gathered?.map { $0.lowerBound + first..<$0.upperBound + first } ?? (first..<end).map { $0..<$0 + 1 }
      first = end
    }
    return groups
  }

  /// Reads one flight.
  private func depart(_ departure: PlannedFetch, _ next: ReadNext, _ wait: FetchWait?, isOneOfMany: Bool) {
    var request = departure.request
    request.isOneOfMany = isOneOfMany
    let (start, flights) = (departure.start, departure.ticket.token.flights)
    let task = next.startFlight(elsewhere: !departure.isQuick) { [keeper, request, departure] in
      let result: Result<Bytes, any Error>
      do {
        result = .success(
          try await Self.acquire(request, departure.ticket, departure.reservation, keeper, next))
      } catch {
        result = .failure(next.isClosed ? GivenUp(error: error) : error)
      }
      flights.complete(start.flight, start.range, result)
    }
    if wait?.hasAllCompleted != true { flights.started(start.flight, task) }
  }

  /// Reads several flights of one plan as one request. They complete together, well or badly.
  private func depart(_ departures: ArraySlice<PlannedFetch>, _ next: ReadNext, _ wait: FetchWait?, isOneOfMany: Bool) {
    let departures = Array(departures)
    let flights = departures[0].ticket.token.flights
    let grid = departures.contains { $0.reservation != nil } ? departures[0].ticket.token.grid : nil
    var request = ReadRequest(
      departures[0].start.range, of: departures[0].request.source,
      urgency: flights.urgency(of: departures.map(\.start)),
      grid: grid)
    request.moreRanges = departures.dropFirst().map(\.start.range)
    request.isOneOfMany = isOneOfMany
    let task = next.start { [keeper, request] in
      do {
        let response = try await Self.acquire(request, departures, keeper, next)
        for (departure, bytes) in zip(departures, [response.bytes] + response.moreBytes) {
          flights.complete(departure.start.flight, departure.start.range, .success(bytes))
        }
      } catch {
        let error = next.isClosed ? GivenUp(error: error) : error
        for departure in departures { flights.complete(departure.start.flight, departure.start.range, .failure(error)) }
      }
    }
    if wait?.hasAllCompleted != true { flights.started(departures.map(\.start.flight), task) }
  }

  /// Reads what several flights are to bring, and stores those for which there is room.
  private static func acquire(
    _ request: ReadRequest, _ departures: [PlannedFetch], _ keeper: CacheKeeper, _ next: ReadNext
  ) async throws -> ReadResponse {
    let store = keeper.store
    let turns = departures.contains { $0.reservation == nil } ? turns(of: store, below: next) : nil
    let response: ReadResponse
    do {
      response = try await FlightUnderWay.read(request, of: departures[0].ticket.token, turns: turns, next)
    } catch {
      for departure in departures { if let reservation = departure.reservation { store.cancel(reservation) } }
      throw error
    }
    if request.grid != nil { keeper.keepOverRead(of: response, departures[0].ticket) }
    for (departure, bytes) in zip(departures, [response.bytes] + response.moreBytes) {
      guard let reservation = departure.reservation else { continue }
      _ = store.insert(bytes, at: departure.start.range, ticket: departure.ticket, reservation: reservation)
    }
    return response
  }
}
