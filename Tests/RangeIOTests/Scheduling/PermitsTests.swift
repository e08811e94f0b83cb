import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite(.simulated) struct PermitsTests {
  private let list = WaiterRegistry()

  @Test func `as many enter as there are permits, the next ones in the order they came`() async throws {
    let permits = Permits(2)
    try await permits.enter(list)
    try await permits.enter(list)
    let entered = Noted<Int>()
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<4 {
      tasks.append(
        start {
          try await permits.enter(list)
          entered.add(index)
        })
      await quiet()
      #expect(permits.waiterCount == index + 1)
    }
    #expect(entered.all == [])
    for index in 0..<4 {
      permits.leave()
      try await tasks[index].value
      #expect(entered.all == Array(0...index))
    }
  }

  @Test func `demands go before prefetches, and a prefetch that is raised goes with them`() async throws {
    let permits = Permits(1)
    try await permits.enter(list)
    let entered = Noted<String>()
    let urgency = ReadUrgency()
    let comers: [(String, ReadUrgency?)] = [
      ("prefetch", ReadUrgency()), ("raised", urgency), ("demand", nil), ("later", nil),
    ]
    var tasks: [Task<Void, any Error>] = []
    for (name, urgency) in comers {
      tasks.append(
        start {
          try await permits.enter(list, urgency: urgency)
          entered.add(name)
          permits.leave()
        })
      await quiet()
      #expect(permits.waiterCount == tasks.count)
    }
    urgency.raise()
    permits.leave()
    for task in tasks { try await task.value }
    // It came with the demands when it was raised.
    #expect(entered.all == ["demand", "later", "raised", "prefetch"])
  }

  @Test func `a prefetch that is raised before it comes is a demand`() async throws {
    let permits = Permits(1)
    try await permits.enter(list)
    let raised = ReadUrgency()
    raised.raise()
    let entered = Noted<String>()
    let prefetch = start {
      try await permits.enter(list, urgency: ReadUrgency())
      entered.add("prefetch")
      permits.leave()
    }
    await quiet()
    #expect(permits.waiterCount == 1)
    let demand = start {
      try await permits.enter(list, urgency: raised)
      entered.add("demand")
      permits.leave()
    }
    await quiet()
    #expect(permits.waiterCount == 2)
    permits.leave()
    try await prefetch.value
    try await demand.value
    #expect(entered.all == ["demand", "prefetch"])
  }

  @Test func `a permit given back is there for the next caller`() async throws {
    let permits = Permits(1)
    for _ in 0..<10 {
      try await permits.enter(list)
      permits.leave()
    }
    #expect(permits.waiterCount == 0)
  }

  @Test func `a cancelled waiter goes at once and the permit goes to the next`() async throws {
    let permits = Permits(1)
    try await permits.enter(list)
    let first = start { try await permits.enter(list) }
    await quiet()
    #expect(permits.waiterCount == 1)
    let second = start { try await permits.enter(list) }
    await quiet()
    #expect(permits.waiterCount == 2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(permits.waiterCount == 1)
    permits.leave()
    try await second.value
    permits.leave()
    try await permits.enter(list)
  }

  @Test func `failing the list ends all who wait and loses no permit`() async throws {
    let permits = Permits(1)
    try await permits.enter(list)
    let waits = (0..<5).map { _ in start { try await permits.enter(list) } }
    await quiet()
    #expect(permits.waiterCount == 5 && list.count == 5)
    list.failAll(Refusal.no)
    for wait in waits { await #expect(throws: Refusal.no) { try await wait.value } }
    #expect(permits.waiterCount == 0)
    permits.leave()
    try await permits.enter(WaiterRegistry())
  }

  @Test func `without a task, a turn comes at once or when a permit is returned, on that thread`() throws {
    let permits = Permits(1)
    let turns = Noted<Int>()
    #expect(permits.enter(urgency: nil) { turns.add(0) } == nil)
    #expect(turns.all == [0])
    let places = try (1...3).map { index in
      try #require(permits.enter(urgency: index == 1 ? ReadUrgency() : nil) { turns.add(index) })
    }
    #expect(permits.waiterCount == 3 && turns.all == [0])
    for all in [[0, 2], [0, 2, 3], [0, 2, 3, 1]] {
      permits.leave()
      #expect(turns.all == all)
    }
    // Their turns have come: the permit is theirs.
    for place in places { #expect(!permits.withdraw(place)) }
    permits.leave()
    #expect(permits.isIdle)
  }

  @Test func `a place that is given up has no turn, and keeps no other from its own`() throws {
    let permits = Permits(1)
    let turns = Noted<Int>()
    #expect(permits.enter(urgency: nil) { turns.add(0) } == nil)
    let places = try (1...3).map { index in try #require(permits.enter(urgency: nil) { turns.add(index) }) }
    #expect(permits.withdraw(places[0]))
    #expect(!permits.withdraw(places[0]))
    permits.leave()
    #expect(turns.all == [0, 2])
    #expect(permits.withdraw(places[2]))
    permits.leave()
    #expect(turns.all == [0, 2] && permits.isIdle)
  }

  @Test func `a place whose prefetch is raised goes with the demands, until the wait has ended`() throws {
    let permits = Permits(1)
    let turns = Noted<String>()
    let (raised, late) = (ReadUrgency(), ReadUrgency())
    #expect(permits.enter(urgency: nil) { turns.add("first") } == nil)
    _ = permits.enter(urgency: raised) { turns.add("raised") }
    let place = try #require(permits.enter(urgency: late) { turns.add("late") })
    _ = permits.enter(urgency: nil) { turns.add("demand") }
    raised.raise()
    place.end()
    late.raise()
    for _ in 0..<3 { permits.leave() }
    #expect(turns.all == ["first", "demand", "raised", "late"])
  }

  @Test(.racing) func `racing users and cancellations never exceed the permits and lose none`() async throws {
    let permits = Permits(3)
    let inside = Tally()
    var tasks: [Task<Void, any Error>] = []
    for _ in 0..<400 {
      tasks.append(
        start {
          try await permits.enter(list)
          inside.change(by: 1)
          await Task.yield()
          inside.change(by: -1)
          permits.leave()
        })
    }
    for (index, task) in tasks.enumerated() where index % 3 == 0 { task.cancel() }
    for task in tasks { _ = await task.result }
    #expect(inside.now == 0)
    #expect((1...3).contains(inside.most))
    // All three are back.
    for _ in 0..<3 { try await permits.enter(list) }
    let fourth = start { try await permits.enter(list) }
    while permits.waiterCount == 0 { await Task.yield() }
    permits.leave()
    try await fourth.value
  }
}
