import Synchronization

/// The fetches under way for one token, whichever readers began them: ``Flights`` under a lock, with the tasks that fly.
final class FlightTable: Sendable {
  private struct State {
    var flights = Flights<GapWait>(longest: 8 << 20)
    /// Flights that did not land before their start returned.
    var tasks: [FlightID: Task<Void, Never>] = [:]
    /// Of flights begun as prefetches that have not landed.
    var urgencies: [FlightID: ReadUrgency] = [:]
  }
  private let state = Locked(State())
  private let landings = Atomic<Int>(0)

  /// How many flights have landed. Read before a look-up: if it is another when gaps are planned, what was missing then
  /// may have come.
  var landingCount: Int { landings.load(ordering: .sequentiallyConsistent) }

  /// The flights under way.
  var count: Int { state.withLock { $0.flights.count } }

  /// What ``plan(_:landed:generation:purpose:_:widen:lookAgain:)`` came to.
  struct Planned<Found: Sendable>: Sendable {
    /// For what the source must bring; `nil` if that is nothing.
    var plan: FlightPlan?
    /// For what the store holds; `nil` if that is nothing. An object, since it is seldom there and often copied.
    var below: HeldPlan?
    /// What was found, if it was looked up again.
    var found: Found?
  }

  /// Plans how to get what is wanted, or what is left of it if flights have landed since it was found.
  ///
  /// What the store holds and what the source must bring are planned together, and fly apart: whoever wants only what
  /// is held does not wait for the source.
  ///
  /// - Parameters:
  ///   - landed: ``landingCount`` before `wants` were looked up.
  ///   - widen: for what the source must bring.
  ///   - lookAgain: what is there, and what is left to want, if flights have landed. Called under the lock, so that none
  ///     lands meanwhile.
  func plan<Found: Sendable>(
    _ wants: FlightWants, landed: Int, generation: UInt64, purpose: ReadRequest.Purpose, _ wait: GapWait?,
    widen: @Sendable (ByteRange) -> ByteRange, lookAgain: @Sendable () -> (Found, FlightWants)
  ) -> Planned<Found> {
    let (planned, raised, urgencies) = state.withLock { state -> (Planned<Found>, [Task<Void, Never>], [ReadUrgency]) in
      var wants = wants
      var planned = Planned<Found>()
      if landingCount != landed {
        let again = lookAgain()
        (planned.found, wants) = (again.0, again.1)
      }
      if !wants.gaps.isEmpty {
        planned.plan = state.flights.request(
          wants.gaps, generation: generation, purpose: purpose, waiter: wait, widen: widen)
      }
      if !wants.held.isEmpty {
        let plan = state.flights.request(
          wants.held.map(\.wanted), generation: generation, purpose: purpose, waiter: wait, after: planned.plan,
          isApart: true
        ) { gap in
          // Every stretch that is missing is a part of one that is wanted.
          wants.held[wants.held.partitionPoint { $0.wanted.upperBound > gap.lowerBound }].whole
        }
        planned.below = HeldPlan(plan)
      }
      wait?.expect(planned.plan, planned.below?.plan)
      guard planned.plan?.raised.isEmpty == false || planned.below?.plan.raised.isEmpty == false else {
        return (planned, [], [])
      }
      let joined = [planned.plan, planned.below?.plan].flatMap { $0.map { Array($0.raised) } ?? [] }
      let urgencies = joined.compactMap { state.urgencies.removeValue(forKey: $0) }
      return (planned, joined.compactMap { state.tasks[$0] }, urgencies)
    }
    for urgency in urgencies { urgency.raise() }
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      for task in raised { task.escalatePriority(to: Task.currentPriority) }
    }
    return planned
  }

  /// Notes the task of a flight, so that it can be cancelled, unless it has landed.
  func started(_ id: FlightID, _ task: Task<Void, Never>) {
    state.withLock { if $0.flights.isUnderWay(id) { $0.tasks[id] = task } }
  }

  /// The urgency of a flight that was just planned as a prefetch: raised when a demand joins it.
  func urgency(of start: FlightPlan.Start) -> ReadUrgency? {
    guard start.purpose == .prefetch else { return nil }
    return state.withLock { state in
      if let known = state.urgencies[start.flight] { return known }
      let urgency = ReadUrgency()
      // One that was raised since it was planned is found among the flights as a demand.
      guard state.flights.isUnderWay(start.flight), state.flights.isPrefetch(start.flight) else { return nil }
      state.urgencies[start.flight] = urgency
      return urgency
    }
  }

  /// The parts of `range` that no flight brings which could be joined.
  func uncovered(_ range: ByteRange) -> [ByteRange] { state.withLock { $0.flights.uncovered(range) } }

  /// Who waits has become more urgent.
  func escalate(_ plan: FlightPlan, to priority: TaskPriority) {
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return }
    let tasks = state.withLock { state in plan.parts.compactMap { state.tasks[$0.flight] } }
    for task in tasks { task.escalatePriority(to: priority) }
  }

  /// A flight has ended; what it brought is in the store. Wakes those who wait for it.
  func land(_ id: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    let waiters = state.withLock { state in
      landings.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if !state.tasks.isEmpty { state.tasks[id] = nil }
      if !state.urgencies.isEmpty { state.urgencies[id] = nil }
      return state.flights.landed(id)
    }
    for waiter in waiters { waiter.landed(id, range, result) }
  }

  /// One who waits gives up. Cancels the flights that nobody is interested in any more.
  func leave(_ plan: FlightPlan) {
    let cancelled = state.withLock { state in
      state.flights.leave(plan.parts.map(\.flight), plan.waiter).compactMap { state.tasks[$0] }
    }
    for task in cancelled { task.cancel() }
  }
}

/// The plan for what the store holds.
final class HeldPlan: Sendable {
  let plan: FlightPlan

  init(_ plan: FlightPlan) { self.plan = plan }
}
