import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Event by event, on blocks of 64 bytes of a source of 1,000; the waiter is an `Int`.
@Suite struct FlightsTests {
  typealias Table = Flights<Int>

  static let grid = BlockGrid(blockSize: 64)!

  static func blocks(_ range: ByteRange) -> ByteRange { grid.outward(range, in: 1000) }

  static func exact(_ range: ByteRange) -> ByteRange { range }

  /// A demand of `waiter` in generation 1 for whole blocks, unless it says otherwise.
  static func request(
    _ table: inout Table, _ gaps: ByteRange..., waiter: Int? = 1, generation: UInt64 = 1,
    purpose: ReadUrgency.Purpose = .demand, widen: (ByteRange) -> ByteRange = blocks
  ) -> FlightPlan {
    table.request(gaps, generation: generation, purpose: purpose, waiter: waiter, widen: widen)
  }

  static func started(_ plan: FlightPlan) -> [ByteRange] { plan.starts.map(\.range) }

  static func flights(_ plan: FlightPlan) -> [FlightID] { plan.parts.map(\.flight) }

  static func leave(_ table: inout Table, _ plan: FlightPlan) -> [FlightID] {
    Array(table.leave(flights(plan), plan.waiter))
  }

  // MARK: Starting

  @Test func `a gap that no flight brings starts one, which brings it`() throws {
    var table = Table(longest: 512)
    #expect(table.isEmpty)
    let plan = Self.request(&table, 70..<100)
    let start = try #require(plan.starts.first)
    #expect(plan.starts == [.init(flight: start.flight, range: 64..<128, purpose: .demand)])
    #expect(plan.parts == [.init(flight: start.flight, range: 70..<100)])
    #expect(plan.raised.isEmpty)
    #expect(plan.joinedCount == 0)
    #expect(table.count == 1)
    #expect(table.joinable.count == 1)
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

  @Test func `what touches a flight is not brought by it, and nothing that is asked for is empty`() throws {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 64..<128)
    #expect(table.brings(127..<140) && !table.brings(128..<140) && !table.brings(0..<64) && table.brings(0..<65))
    #expect(table.uncovered(0..<64) == [0..<64] && table.uncovered(128..<200) == [128..<200])
    #expect(table.uncovered(64..<128) == [] && table.uncovered(0..<128) == [0..<64])
    #expect(table.uncovered(64..<200) == [128..<200] && table.uncovered(0..<200) == [0..<64, 128..<200])
    #expect(table.covered(0..<64).isEmpty && table.covered(128..<200).isEmpty)
    #expect(table.covered(0..<200).map(\.range) == [64..<128])
    let flight = try #require(Self.flights(plan).first)
    #expect(table.isWanted(flight))
    _ = table.completed(flight)
    #expect(!table.isWanted(flight))
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

  @Test func `a widening that reaches beyond the next one is kept`() {
    var table = Table(longest: 512)
    let plan = Self.request(&table, 0..<10, 20..<30, widen: { $0.lowerBound == 0 ? 0..<100 : $0 })
    #expect(Self.started(plan) == [0..<100])
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
    #expect(table.joinable.count == 3)
  }

  @Test func `only what no flight brings is widened`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 128..<192)
    var widened: [ByteRange] = []
    let widen = { (range: ByteRange) in
      widened.append(range)
      return Self.blocks(range)
    }
    _ = Self.request(&table, 100..<250, 300..<310, waiter: 2, widen: widen)
    #expect(widened == [100..<128, 192..<250, 300..<310])
    widened = []
    _ = Self.request(&table, 100..<250, waiter: 3, widen: widen)
    #expect(widened == [])
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
    #expect(Array(table.completed(Self.flights(first)[0])) == [1, 2])
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

  // MARK: What is kept

  @Test func `the place of a completed flight is used again, its id is not`() {
    var table = Table(longest: 512)
    var seen: Set<FlightID> = []
    for _ in 0..<100 {
      let plan = Self.request(&table, 0..<10, 100..<110)
      for start in plan.starts {
        #expect(start.flight.slot < 2)
        #expect(seen.insert(start.flight).inserted)
        _ = table.completed(start.flight)
      }
    }
  }

  @Test func `the tables of a burst are given back when it is over`() {
    var table = Table(longest: 512)
    let plans = (0..<200).map { Self.request(&table, $0 * 2..<$0 * 2 + 1, widen: Self.exact) }
    for plan in plans { _ = table.completed(plan.parts[0].flight) }
    #expect(Self.request(&table, 0..<10).parts[0].flight.slot == 0)
    // An id from before the burst ended names nothing now, wherever it lay.
    #expect(Self.leave(&table, plans[199]) == [])
  }
}
