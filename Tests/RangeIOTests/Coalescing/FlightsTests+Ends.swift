import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

extension FlightsTests {
  // MARK: Landing

  @Test func `completion hands out the waiters in the order they came`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10, waiter: 7)
    for waiter in [5, 9, 1] { _ = Self.request(&table, 0..<10, waiter: waiter) }
    let waiters = table.completed(Self.flights(first)[0])
    #expect(Array(waiters) == [7, 5, 9, 1])
    #expect(table.isEmpty)
    #expect(table.joinable.count == 0)
  }

  @Test func `a request with several flights waits for each`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10)
    let both = Self.request(&table, 0..<10, 200..<210, waiter: 2)
    #expect(Array(table.completed(both.starts[0].flight)) == [2])
    #expect(Array(table.completed(Self.flights(first)[0])) == [1, 2])
  }

  @Test func `what has completed is started anew`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10)
    _ = table.completed(Self.flights(first)[0])
    let second = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.started(second) == [0..<64])
    #expect(Self.flights(second) != Self.flights(first))
    #expect(second.joinedCount == 0)
  }

  @Test func `completion takes out the flight it names and no other`() {
    for completion in 0..<3 {
      var table = Table(longest: 512)
      let plans = [0..<64, 64..<128, 128..<192].map { Self.request(&table, $0) }
      _ = table.completed(Self.flights(plans[completion])[0])
      #expect(Self.started(Self.request(&table, 0..<192, waiter: 2)) == [completion * 64..<completion * 64 + 64])
    }
  }

  @Test func `completion twice traps`() async {
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      let plan = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.completed(plan.parts[0].flight)
      _ = table.completed(plan.parts[0].flight)
    }
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      let plan = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.completed(plan.parts[0].flight)
      // Lies where the first one lay.
      _ = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.completed(plan.parts[0].flight)
    }
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      let plan = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.leave([plan.parts[0].flight], plan.waiter)
      _ = table.completed(plan.parts[0].flight)
      // Cancelled, so that no other table misses it.
      _ = table.completed(plan.parts[0].flight)
    }
  }

  // MARK: Leaving

  @Test func `the last one to leave cancels the flight`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10)
    let second = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.leave(&table, first) == [])
    #expect(Self.leave(&table, second) == Self.flights(first))
  }

  @Test func `a waiter that left is not handed out`() {
    var table = Table(longest: 512)
    let plans = (1...3).map { Self.request(&table, 0..<10, waiter: $0) }
    #expect(Self.leave(&table, plans[1]) == [])
    #expect(Array(table.completed(Self.flights(plans[0])[0])) == [1, 3])
  }

  @Test func `leaving twice counts once`() {
    var table = Table(longest: 512)
    let plans = (1...3).map { Self.request(&table, 0..<10, waiter: $0) }
    for plan in [plans[0], plans[0], plans[0], plans[1]] { #expect(Self.leave(&table, plan) == []) }
    #expect(Self.leave(&table, plans[2]) == Self.flights(plans[0]))
    #expect(Self.leave(&table, plans[2]) == [])
  }

  @Test func `several parts of one flight are left at once`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<10, 20..<30)
    #expect(plan.parts.count == 2)
    #expect(Self.leave(&table, plan) == [plan.starts[0].flight])
  }

  @Test func `of several flights, those without another waiter are cancelled`() {
    var table = Table(longest: 512)
    let middle = Self.request(&table, 128..<192)
    let wide = Self.request(&table, 0..<64, 128..<192, 256..<320, waiter: 2)
    #expect(Self.leave(&table, wide) == wide.starts.map(\.flight))
    #expect(Array(table.completed(Self.flights(middle)[0])) == [1])
  }

  @Test func `one may leave some flights and stay in others`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<64, 128..<192)
    #expect(Array(table.leave([plan.starts[0].flight], plan.waiter)) == [plan.starts[0].flight])
    #expect(Array(table.completed(plan.starts[1].flight)) == [1])
  }

  @Test func `leaving a flight that has completed does nothing`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<10)
    _ = table.completed(Self.flights(plan)[0])
    #expect(Self.leave(&table, plan) == [])
    let next = Self.request(&table, 0..<10)
    #expect(next.parts[0].flight.slot == plan.parts[0].flight.slot)
    #expect(Array(table.leave(Self.flights(plan), next.waiter)) == [])
    #expect(Array(table.completed(Self.flights(next)[0])) == [1])
  }

  @Test func `a cancelled flight is not joined`() {
    var table = Table(longest: 512)
    let left = Self.request(&table, 0..<10)
    #expect(Self.leave(&table, left).count == 1)
    #expect(table.joinable.count == 0)
    let next = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.started(next) == [0..<64])
  }

  @Test func `a cancelled flight is under way until it completes, and wakes no waiter`() {
    var table = Table(longest: 512)
    let left = Self.request(&table, 0..<10)
    _ = Self.leave(&table, left)
    let next = Self.request(&table, 0..<10, waiter: 2)
    #expect(table.count == 2)
    #expect(Array(table.completed(Self.flights(left)[0])) == [])
    #expect(table.count == 1)
    #expect(table.joinable.count == 1)
    #expect(Array(table.completed(Self.flights(next)[0])) == [2])
    #expect(table.isEmpty)
  }

  @Test func `9,999 of 10,000 leave at random and one is answered`() {
    var table = Table(longest: 512)
    var random = TestRandom(3)
    let plans = (1...10_000).map { Self.request(&table, 0..<10, waiter: $0) }
    #expect(plans.map(\.starts.count).reduce(0, +) == 1)
    let staying = random.below(plans.count)
    let cancelled = plans.indices.shuffled(using: &random).filter { $0 != staying }
      .reduce(into: 0) { $0 += Self.leave(&table, plans[$1]).count }
    #expect(cancelled == 0)
    #expect(Array(table.completed(Self.flights(plans[0])[0])) == [staying + 1])
  }
}
