import Testing

@testable import RangeIO

/// Event by event, on blocks of 64 bytes of a source of 1,000; the waiter is an `Int`.
@Suite struct FlightsTests {
  private typealias Table = Flights<Int>

  private static let grid = BlockGrid(blockSize: 64)!

  private static func blocks(_ range: ByteRange) -> ByteRange { grid.outward(range, in: 1000) }

  private static func exact(_ range: ByteRange) -> ByteRange { range }

  /// A demand of `waiter` in generation 1 for whole blocks, unless it says otherwise.
  private static func request(
    _ table: inout Table, _ gaps: ByteRange..., waiter: Int? = 1, generation: UInt64 = 1,
    purpose: ReadRequest.Purpose = .demand, widen: (ByteRange) -> ByteRange = blocks
  ) -> FlightPlan {
    table.request(gaps, generation: generation, purpose: purpose, waiter: waiter, widen: widen)
  }

  private static func started(_ plan: FlightPlan) -> [ByteRange] { plan.starts.map(\.range) }

  private static func flights(_ plan: FlightPlan) -> [FlightID] { plan.parts.map(\.flight) }

  private static func leave(_ table: inout Table, _ plan: FlightPlan) -> [FlightID] {
    Array(table.leave(flights(plan), plan.waiter))
  }

  // MARK: Starting

  @Test func `a gap that nobody brings starts one flight, which brings it`() throws {
    var table = Table(longest: 512)
    #expect(table.isEmpty)
    let plan = Self.request(&table, 70..<100)
    let start = try #require(plan.starts.first)
    #expect(plan.starts == [.init(flight: start.flight, range: 64..<128, purpose: .demand)])
    #expect(plan.parts == [.init(flight: start.flight, range: 70..<100)])
    #expect(plan.raised.isEmpty)
    #expect(plan.joinedCount == 0)
    #expect(table.count == 1)
    #expect(table.joinableCount == 1)
  }

