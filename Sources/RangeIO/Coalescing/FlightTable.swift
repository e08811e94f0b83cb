import Synchronization

/// The fetches under way for one token, whichever readers began them: ``Flights`` under a lock, with the tasks that fly.
final class FlightTable: Sendable {
  /// The most bytes that one flight brings, of blocks that are not larger.
  static let longestFlight = 8 << 20

  private struct State {
    var flights: Flights<FetchWait>
    /// Of flights that did not complete before their start returned, and were not cancelled.
    var tasks: [FlightID: Flying] = [:]
    /// Of flights begun as prefetches that have not completed.
    var urgencies: [FlightID: ReadUrgency] = [:]
  }

  /// The task that flies a flight.
  private struct Flying {
    let task: Task<Void, Never>
    /// `nil` if it flies this one only.
    let together: Together?

    /// The flight is cancelled, or has completed.
    ///
    /// - Returns: the task, if nothing that it flies is wanted any more.
    func leave() -> Task<Void, Never>? {
      guard let together else { return task }
      together.wantedCount -= 1
      return together.wantedCount == 0 ? task : nil
    }
  }

  /// What flights of one task share. Changed under the lock only.
  private final class Together: @unchecked Sendable {
    // Unchecked for the count, which the lock guards.
    /// Those that have neither completed nor been cancelled.
    var wantedCount: Int

    init(wantedCount: Int) { self.wantedCount = wantedCount }
  }

  /// The most bytes that one of these flights brings: a whole block, however large.
  let longest: Int
  private let state: Locked<State>
  private let completions = Atomic<Int>(0)

  init(_ grid: BlockGrid) {
    longest = max(Self.longestFlight, grid.blockSize)
    state = Locked(State(flights: Flights(longest: longest)))
  }

  /// How many flights have completed. Read before a look-up: if it is another when gaps are planned, what was missing then
  /// may have come.
  var completionCount: Int { completions.load(ordering: .sequentiallyConsistent) }

  /// The flights under way.
  var count: Int { state.withLock { $0.flights.count } }

  /// What ``plan(_:completed:generation:purpose:_:widen:lookAgain:)`` came to.
  struct Planned<Found: Sendable>: Sendable {
    /// For what the source must bring; `nil` if that is nothing.
    var plan: FlightPlan?
    /// For what the store holds; `nil` if that is nothing. An object, since it is seldom there and often copied.
    var below: HeldPlan?
    /// What was found, if it was looked up again.
    var found: Found?
  }

