import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The flights of one token under their lock, and those who wait for them.
struct FlightTableTests {
  private let table = TestFlights()

  private func next() -> ReadNext {
    SourceLink(SyntheticSource(byteCount: 1000), background: BackgroundWork()).next(.continuous, calledBy: nil)
  }

  private func plan(
    _ gaps: [ByteRange], _ wait: FetchWait?, generation: UInt64 = 1, purpose: ReadUrgency.Purpose = .demand
  ) -> FlightPlan? {
    table.plan(
      FlightWants(gaps: gaps), since: .init(completionCount: table.completionCount, generation: generation),
      purpose: purpose, wait, widen: { $0 },
      lookAgain: { ((), FlightWants(gaps: gaps)) }
    ).plan
  }

  private func complete(_ start: FlightPlan.Start) {
    table.complete(start.flight, start.range, .success(SyntheticSource.bytes(start.range)))
  }

  @Test func `what completed since the look-up is looked for again, under the lock`() {
    let first = plan([0..<10], FetchWait())!
    let completed = table.completionCount
    complete(first.starts[0])
    let planned = table.plan(
      [0..<20], since: .init(completionCount: completed, generation: 1), purpose: .demand, FetchWait(), widen: { $0 },
      lookAgain: { ("found", [10..<20]) })
    #expect(planned.found == "found")
    #expect(planned.plan?.starts.map(\.range) == [10..<20])
    let nothing = table.plan(
      [0..<20], since: .init(completionCount: completed, generation: 1), purpose: .demand, FetchWait(), widen: { $0 },
      lookAgain: { ("all", []) })
    #expect(nothing.found == "all")
    #expect(nothing.plan == nil)
  }

  @Test func `after the last reader the table goes with the last flight, and its numbers mean nothing to the next`()
    async
  {
    let (first, second) = (plan([0..<10], FetchWait())!, plan([10..<20], FetchWait())!)
    complete(first.starts[0])
    table.rest()
    #expect(table.brings(10..<20))
    complete(second.starts[0])
    #expect(table.count == 0 && table.completionCount == 2)
    let next = plan([0..<20], FetchWait())!
    let task = Task { while !Task.isCancelled { await Task.yield() } }
    table.started(next.starts[0].flight, task)
    table.leave(first)
    table.leave(second)
    #expect(!task.isCancelled && table.areWanted([next.starts[0].flight]))
    table.leave(next)
    #expect(task.isCancelled)
    complete(next.starts[0])
    #expect(table.count == 0)
  }

  @Test func `nothing is looked for again when nothing completed`() {
    _ = plan([0..<10], FetchWait())!
    let planned = table.plan(
      [0..<20], since: .init(completionCount: 0, generation: 1), purpose: .demand, FetchWait(), widen: { $0 },
      lookAgain: { () -> (Int, FlightWants) in
        Issue.record("looked again")
        return (0, [])
      })
    #expect(planned.found == nil)
    #expect(planned.plan?.starts.map(\.range) == [10..<20])
    #expect(planned.plan?.parts.map(\.range) == [0..<10, 10..<20])
    #expect(table.count == 2)
  }

  @Test func `a task is cancelled when the last one leaves, and forgotten when it completes`() async {
    let plans = (0..<3).map { _ in plan([0..<10], FetchWait())! }
    #expect(plans.map(\.starts.count) == [1, 0, 0])
    let (flight, hangs) = (plans[0].starts[0], Promise<Void>())
    let task = Task { if (try? await hangs.value()) == nil {} }
    table.started(flight.flight, task)
    table.leave(plans[0])
    table.leave(plans[2])
    #expect(!task.isCancelled)
    table.leave(plans[1])
    #expect(task.isCancelled)
    #expect(table.count == 1, "the kernel may still write")
    complete(flight)
    #expect(table.count == 0)
    // Leaving late, or noting a task late, does nothing.
    table.leave(plans[1])
    table.started(flight.flight, task)
    #expect(table.count == 0)
  }

  @Test func `a task of several flights is cancelled when the last of them is that has not completed`() async {
    let plan = plan([0..<10, 20..<30, 40..<50], FetchWait())!
    let joined = self.plan([20..<30], FetchWait())!
    let hangs = Promise<Void>()
    let task = Task { if (try? await hangs.value()) == nil {} }
    table.started(plan.starts.map(\.flight), task)
    table.leave(plan)
    #expect(!task.isCancelled)
    table.leave(joined)
    #expect(task.isCancelled)
    for start in plan.starts { complete(start) }
    #expect(table.count == 0)
  }

  @Test func `what has completed of a task's flights does not keep it`() async {
    let plan = plan([0..<10, 20..<30], FetchWait())!
    let hangs = Promise<Void>()
    let task = Task { if (try? await hangs.value()) == nil {} }
    complete(plan.starts[0])
    table.started(plan.starts.map(\.flight), task)
    #expect(!task.isCancelled)
    table.leave(plan)
    #expect(task.isCancelled)
    complete(plan.starts[1])
    #expect(table.count == 0)
  }