  @Test func `no gaps, no flights`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table)
    #expect(plan.parts.isEmpty)
    #expect(plan.starts.isEmpty)
    #expect(table.isEmpty)
  }

  @Test func `an exact stretch is fetched as it is`() {
    var table = Table(longest: 512)
    #expect(Self.started(Self.request(&table, 70..<100, widen: Self.exact)) == [70..<100])
  }

  @Test func `what is fetched ends with the source`() {
    var table = Table(longest: 512)
    #expect(Self.started(Self.request(&table, 970..<990)) == [960..<1000])
  }

  @Test func `neighbouring missing blocks are one fetch`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 10..<20, 70..<100, 130..<192)
    #expect(Self.started(plan) == [0..<192])
    #expect(plan.parts.map(\.range) == [10..<20, 70..<100, 130..<192])
    #expect(Set(Self.flights(plan)).count == 1)
  }

  @Test func `two gaps of one block are one fetch`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<10, 50..<64)
    #expect(Self.started(plan) == [0..<64])
    #expect(plan.parts.map(\.range) == [0..<10, 50..<64])
  }

  @Test func `gaps apart are fetches apart`() {
    var table = Table(longest: 512)
    #expect(Self.started(Self.request(&table, 0..<64, 128..<192)) == [0..<64, 128..<192])
    #expect(Self.started(Self.request(&table, 300..<310, 311..<320, widen: Self.exact)) == [300..<310, 311..<320])
  }

  @Test func `a long stretch is cut at multiples of the longest flight`() {
    var table = Table(longest: 128)
    let plan = Self.request(&table, 70..<400)
    #expect(Self.started(plan) == [64..<128, 128..<256, 256..<384, 384..<448])
    #expect(plan.parts.map(\.range) == [70..<128, 128..<256, 256..<384, 384..<400])
    #expect(Self.flights(plan) == plan.starts.map(\.flight))
  }

  @Test func `a stretch as long as the longest flight is not cut, wherever it lies`() {
    var table = Table(longest: 128)
    #expect(Self.started(Self.request(&table, 64..<192)) == [64..<192])
  }

  @Test func `a piece cut off in which nothing was asked for is not fetched`() {
    var table = Table(longest: 128)
    let plan = Self.request(&table, 140..<150, 390..<400, widen: { _ in 0..<640 })
    #expect(Self.started(plan) == [128..<256, 384..<512])
    #expect(table.count == 2)
    #expect(Self.leave(&table, plan) == plan.starts.map(\.flight))
  }

  @Test func `the end of the number line is an offset like any other`() {
    var table = Table(longest: 1 << 20)
    let last = Int.max - (3 << 20)..<Int.max
    let plan = table.request([last], generation: 1, purpose: .demand, waiter: 1, widen: Self.exact)
    #expect(plan.starts.map(\.range.count).reduce(0, +) == last.count)
    #expect(plan.starts.allSatisfy { $0.range.count <= 1 << 20 })
  }

  @Test func `widening that takes something away traps`() async {
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      _ = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { _ in 1..<10 }
    }
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      _ = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { _ in 0..<9 }
    }
  }

  // MARK: Joining

  @Test func `what is under way is joined and not started again`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 70..<100)
    let second = Self.request(&table, 90..<120, waiter: 2)
    #expect(second.starts.isEmpty)
    #expect(second.parts == [.init(flight: Self.flights(first)[0], range: 90..<120)])
    #expect(second.joinedCount == 1)
    #expect(table.count == 1)
  }

  @Test func `a byte that was fetched only to fill its block can be joined`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 70..<71)
    #expect(Self.flights(Self.request(&table, 127..<128, waiter: 2)) == Self.flights(first))
  }

  @Test func `of a gap under way in part, only the rest is started`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 128..<192)
    let second = Self.request(&table, 100..<250, waiter: 2)
    #expect(Self.started(second) == [64..<128, 192..<256])
    #expect(second.parts.map(\.range) == [100..<128, 128..<192, 192..<250])
    #expect(Self.flights(second) == [second.starts[0].flight, Self.flights(first)[0], second.starts[1].flight])
    #expect(second.joinedCount == 1)
    #expect(table.joinableCount == 3)
  }

  @Test func `one gap joins several flights`() {
    var table = Table(longest: 512)
    let plans = [0..<64, 64..<128, 128..<192].map { Self.request(&table, $0) }
    let across = Self.request(&table, 10..<180, waiter: 2)
    #expect(across.starts.isEmpty)
    #expect(Self.flights(across) == plans.flatMap(Self.flights))
    #expect(across.joinedCount == 3)
  }

  @Test func `several gaps join one flight, once`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<64)
    let second = Self.request(&table, 0..<10, 20..<30, 50..<64, waiter: 2)
    #expect(second.parts.map(\.range) == [0..<10, 20..<30, 50..<64])
    #expect(Set(Self.flights(second)) == Set(Self.flights(first)))
    #expect(second.joinedCount == 1)
    #expect(Array(table.landed(Self.flights(first)[0])) == [1, 2])
  }

  @Test func `widening stops where other flights begin and end`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 60..<80, 110..<120, widen: Self.exact)
    let between = Self.request(&table, 90..<100, waiter: 2)
    #expect(Self.started(between) == [80..<110])
    #expect(Self.started(Self.request(&table, 121..<122, waiter: 3)) == [120..<128])
    #expect(Self.started(Self.request(&table, 50..<51, waiter: 4)) == [0..<60])
  }

  @Test func `stretches with a flight between them stay apart`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 20..<30, widen: Self.exact)
    let around = Self.request(&table, 10..<40, waiter: 2)
    #expect(Self.started(around) == [0..<20, 30..<64])
    #expect(around.parts.map(\.range) == [10..<20, 20..<30, 30..<40])
  }

  // MARK: Landing

  @Test func `landing hands out the waiters in the order they came`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10, waiter: 7)
    for waiter in [5, 9, 1] { _ = Self.request(&table, 0..<10, waiter: waiter) }
    let waiters = table.landed(Self.flights(first)[0])
    #expect(Array(waiters) == [7, 5, 9, 1])
    #expect(table.isEmpty)
    #expect(table.joinableCount == 0)
  }

  @Test func `a request with several flights waits for each`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10)
    let both = Self.request(&table, 0..<10, 200..<210, waiter: 2)
    #expect(Array(table.landed(both.starts[0].flight)) == [2])
    #expect(Array(table.landed(Self.flights(first)[0])) == [1, 2])
  }

  @Test func `what has landed is started anew`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10)
    _ = table.landed(Self.flights(first)[0])
    let second = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.started(second) == [0..<64])
    #expect(Self.flights(second) != Self.flights(first))
    #expect(second.joinedCount == 0)
  }

  @Test func `landing takes out the flight it names and no other`() {
    for landing in 0..<3 {
      var table = Table(longest: 512)
      let plans = [0..<64, 64..<128, 128..<192].map { Self.request(&table, $0) }
      _ = table.landed(Self.flights(plans[landing])[0])
      #expect(Self.started(Self.request(&table, 0..<192, waiter: 2)) == [landing * 64..<landing * 64 + 64])
    }
  }

  @Test func `landing twice traps`() async {
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      let plan = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.landed(plan.parts[0].flight)
      _ = table.landed(plan.parts[0].flight)
    }
    await #expect(processExitsWith: .failure) {
      var table = Flights<Int>(longest: 512)
      let plan = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.landed(plan.parts[0].flight)
      // Lies where the first one lay.
      _ = table.request([0..<10], generation: 1, purpose: .demand, waiter: 1) { $0 }
      _ = table.landed(plan.parts[0].flight)
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

  @Test func `whoever left is not handed out`() {
    var table = Table(longest: 512)
    let plans = (1...3).map { Self.request(&table, 0..<10, waiter: $0) }
    #expect(Self.leave(&table, plans[1]) == [])
    #expect(Array(table.landed(Self.flights(plans[0])[0])) == [1, 3])
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

  @Test func `of several flights, those which nobody else wants are cancelled`() {
    var table = Table(longest: 512)
    let middle = Self.request(&table, 128..<192)
    let wide = Self.request(&table, 0..<64, 128..<192, 256..<320, waiter: 2)
    #expect(Self.leave(&table, wide) == wide.starts.map(\.flight))
    #expect(Array(table.landed(Self.flights(middle)[0])) == [1])
  }

  @Test func `one may leave some flights and stay in others`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<64, 128..<192)
    #expect(Array(table.leave([plan.starts[0].flight], plan.waiter)) == [plan.starts[0].flight])
    #expect(Array(table.landed(plan.starts[1].flight)) == [1])
  }

  @Test func `leaving a flight that has landed does nothing`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<10)
    _ = table.landed(Self.flights(plan)[0])
    #expect(Self.leave(&table, plan) == [])
    let next = Self.request(&table, 0..<10)
    #expect(next.parts[0].flight.slot == plan.parts[0].flight.slot)
    #expect(Array(table.leave(Self.flights(plan), next.waiter)) == [])
    #expect(Array(table.landed(Self.flights(next)[0])) == [1])
  }

  @Test func `a cancelled flight is not joined`() {
    var table = Table(longest: 512)
    let left = Self.request(&table, 0..<10)
    #expect(Self.leave(&table, left).count == 1)
    #expect(table.joinableCount == 0)
    let next = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.started(next) == [0..<64])
  }

  @Test func `a cancelled flight is under way until it lands, with nobody to wake`() {
    var table = Table(longest: 512)
    let left = Self.request(&table, 0..<10)
    _ = Self.leave(&table, left)
    let next = Self.request(&table, 0..<10, waiter: 2)
    #expect(table.count == 2)
    #expect(Array(table.landed(Self.flights(left)[0])) == [])
    #expect(table.count == 1)
    #expect(table.joinableCount == 1)
    #expect(Array(table.landed(Self.flights(next)[0])) == [2])
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
    #expect(Array(table.landed(Self.flights(plans[0])[0])) == [staying + 1])
  }

  // MARK: Prefetches

  @Test func `the first demand that joins a prefetch raises it, once`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(prefetch.starts.map(\.purpose) == [.prefetch])
    #expect(prefetch.raised.isEmpty)
    #expect(Self.request(&table, 0..<10, 20..<30, waiter: 2).raised == [prefetch.starts[0].flight])
    #expect(Self.request(&table, 0..<10, waiter: 3).raised.isEmpty)
  }

  @Test func `a prefetch raises nothing, and what began as demand is never raised`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch).raised.isEmpty)
    _ = Self.request(&table, 64..<70)
    #expect(Self.request(&table, 64..<70, waiter: 2).raised.isEmpty)
  }

  @Test func `a demand over several prefetches raises each, in ascending order`() {
    var table = Table(longest: 512)
    let high = Self.request(&table, 128..<192, waiter: nil, purpose: .prefetch)
    let low = Self.request(&table, 0..<64, waiter: nil, purpose: .prefetch)
    let demand = Self.request(&table, 0..<192)
    #expect(demand.raised == [low.starts[0].flight, high.starts[0].flight])
    #expect(demand.starts.map(\.purpose) == [.demand])
  }

  @Test func `readers who join a prefetch and leave do not cancel it`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    let reader = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.leave(&table, reader) == [])
    #expect(Array(table.landed(Self.flights(prefetch)[0])) == [])
  }

  @Test func `whoever asked for a prefetch cancels it by leaving`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.leave(&table, prefetch) == Self.flights(prefetch))
  }

  @Test func `a prefetch given up goes on for the readers who joined`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    let reader = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.leave(&table, prefetch) == [])
    #expect(Self.leave(&table, reader) == Self.flights(prefetch))
  }

  @Test func `a flight that two prefetches want is cancelled when both have left`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    let second = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.leave(&table, first) == [])
    #expect(Self.leave(&table, second) == Self.flights(first))
  }

  @Test func `a prefetch keeps a demand's flight under way after the demand has left`() {
    var table = Table(longest: 512)
    let reader = Self.request(&table, 0..<10)
    _ = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.leave(&table, reader) == [])
    #expect(Array(table.landed(Self.flights(reader)[0])) == [])
  }

  // MARK: Generations

  @Test func `a newer generation joins nothing of an older one`() {
    var table = Table(longest: 512)
    let old = Self.request(&table, 0..<10)
    let new = Self.request(&table, 0..<10, waiter: 2, generation: 2)
    #expect(Self.started(new) == [0..<64])
    #expect(table.joinableCount == 1)
    #expect(Self.flights(Self.request(&table, 5..<10, waiter: 3, generation: 2)) == Self.flights(new))
    #expect(Array(table.landed(Self.flights(old)[0])) == [1])
    #expect(Array(table.landed(Self.flights(new)[0])) == [2, 3])
    #expect(table.isEmpty)
  }

  @Test func `widening takes no notice of flights of an older generation`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 20..<30, widen: Self.exact)
    #expect(Self.started(Self.request(&table, 10..<15, waiter: 2, generation: 2)) == [0..<64])
  }

  @Test func `a detached flight is left like any other`() {
    var table = Table(longest: 512)
    let plans = (1...2).map { Self.request(&table, 0..<10, waiter: $0) }
    let new = Self.request(&table, 0..<10, waiter: 3, generation: 2)
    #expect(Self.leave(&table, plans[0]) == [])
    #expect(Self.leave(&table, plans[1]) == Self.flights(plans[0]))
    #expect(Array(table.landed(Self.flights(plans[0])[0])) == [])
    #expect(Self.flights(Self.request(&table, 0..<10, waiter: 4, generation: 2)) == Self.flights(new))
  }

  @Test func `a request of an older generation joins none and is joined by none`() {
    var table = Table(longest: 512)
    let new = Self.request(&table, 0..<10, waiter: 1, generation: 2)
    let late = Self.request(&table, 0..<10, waiter: 2, generation: 1)
    #expect(Self.started(late) == [0..<64])
    #expect(late.joinedCount == 0)
    #expect(table.joinableCount == 1)
    let later = Self.request(&table, 0..<10, waiter: 3, generation: 1)
    #expect(Self.started(later) == [0..<64])
    #expect(Self.flights(Self.request(&table, 0..<10, waiter: 4, generation: 2)) == Self.flights(new))
    #expect(Array(table.landed(Self.flights(late)[0])) == [2])
    #expect(Self.leave(&table, later) == Self.flights(later))
    #expect(Array(table.landed(Self.flights(new)[0])) == [1, 4])
  }

  @Test func `the flights of a latecomer are laid out as any others`() {
    var table = Table(longest: 128)
    _ = Self.request(&table, 100..<110, generation: 2, widen: Self.exact)
    let late = Self.request(&table, 0..<10, 70..<300, waiter: 2, generation: 1)
    #expect(Self.started(late) == [0..<128, 128..<256, 256..<320])
    #expect(late.parts.map(\.range) == [0..<10, 70..<128, 128..<256, 256..<300])
  }

  // MARK: What is kept

  @Test func `the place of a landed flight is used again, its id is not`() {
    var table = Table(longest: 512)
    var seen: Set<FlightID> = []
    for _ in 0..<100 {
      let plan = Self.request(&table, 0..<10, 100..<110)
      for start in plan.starts {
        #expect(start.flight.slot < 2)
        #expect(seen.insert(start.flight).inserted)
        _ = table.landed(start.flight)
      }
    }
  }

  @Test func `the tables of a burst are given back when it is over`() {
    var table = Table(longest: 512)
    let plans = (0..<200).map { Self.request(&table, $0 * 2..<$0 * 2 + 1, widen: Self.exact) }
    for plan in plans { _ = table.landed(plan.parts[0].flight) }
    #expect(Self.request(&table, 0..<10).parts[0].flight.slot == 0)
    // An id from before the burst ended names nothing now, wherever it lay.
    #expect(Self.leave(&table, plans[199]) == [])
  }
}
