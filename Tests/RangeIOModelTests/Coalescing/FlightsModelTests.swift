import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Random events against a model that knows of every byte which flight brings it.
@Suite struct FlightsModelTests {
  @Test func `random events agree with a table of bytes`() {
    var totals = FlightsModel.Tally()
    for seed in TestScale.firstSeed..<TestScale.firstSeed + TestScale.seeds / 5 {
      var model = FlightsModel(seed: UInt64(seed))
      if let mismatch = model.run() {
        Issue.record("seed \(seed): \(mismatch)")
        return
      }
      totals.add(model.tally)
    }
    // Events of a kind that never happened would prove nothing about it.
    guard TestScale.seeds >= 10_000 else { return }
    #expect(totals.joined > 10_000)
    #expect(totals.raised > 1000)
    #expect(totals.cut > 1000)
    #expect(totals.clipped > 1000)
    #expect(totals.cancelled > 10_000)
    #expect(totals.late > 1000)
    #expect(totals.woken > 10_000)
  }
}

/// One run: the table under test, and beside it for every byte the flight that brings it.
private struct FlightsModel {
  struct Tally {
    var joined = 0
    var raised = 0
    var cut = 0
    var clipped = 0
    var cancelled = 0
    var late = 0
    var woken = 0

    mutating func add(_ other: Tally) {
      joined += other.joined
      raised += other.raised
      cut += other.cut
      clipped += other.clipped
      cancelled += other.cancelled
      late += other.late
      woken += other.woken
    }
  }

  struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  private struct Flight {
    let range: ByteRange
    var isDemand: Bool
    /// Request and waiter, in order of arrival.
    var interested: [(WaiterID, Int?)] = []
  }

  private struct Request {
    let id: WaiterID
    let flights: [FlightID]
  }

  private static let blockSize = 8

  private var random: TestRandom
  private let byteCount: Int
  private let longest: Int
  private var table: Flights<Int>
  private var generation: UInt64 = 1
  /// Of the newest generation.
  private var owner: [FlightID?]
  private var flights: [FlightID: Flight] = [:]
  private var everSeen: Set<FlightID> = []
  private var requests: [Request] = []
  private var lastWaiter = 0
  private(set) var tally = Tally()

  init(seed: UInt64) {
    random = TestRandom(seed)
    byteCount = 40 + random.below(60)
    longest = [7, 8, 16, 24, 1000][random.below(5)]
    table = Flights(longest: longest)
    owner = Array(repeating: nil, count: byteCount)
  }

  mutating func run() -> Mismatch? {
    do {
      for _ in 0..<80 {
        switch random.below(20) {
        case 0..<9: try request()
        case 9..<14: try complete()
        default: try leave()
        }
        try checkTable()
      }
      while !flights.isEmpty { try complete() }
      try expect(table.isEmpty && table.count == 0 && table.joinable.count == 0, "not empty after all have completed")
      return nil
    } catch { return error }
  }

  private func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(Mismatch) {
    if !condition { throw Mismatch(description: what()) }
  }

  // MARK: Events

  private mutating func request() throws(Mismatch) {
    let gaps = randomGaps()
    let isLate = generation > 1 && random.below(12) == 0
    if !isLate, random.below(25) == 0 {
      generation += 1 + UInt64(random.below(2))
      owner = Array(repeating: nil, count: byteCount)
    }
    let isDemand = random.below(3) > 0
    let isExact = random.below(3) == 0
    lastWaiter += 1
    let waiter = isDemand || random.below(4) == 0 ? lastWaiter : nil
    let grid = BlockGrid(blockSize: Self.blockSize)!
    let widen = { [byteCount] (range: ByteRange) in isExact ? range : grid.outward(range, in: byteCount) }

    let plan = table.request(
      gaps, generation: isLate ? generation - 1 : generation, purpose: isDemand ? .demand : .prefetch, waiter: waiter,
      widen: widen)

    var bringing = isLate ? Array(repeating: nil, count: byteCount) : owner
    let before = bringing
    try expect(plan.starts.map(\.range) == fresh(gaps, before, widen), "wrong starts for \(gaps): \(plan)")
    for start in plan.starts {
      try expect(everSeen.insert(start.flight).inserted, "an id came twice")
      try expect(start.purpose == (isDemand ? .demand : .prefetch), "wrong purpose")
      flights[start.flight] = Flight(range: start.range, isDemand: isDemand)
      for byte in start.range {
        try expect(bringing[byte] == nil, "byte \(byte) is fetched twice")
        bringing[byte] = start.flight
      }
    }
    if !isLate { owner = bringing }
    tally.late += isLate ? 1 : 0
    try checkParts(plan, gaps, bringing)
    try note(plan, waiter, before: before, isDemand: isDemand)
  }

  /// What the plan says about joining, and what it makes of the interests.
  private mutating func note(
    _ plan: FlightPlan, _ waiter: Int?, before: [FlightID?], isDemand: Bool
  ) throws(Mismatch) {
    var mine: [FlightID] = []
    for part in plan.parts where !mine.contains(part.flight) { mine.append(part.flight) }
    let joined = mine.filter { flight in before.contains(flight) }
    try expect(plan.joinedCount == joined.count, "joined \(joined), not \(plan.joinedCount)")
    let raised = isDemand ? joined.filter { flights[$0]?.isDemand == false } : []
    try expect(Array(plan.raised) == raised, "raised \(raised), not \(plan.raised)")
    for flight in mine { flights[flight]?.interested.append((plan.waiter, waiter)) }
    for flight in raised { flights[flight]?.isDemand = true }
    requests.append(Request(id: plan.waiter, flights: plan.parts.map(\.flight)))
    tally.joined += joined.count
    tally.raised += raised.count
  }

