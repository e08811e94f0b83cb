import Synchronization

/// The fetches in flight for one token, whichever readers started them: ``Flights`` under a lock, with the tasks that
/// run them. A part of the token, since each version in a store has one.
struct FlightTable: ~Copyable, Sendable {
  /// The most bytes that one flight brings, if blocks are not larger.
  static let maxFlightBytes = 8 << 20

  /// State that exists only while a version is read. Not private: the compiler (6.3) cannot link private types within a
  /// part of another type that is not copied.
  final class State {
    var flights: Flights<FetchWait>
    /// The state goes with the last flight.
    var isLeaving = false
    /// The tasks of flights that did not complete before their start returned, and were not cancelled.
    var tasks: [FlightID: Flying] = [:]
    /// The urgencies of flights that started as prefetches and have not completed.
    var urgencies: [FlightID: ReadUrgency] = [:]

    init(_ flights: Flights<FetchWait>) { self.flights = flights }
  }

  struct Flying {
    let task: Task<Void, Never>
    /// `nil` if the task runs only this flight.
    let together: Together?

    /// The flight is cancelled, or has completed. Returns the task, if none of its flights is wanted any more.
    func leave() -> Task<Void, Never>? {
      guard let together else { return task }
      together.wantedCount -= 1
      return together.wantedCount == 0 ? task : nil
    }
  }

  /// State that the flights of one task share. Changed only under the lock.
  final class Together: @unchecked Sendable {
    // Unchecked for the count, which the lock guards.
    /// The flights that have neither completed nor been cancelled.
    var wantedCount: Int

    init(wantedCount: Int) { self.wantedCount = wantedCount }
  }

  private let current = Locked<State?>(nil)
  private let completions = Atomic<Int>(0)
  /// The number of flights under way, as of the last plan or completion.
  private let underWay = Atomic<Int32>(0)
  private let shift: UInt8

  init(_ grid: BlockGrid) { shift = UInt8(grid.shift) }

  var grid: BlockGrid { BlockGrid(shift: Int(shift)) }

  /// The most bytes that one of these flights brings: a whole block, however large.
  var longest: Int { max(Self.maxFlightBytes, grid.blockSize) }

  /// Runs `body` under the lock.
  @inline(__always) private func withState<Result>(_ body: (State) -> sending Result) -> sending Result {
    current.withLock { current in
      if let current { return body(current) }
      // All flights so far have completed: the numbers go on, so that no later flight has the number of an old one.
      let state = State(Flights(longest: longest, after: UInt64(completionCount)))
      current = state
      return body(state)
    }
  }

  /// No reader reads the version any more. Without flights it takes little memory: there is a table for each version in a
  /// store.
  func rest() {
    current.withLock { current in
      guard let state = current else { return }
      if state.flights.isEmpty { current = nil } else { state.isLeaving = true }
    }
  }

  /// The number of flights that have completed. Read it before a look-up. If it differs when you plan the gaps, missing
  /// bytes may have arrived in between.
  var completionCount: Int { completions.load(ordering: .sequentiallyConsistent) }

  /// `true` if no flight was under way a moment ago.
  var isIdle: Bool { underWay.load(ordering: .relaxed) == 0 }

  /// Checks whether a joinable flight brings some of `range`.
  func brings(_ range: ByteRange) -> Bool { withState { $0.flights.brings(range) } }

  var count: Int { withState { $0.flights.count } }

  /// The result of ``plan(_:since:purpose:_:widen:lookAgain:)``.
  struct Planned<Found: Sendable>: Sendable {
    /// The plan for what the source must bring; `nil` if that is nothing.
    var plan: FlightPlan?
    /// The plan for what the store holds; `nil` if that is nothing. An object, since it is seldom there and often
    /// copied.
    var below: HeldPlan?
    /// The result of the second look-up, if there was one.
    var found: Found?
  }