  /// Plans how to get what is wanted, or what is left of it if flights have completed since it was found.
  ///
  /// What the store holds and what the source must bring are planned together, and fly apart: a read that wants only what
  /// is held does not wait for the source.
  ///
  /// - Parameters:
  ///   - completed: ``completionCount`` before `wants` were looked up.
  ///   - widen: for what the source must bring.
  ///   - lookAgain: what is there, and what is left to want, if flights have completed. Called under the lock, so that none
  ///     completes meanwhile.
  func plan<Found: Sendable>(
    _ wants: FlightWants, completed: Int, generation: UInt64, purpose: ReadPurpose, _ wait: FetchWait?,
    widen: @Sendable (ByteRange) -> ByteRange, lookAgain: @Sendable () -> (Found, FlightWants)
  ) -> Planned<Found> {
    let (planned, raised, urgencies) = state.withLock { state -> (Planned<Found>, [Task<Void, Never>], [ReadUrgency]) in
      var wants = wants
      var planned = Planned<Found>()
      if completionCount != completed {
        let again = lookAgain()
        (planned.found, wants) = (again.0, again.1)
      }
      if !wants.gaps.isEmpty {
        planned.plan = state.flights.request(
          wants.gaps, generation: generation, purpose: purpose, waiter: wait, widen: widen)
      }
      if !wants.deferred.isEmpty {
        let plan = state.flights.request(
          wants.deferred.map(\.wanted), generation: generation, purpose: purpose, waiter: wait, after: planned.plan,
          isApart: true
        ) { gap in
          // Every stretch that is missing is a part of one that is wanted.
          wants.deferred[wants.deferred.partitionPoint { $0.wanted.upperBound > gap.lowerBound }].whole
        }
        planned.below = HeldPlan(plan)
      }
      wait?.expect(planned.plan, planned.below?.plan)
      guard planned.plan?.raised.isEmpty == false || planned.below?.plan.raised.isEmpty == false else {
        return (planned, [], [])
      }
      let joined = [planned.plan, planned.below?.plan].flatMap { $0.map { Array($0.raised) } ?? [] }
      let urgencies = joined.compactMap { state.urgencies.removeValue(forKey: $0) }
      return (planned, joined.compactMap { state.tasks[$0]?.task }, urgencies)
    }
    for urgency in urgencies { urgency.raise() }
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      for task in raised { task.escalatePriority(to: Task.currentPriority) }
    }
    return planned
  }

  /// Notes the task of a flight, so that it can be cancelled, unless it has completed.
  func started(_ id: FlightID, _ task: Task<Void, Never>) {
    state.withLock { if $0.flights.isUnderWay(id) { $0.tasks[id] = Flying(task: task, together: nil) } }
  }

  /// Notes the task of several flights: it is cancelled when all of them are that have not completed.
  func started(_ ids: [FlightID], _ task: Task<Void, Never>) {
    state.withLock { state in
      let flying = ids.filter { state.flights.isUnderWay($0) }
      let together = Together(wantedCount: flying.count)
      for id in flying { state.tasks[id] = Flying(task: task, together: together) }
    }
  }

  /// The urgency of a flight that was just planned as a prefetch: raised when a demand joins it.
  func urgency(of start: FlightPlan.Start) -> ReadUrgency? {
    guard start.purpose == .prefetch else { return nil }
    return state.withLock { state in
      if let known = state.urgencies[start.flight] { return known }
      let urgency = ReadUrgency(isOfFlight: true)
      // One that was raised since it was planned is found among the flights as a demand.
      guard state.flights.isUnderWay(start.flight), state.flights.isPrefetch(start.flight) else { return nil }
      state.urgencies[start.flight] = urgency
      return urgency
    }
  }

  /// The parts of `range` that no flight brings which could be joined.
  func uncovered(_ range: ByteRange) -> [ByteRange] { state.withLock { $0.flights.uncovered(range) } }

  /// The parts of `range` that flights bring which could be joined, in order, and whether a read waits for each.
  func covered(_ range: ByteRange) -> [(range: ByteRange, purpose: ReadPurpose)] {
    state.withLock { $0.flights.covered(range) }
  }

  /// The urgency of flights of one plan that fly together: raised when a demand joins one of them.
  func urgency(of starts: some Collection<FlightPlan.Start>) -> ReadUrgency? {
    guard starts.first?.purpose == .prefetch else { return nil }
    return state.withLock { state in
      for start in starts where !state.flights.isPrefetch(start.flight) { return nil }
      let urgency = ReadUrgency(isOfFlight: true)
      for start in starts { state.urgencies[start.flight] = urgency }
      return urgency
    }
  }

  /// Who waits has become more urgent.
  func escalate(_ plan: FlightPlan, to priority: TaskPriority) {
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return }
    let tasks = state.withLock { state in plan.parts.compactMap { state.tasks[$0.flight]?.task } }
    for task in tasks { task.escalatePriority(to: priority) }
  }

  /// A flight has ended; what it brought is in the store. Wakes those who wait for it.
  func complete(_ id: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    let waiters = state.withLock { state in
      completions.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if !state.tasks.isEmpty { _ = state.tasks.removeValue(forKey: id)?.leave() }
      if !state.urgencies.isEmpty { state.urgencies[id] = nil }
      return state.flights.completed(id)
    }
    for waiter in waiters { waiter.completed(id, range, result) }
  }

  /// One who waits gives up. Cancels the flights that no request is interested in any more.
  func leave(_ plan: FlightPlan) {
    let cancelled = state.withLock { state in
      state.flights.leave(plan.parts.map(\.flight), plan.waiter).compactMap { id in
        state.tasks.removeValue(forKey: id)?.leave()
      }
    }
    for task in cancelled { task.cancel() }
  }
}

/// The plan for what the store holds.
final class HeldPlan: Sendable {
  let plan: FlightPlan

  init(_ plan: FlightPlan) { self.plan = plan }
}