  private mutating func complete() throws(Mismatch) {
    let ids = flights.keys.sorted { $0.number < $1.number }
    guard !ids.isEmpty else { return }
    let id = ids[random.below(ids.count)]
    let waiters = Array(table.completed(id))
    let flight = flights.removeValue(forKey: id)
    let expected = flight.map { $0.interested.compactMap(\.1) } ?? []
    try expect(waiters == expected, "woke \(waiters), not \(expected)")
    for byte in owner.indices where owner[byte] == id { owner[byte] = nil }
    tally.woken += waiters.count
  }

  private mutating func leave() throws(Mismatch) {
    guard !requests.isEmpty else { return }
    // Late ones most of the time: those before them have left or been answered.
    let back = random.below(random.below(4) == 0 ? requests.count : min(6, requests.count))
    let request = requests[requests.count - 1 - back]
    let leaving = random.below(5) == 0 ? Array(request.flights.prefix(1)) : request.flights
    var expected: [FlightID] = []
    for id in leaving {
      guard var flight = flights[id], flight.interested.contains(where: { $0.0 == request.id }) else { continue }
      flight.interested.removeAll { $0.0 == request.id }
      if flight.interested.isEmpty {
        expected.append(id)
        for byte in owner.indices where owner[byte] == id { owner[byte] = nil }
      }
      flights[id] = flight
    }
    let cancelled = Array(table.leave(leaving, request.id))
    try expect(cancelled == expected, "cancelled \(cancelled), not \(expected)")
    tally.cancelled += cancelled.count
  }

  // MARK: Rules

  private func checkTable() throws(Mismatch) {
    try expect(table.count == flights.count, "\(table.count) under way, not \(flights.count)")
    var joinable = 0
    var previous: FlightID?
    for id in owner where id != previous {
      previous = id
      guard let id else { continue }
      joinable += 1
      try expect(flights[id]?.interested.isEmpty == false, "a joinable flight that nobody wants")
    }
    try expect(table.joinable.count == joinable, "\(table.joinable.count) joinable, not \(joinable)")
  }

  /// The parts are the gaps, cut only where flights meet, each of the flight that brings its bytes.
  private func checkParts(_ plan: FlightPlan, _ gaps: [ByteRange], _ bringing: [FlightID?]) throws(Mismatch) {
    var expected: [FlightPlan.Part] = []
    for gap in gaps {
      var lower = gap.lowerBound
      for byte in gap where byte + 1 == gap.upperBound || bringing[byte + 1] != bringing[byte] {
        guard let flight = bringing[byte] else { throw Mismatch(description: "nobody brings byte \(byte)") }
        expected.append(.init(flight: flight, range: lower..<byte + 1))
        lower = byte + 1
      }
    }
    try expect(Array(plan.parts) == expected, "parts \(plan.parts), not \(expected)")
  }

  /// What is to be fetched for `gaps`, byte by byte.
  private mutating func fresh(
    _ gaps: [ByteRange], _ owner: [FlightID?], _ widen: (ByteRange) -> ByteRange
  ) -> [ByteRange] {
    var wanted = Array(repeating: false, count: byteCount)
    for gap in gaps {
      for run in runs(gap.map { (byte: $0, isIn: owner[$0] == nil) }) {
        let wide = widen(run)
        for byte in run { wanted[byte] = true }
        for byte in (wide.lowerBound..<run.lowerBound).reversed() {
          guard owner[byte] == nil else { break }
          wanted[byte] = true
        }
        for byte in run.upperBound..<wide.upperBound {
          guard owner[byte] == nil else { break }
          wanted[byte] = true
        }
        if wide.contains(where: { owner[$0] != nil }) { tally.clipped += 1 }
      }
    }
    return runs(wanted.indices.map { (byte: $0, isIn: wanted[$0]) }).flatMap { run in
      guard run.count > longest else { return [run] }
      tally.cut += 1
      let cuts = [run.lowerBound] + run.dropFirst().filter { $0 % longest == 0 } + [run.upperBound]
      return zip(cuts, cuts.dropFirst()).map { $0..<$1 }.filter { piece in gaps.contains { $0.overlaps(piece) } }
    }
  }

  private func runs(_ bytes: [(byte: Int, isIn: Bool)]) -> [ByteRange] {
    var runs: [ByteRange] = []
    for (byte, isIn) in bytes where isIn {
      if let last = runs.last, last.upperBound == byte {
        runs[runs.count - 1] = last.lowerBound..<byte + 1
      } else {
        runs.append(byte..<byte + 1)
      }
    }
    return runs
  }

  private mutating func randomGaps() -> [ByteRange] {
    var gaps: [ByteRange] = []
    var cursor = random.below(byteCount)
    for _ in 0..<1 + random.below(3) where cursor < byteCount {
      let end = min(byteCount, cursor + 1 + random.below(random.below(6) == 0 ? byteCount : 12))
      gaps.append(cursor..<end)
      cursor = end + random.below(8)
    }
    return gaps
  }
}