  /// Plans how to get what is wanted, or the rest of it if flights have completed since the look-up.
  ///
  /// One plan has the parts that the store holds and the parts that the source must bring, as separate flights: a read
  /// of stored parts does not wait for the source.
  ///
  /// - Parameters:
  ///   - mark: from before `wants` were looked up.
  ///   - widen: applies to what the source must bring.
  ///   - lookAgain: looks up again what is there and what is still wanted, if flights have completed. Called under the
  ///     lock, so that none completes at the same time, only if others completed during two calls before it.
  func plan<Found: Sendable>(
    _ wants: FlightWants, since mark: FlightMark, purpose: ReadUrgency.Purpose, _ wait: FetchWait?,
    widen: @Sendable (ByteRange) -> ByteRange, lookAgain: @Sendable () -> (Found, FlightWants)
  ) -> Planned<Found> {
    // A store of the user's may take its time, and locks of its own.
    var (seenCount, again) = (mark.completionCount, (Found, FlightWants)?.none)
    for _ in 0..<2 where completionCount != seenCount {
      seenCount = completionCount
      again = lookAgain()
    }
    let (planned, raised, urgencies) = withState {
      [seenCount, again] state -> (Planned<Found>, [Task<Void, Never>], [ReadUrgency]) in
      let again = completionCount == seenCount ? again : lookAgain()
      let wants = again?.1 ?? wants
      var planned = Planned<Found>(found: again?.0)
      if !wants.gaps.isEmpty {
        planned.plan = state.flights.request(
          wants.gaps, generation: mark.generation, purpose: purpose, waiter: wait, widen: widen)
      }
      if !wants.deferred.isEmpty {
        let plan = state.flights.requestApart(
          wants.deferred.map(\.wanted), generation: mark.generation, purpose: purpose, waiter: wait, after: planned.plan
        ) { gap in
          // Every missing stretch is part of a wanted one.
          wants.deferred[wants.deferred.partitionPoint { $0.wanted.upperBound > gap.lowerBound }].whole
        }
        planned.below = HeldPlan(plan)
      }
      underWay.store(Int32(state.flights.count), ordering: .relaxed)
      wait?.expect(planned.plan, planned.below?.plan)
      guard purpose == .demand, planned.plan?.joinedCount ?? 0 > 0 || planned.below?.plan.joinedCount ?? 0 > 0 else {
        return (planned, [], [])
      }
      let plans = [planned.plan, planned.below?.plan].compactMap { $0 }
      let urgencies = plans.flatMap { $0.raised.compactMap { state.urgencies.removeValue(forKey: $0) } }
      // The flights that this request starts have no tasks yet.
      return (planned, plans.flatMap { $0.parts.compactMap { state.tasks[$0.flight]?.task } }, urgencies)
    }
    for urgency in urgencies { urgency.raise() }
    // Flights that it joins may have begun in tasks of lower priority. Raising a task to what it has does nothing.
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      for task in raised { task.escalatePriority(to: Task.currentPriority) }
    }
    return planned
  }

  /// Notes the task of a flight, so that it can be cancelled, unless the flight has completed.
  func started(_ id: FlightID, _ task: Task<Void, Never>) {
    withState { if $0.flights.isUnderWay(id) { $0.tasks[id] = Flying(task: task, together: nil) } }
  }

  /// Notes the task of several flights. It is cancelled when all of them that have not completed are cancelled.
  func started(_ ids: [FlightID], _ task: Task<Void, Never>) {
    withState { state in
      let flying = ids.filter { state.flights.isUnderWay($0) }
      let together = Together(wantedCount: flying.count)
      for id in flying { state.tasks[id] = Flying(task: task, together: together) }
    }
  }

  /// Checks whether a request wants one of these flights.
  func areWanted(_ ids: [FlightID]) -> Bool {
    withState { state in ids.contains { state.flights.isWanted($0) } }
  }

  /// Notes the task of flights that were planned a while ago, of which some may have been cancelled since. It is
  /// cancelled when none is wanted, which may be now.
  func startedLate(_ ids: [FlightID], _ task: Task<Void, Never>) {
    let isWanted = withState { state in
      let wanted = ids.filter { state.flights.isWanted($0) }
      let together = Together(wantedCount: wanted.count)
      for id in wanted { state.tasks[id] = Flying(task: task, together: together) }
      return !wanted.isEmpty
    }
    if !isWanted { task.cancel() }
  }

  /// Flights that have waited with a task each are read by the task of the first that is wanted, which is cancelled when none is.
  ///
  /// - Returns: the indices of the flights that reads wait for. The tasks of the others are cancelled.
  func startedTogether(_ waited: [(id: FlightID, task: Task<Void, Never>)]) -> [Int] {
    withState { state in
      let wanted = waited.indices.filter { state.flights.isWanted(waited[$0].id) }
      guard let first = wanted.first else { return [] }
      let together = Together(wantedCount: wanted.count)
      for index in wanted { state.tasks[waited[index].id] = Flying(task: waited[first].task, together: together) }
      return wanted
    }
  }

  /// The urgency of a flight just planned as a prefetch. It rises when a demand joins the flight.
  func urgency(of start: FlightPlan.Start) -> ReadUrgency? {
    guard start.purpose == .prefetch else { return nil }
    return withState { state in
      if let known = state.urgencies[start.flight] { return known }
      let urgency = ReadUrgency(isOfFlight: true)
      // A flight raised since it was planned is already a demand.
      guard state.flights.isUnderWay(start.flight), state.flights.isPrefetch(start.flight) else { return nil }
      state.urgencies[start.flight] = urgency
      return urgency
    }
  }

  /// The parts of `range` that no joinable flight brings.
  func uncovered(_ range: ByteRange) -> [ByteRange] { withState { $0.flights.uncovered(range) } }

  /// The parts of `range` that joinable flights bring, in order, each with its purpose.
  func covered(_ range: ByteRange) -> [(range: ByteRange, purpose: ReadUrgency.Purpose)] {
    withState { $0.flights.covered(range) }
  }

  /// The shared urgency of flights of one plan with one task. It rises when a demand joins one of them.
  func urgency(of starts: some Collection<FlightPlan.Start>) -> ReadUrgency? {
    guard starts.first?.purpose == .prefetch else { return nil }
    return withState { state in
      for start in starts where !state.flights.isPrefetch(start.flight) { return nil }
      let urgency = ReadUrgency(isOfFlight: true)
      for start in starts { state.urgencies[start.flight] = urgency }
      return urgency
    }
  }

  /// The waiter of `plan` has become more urgent.
  func escalate(_ plan: FlightPlan, to priority: TaskPriority) {
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return }
    let tasks = withState { state in plan.parts.compactMap { state.tasks[$0.flight]?.task } }
    for task in tasks { task.escalatePriority(to: priority) }
  }

  /// A flight has ended; what it brought is in the store. Wakes its waiters.
  func complete(_ id: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    let waiters = current.withLock { current -> FlightWaiters<FetchWait> in
      guard let state = current else { preconditionFailure("a flight completes once") }
      completions.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if !state.tasks.isEmpty { _ = state.tasks.removeValue(forKey: id)?.leave() }
      if !state.urgencies.isEmpty { state.urgencies[id] = nil }
      let waiters = state.flights.completed(id)
      underWay.store(Int32(state.flights.count), ordering: .relaxed)
      if state.flights.isEmpty {
        if state.isLeaving { current = nil } else if state.tasks.capacity > 0 { state.tasks = [:] }
      }
      return waiters
    }
    for waiter in waiters { waiter.completed(id, range, result) }
  }

  /// The waiter of `plan` gives up. Cancels the flights that no request wants any more.
  func leave(_ plan: FlightPlan) {
    let cancelled = withState { state in
      state.flights.leave(plan.parts.map(\.flight), plan.waiter).compactMap { id in
        state.tasks.removeValue(forKey: id)?.leave()
      }
    }
    for task in cancelled { task.cancel() }
  }
}

/// A mark to take before a look-up. If a flight has completed when the gaps are planned, missing bytes may have arrived in between.
struct FlightMark {
  let completionCount: Int
  /// The token's.
  let generation: UInt64
}

/// The plan for what the store holds.
final class HeldPlan: Sendable {
  let plan: FlightPlan

  init(_ plan: FlightPlan) { self.plan = plan }
}