  @Test func `flights that fly together are raised together`() {
    let plan = plan([0..<10, 20..<30], nil, purpose: .prefetch)!
    let urgency = table.urgency(of: Array(plan.starts))
    #expect(urgency?.purpose == .prefetch)
    _ = self.plan([25..<26], FetchWait())
    #expect(urgency?.purpose == .demand)
    // What somebody waits for already is a demand.
    #expect(table.urgency(of: Array(plan.starts)) == nil)
    for start in plan.starts { complete(start) }
  }

  @Test func `one wait gathers the pieces of several flights, in order, whatever the order of completion`() async throws
  {
    let early = plan([20..<40], FetchWait())!
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let table = TestFlights()
      let earlier = table.plan(
        [20..<40], since: .init(completionCount: 0, generation: 1), purpose: .demand, FetchWait(), widen: { $0 },
        lookAgain: { ((), []) }
      ).plan!
      let wait = FetchWait()
      let plan = table.plan(
        [10..<30, 35..<50], since: .init(completionCount: 0, generation: 1), purpose: .demand, wait, widen: { $0 },
        lookAgain: { ((), []) }
      ).plan!
      let flights = [plan.starts[0], earlier.starts[0], plan.starts[1]]
      let next = next()
      let pieces = Task { try await wait.pieces(next) }
      for index in order {
        let flight = flights[index]
        table.complete(flight.flight, flight.range, .success(SyntheticSource.bytes(flight.range)))
      }
      let all = try await pieces.value
      #expect(all.map(\.range) == [10..<20, 20..<30, 35..<40, 40..<50])
      #expect(all.allSatisfy { $0.bytes == SyntheticSource.bytes($0.range) })
      #expect(table.count == 0)
    }
    complete(early.starts[0])
  }

  @Test func `the first failure ends the wait, and says which flight it was`() async throws {
    let wait = FetchWait()
    let plan = plan([0..<10, 20..<30, 40..<50], wait)!
    let next = next()
    let pieces = Task { try await wait.pieces(next) }
    complete(plan.starts[0])
    table.complete(plan.starts[1].flight, 20..<30, .failure(Refusal.no))
    let failure = await #expect(throws: FetchWait.Failure.self) { try await pieces.value }
    #expect(failure?.flight == plan.starts[1].flight)
    #expect(failure?.error is Refusal)
    // The third completes for nobody.
    complete(plan.starts[2])
    #expect(table.count == 0)
  }

  @Test func `what completed before the wait began is there at once`() async throws {
    let wait = FetchWait()
    let plan = plan([0..<10], wait)!
    complete(plan.starts[0])
    let pieces = Noted<ByteRange>()
    let next = next()
    #expect(try JobCount.of { for piece in try await wait.pieces(next) { pieces.add(piece.range) } } == 1)
    #expect(pieces.all == [0..<10])
  }

  @Test func `completion, leaving and waiting race from many threads, and each wait ends once`() async throws {
    for seed in testSeeds {
      var random = TestRandom(seed)
      let table = TestFlights()
      let next = next()
      let ranges = (0..<60).map { _ in
        let start = random.below(900)
        return start..<start + 1 + random.below(100)
      }
      let cancelled = Set((0..<60).filter { _ in random.below(3) == 0 })
      let completions = Noted<Task<Void, Never>>()
      await withTaskGroup(of: Void.self) { group in
        for (number, range) in ranges.enumerated() {
          group.addTask {
            let wait = FetchWait()
            let plan = table.plan(
              [range], since: .init(completionCount: 0, generation: UInt64(1 + number / 30)), purpose: .demand, wait,
              widen: { $0 }, lookAgain: { ((), [range]) }
            ).plan!
            for start in plan.starts {
              let task = Task {
                await Task.yield()
                table.complete(start.flight, start.range, .success(SyntheticSource.bytes(start.range)))
              }
              table.started(start.flight, task)
              completions.add(task)
            }
            let read = Task { try await wait.pieces(next) }
            if cancelled.contains(number) { read.cancel() }
            do {
              let pieces = try await read.value
              #expect(Bytes(concatenating: pieces.map(\.bytes)) == SyntheticSource.bytes(range), "seed \(seed)")
            } catch {
              #expect(error is CancellationError, "seed \(seed)")
              table.leave(plan)
            }
          }
        }
      }
      for completion in completions.all { await completion.value }
      #expect(table.count == 0)
    }
  }
}

extension FetchWait {
  /// What `.caching` does: waits, unless all is there, and takes the pieces.
  fileprivate func pieces(_ next: ReadNext) async throws -> [RangedBytes] {
    if !isDone { try await finish(nil, nil, next) { _, _ in } }
    return try pieces()
  }
}
