/// A flight that a task will read, with room made for its bytes.
struct PlannedFetch: Sendable {
  let start: FlightPlan.Start
  let request: ReadRequest
  let ticket: ChunkTicket
  /// `nil`: the bytes are returned but not kept.
  let reservation: ChunkReservation?
  /// It starts on the waiter's thread, and so may be read there.
  let isQuick: Bool

  var token: ChunkToken { ticket.token }
}

extension PlannedFetch {
  /// Which fetches should be read together, as ranges of indices.
  ///
  /// - Parameter fetches: in ascending order.
  static func groups(of fetches: ArraySlice<PlannedFetch>, _ next: ReadNext) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var first = fetches.startIndex
    while first < fetches.endIndex {
      // The longest flights are parts of a long range, which was split so that they run in parallel.
      let isLong = { fetches[$0].start.range.count >= fetches[$0].token.flights.longest }
      let end = isLong(first) ? first + 1 : (first..<fetches.endIndex).first(where: isLong) ?? fetches.endIndex
      let ranges = fetches[first..<end].map(\.start.range)
      let gathered = ranges.count > 1 ? next.groups(ranges, of: fetches[first].request.source) : nil
      groups += gathered?.map { $0.lowerBound + first..<$0.upperBound + first } ?? (first..<end).map { $0..<$0 + 1 }
      first = end
    }
    return groups
  }

  /// Starts the task that reads these flights as one request, and completes them. The stage may be gone by then.
  ///
  /// - Parameters:
  ///   - fetches: at least one, of one plan.
  ///   - isOneOfMany: whether the request is one of several of one plan.
  ///   - elsewhere: whether no read runs on this thread.
  ///   - ended: called at the end of the task.
  static func start(
    _ fetches: ArraySlice<PlannedFetch>, isOneOfMany: Bool, elsewhere: Bool = false, _ keeper: CacheKeeper,
    _ next: ReadNext, ended: @escaping @Sendable () -> Void = {}
  ) -> Task<Void, Never> {
    guard fetches.count == 1, let fetch = fetches.first else {
      return startTogether(Array(fetches), isOneOfMany: isOneOfMany, elsewhere: elsewhere, keeper, next, ended: ended)
    }
    var request = fetch.request
    request.isOneOfMany = isOneOfMany
    return next.startFlight(elsewhere: elsewhere || !fetch.isQuick) { [request] in
      await fetch.read(request, keeper, next)
      ended()
    }
  }

  private static func startTogether(
    _ fetches: [PlannedFetch], isOneOfMany: Bool, elsewhere: Bool, _ keeper: CacheKeeper, _ next: ReadNext,
    ended: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    let request = request(for: fetches, isOneOfMany: isOneOfMany)
    return next.startFlight(elsewhere: elsewhere || !fetches.allSatisfy(\.isQuick)) {
      await read(fetches, request, ofSeveralReads: false, keeper, next)
      ended()
    }
  }

  /// Reads these flights of several reads as one request, within this task, and completes them.
  ///
  /// - Parameter fetches: at least one, of one version.
  static func read(_ fetches: [PlannedFetch], _ keeper: CacheKeeper, _ next: ReadNext) async {
    guard fetches.count > 1 else { return await fetches[0].read(fetches[0].request, keeper, next) }
    await read(fetches, request(for: fetches, isOneOfMany: true), ofSeveralReads: true, keeper, next)
  }

  private func read(_ request: ReadRequest, _ keeper: CacheKeeper, _ next: ReadNext) async {
    let result = await CachingStage.acquire(request, ticket, reservation, keeper, next)
    token.flights.complete(start.flight, start.range, result)
  }

  private static func request(for fetches: [PlannedFetch], isOneOfMany: Bool) -> ReadRequest {
    let token = fetches[0].token
    let grid = fetches.contains { $0.reservation != nil } ? token.grid : nil
    var request = ReadRequest(
      fetches[0].start.range, of: fetches[0].request.source, urgency: token.flights.urgency(of: fetches.map(\.start)),
      grid: grid)
    request.moreRanges = fetches.dropFirst().map(\.start.range)
    request.isOneOfMany = isOneOfMany
    return request
  }

  /// Reads several flights as one request. They succeed or fail together.
  private static func read(
    _ fetches: [PlannedFetch], _ request: ReadRequest, ofSeveralReads: Bool, _ keeper: CacheKeeper, _ next: ReadNext
  ) async {
    let (token, store) = (fetches[0].token, keeper.store)
    do {
      let isKept = fetches.allSatisfy { $0.reservation != nil }
      let response = try await CachingStage.readFlight(request, of: token, isKept: isKept, store, next)
      if request.grid != nil { keeper.keepOverRead(of: response, fetches[0].ticket) }
      for (fetch, bytes) in zip(fetches, response.pieces) {
        guard let reservation = fetch.reservation else { continue }
        store.insert(bytes, at: fetch.start.range, ticket: fetch.ticket, reservation: reservation)
      }
      for (fetch, bytes) in zip(fetches, response.pieces) {
        token.flights.complete(fetch.start.flight, fetch.start.range, .success(bytes))
      }
    } catch {
      let failure: any Error = ofSeveralReads ? CachingStage.FailedTogether(error: error) : error
      giveUp(fetches[...], next.isClosed ? CachingStage.GivenUp(error: error) : failure, keeper)
    }
  }

  /// Completes flights that were not read.
  static func giveUp(_ fetches: ArraySlice<PlannedFetch>, _ error: any Error, _ keeper: CacheKeeper) {
    for fetch in fetches { if let reservation = fetch.reservation { keeper.store.cancel(reservation) } }
    for fetch in fetches { fetch.token.flights.complete(fetch.start.flight, fetch.start.range, .failure(error)) }
  }
}
