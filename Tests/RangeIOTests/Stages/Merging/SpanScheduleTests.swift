import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Spans for several connections.
struct SpanScheduleTests {
  private func planner(
    _ gap: Int, longest: Int = 32 << 20, waste: Double = 256, connections: Int = 8, overRead: Int = 128 << 20
  ) -> SpanPlanner {
    SpanPlanner(gap: gap, longestSpan: longest, maxWaste: waste, connections: connections, maxOverRead: overRead)
  }

  private func spans(_ ranges: [ByteRange], _ planner: SpanPlanner) -> [ByteRange] {
    planner.plan(ranges).spans.map(\.range)
  }

  // MARK: the estimate

  @Test func `the connection that is free first takes the next span`() {
    let schedule = SpanSchedule(gap: 10, connections: 2)
    #expect(schedule.time([]) == 0)
    #expect(schedule.time([5]) == 15)
    #expect(schedule.time([5, 5, 5]) == 30)
    #expect(schedule.time([90, 5, 5, 5, 5, 5]) == 100)
    #expect(schedule.time([5, 5, 5, 5, 5, 90]) == 130)
  }

  @Test(arguments: testSeeds) func `any number of connections, and of spans`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<100 {
      let (gap, connections) = (random.below(1000), 1 + random.below(20))
      let spans = (0..<1 + random.below(60)).map { _ in 0..<random.below(5000) }
      let time = SpanSchedule(gap: gap, connections: connections).time(spans.map(\.count))
      #expect(time == SpanCost.time(spans, gap: gap, connections: connections), "seed \(seed)")
    }
  }

  // MARK: what becomes one

  @Test func `no more ranges than connections are read beside each other, however large the gap`() {
    // A column of eight row groups, 150 ms away at 200 MB/s.
    let column = (0..<8).map { $0 * 12_000_000..<$0 * 12_000_000 + 1_000_000 }
    #expect(spans(column, planner(30_000_000)) == column)
    #expect(spans(column, planner(30_000_000, connections: 1)).count == 3)
  }

  @Test func `what lies very close together is one span even so`() {
    let tags = (0..<6).map { $0 * 200..<$0 * 200 + 100 }
    #expect(spans(tags, planner(400_000)) == [0..<1100])
    #expect(spans(tags + [1 << 30..<1 << 30 + 10], planner(400_000)) == [0..<1100, 1 << 30..<1 << 30 + 10])
  }

  @Test func `of a few more than connections, only so many are joined as save a round`() {
    // Three pairs nearer than the others: with those joined, eight connections need one round.
    let lowers = [0, 5, 6, 11, 16, 17, 22, 27, 28, 33, 38].map { $0 * 100_000 }
    let ranges = lowers.map { $0..<$0 + 10_000 }
    let joined = spans(ranges, planner(1_000_000))
    #expect(joined.count == 8)
    #expect(joined.allSatisfy { $0.count <= 110_000 })
  }

  @Test func `no chain of ranges keeps one connection reading while the others wait`() {
    let ranges = (0..<400).map { $0 * 100_000..<$0 * 100_000 + 4096 }
    let counts = spans(ranges, planner(3_000_000)).map(\.count)
    #expect(counts.count == 8)
    #expect(counts.allSatisfy { (4_800_000...5_000_000).contains($0) })
  }

  @Test func `with one connection it is the sum that counts`() {
    let ranges = (0..<20).map { $0 * 1_000_000..<$0 * 1_000_000 + 4096 }
    #expect(spans(ranges, planner(3_000_000, connections: 1)).count == 1)
    #expect(spans(ranges, planner(900_000, connections: 1)) == ranges)
  }

  @Test func `what is read at once over-reads no more than may be in memory`() {
    let ranges = (0..<100).map { $0 * 1_000_000..<$0 * 1_000_000 + 100_000 }
    let all = planner(1 << 30, longest: 1 << 30, connections: 1, overRead: 90_000_000)
    #expect(spans(ranges, all).count == 1)
    let half = planner(1 << 30, longest: 1 << 30, connections: 5, overRead: 50_000_000).plan(ranges)
    #expect(half.spans.allSatisfy { $0.asked.count <= 12 })
    // Also where waste is what bounds it.
    let bounded = planner(1 << 30, longest: 1 << 30, waste: 5, connections: 5, overRead: 50_000_000).plan(ranges)
    #expect(bounded.spans.allSatisfy { $0.asked.count <= 12 })
    #expect(bounded.overReadBytes <= 50_000_000 && bounded.overReadBytes > 48_000_000)
  }

  /// What a source knows of itself.
  private final class Context: MeasuredCost {
    let measured: SourceDescription.Measurement
    let extent = Locked(FetchExtent())
    let fetchSize: Int? = nil
    init(_ measured: SourceDescription.Measurement) { self.measured = measured }
    func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Measurement? { measured }
  }

  @Test func `a source tells its connections, and how well it knows its rate`() throws {
    func planner(_ isGuess: Bool, _ isYoung: Bool, _ connections: Int?, _ merging: ReadPipeline) throws -> SpanPlanner {
      let cost = SourceDescription.Cost(latency: .milliseconds(20), bytesPerSecond: 20e6)
      let context = Context(.init(cost, isGuess: isGuess, isYoung: isYoung, connections: connections))
      return try #require(
        merging.planner(
          for: SourceDescription(id: "far", validator: nil, byteCount: 1, traits: .with { $0.context = context })))
    }
    let known = try planner(false, false, 8, .merging(maxConcurrentSpans: 12))
    #expect((known.gap, known.connections, known.longestSpan) == (400_000, 8, 32 << 20) && known.haveOwnRate)
    #expect(try planner(false, false, nil, .merging(maxConcurrentSpans: 12)).connections == 12)
    #expect(try planner(false, false, 8, .merging(maxConcurrentSpans: 4)).connections == 4)
    #expect(try planner(true, true, 8, .merging()).longestSpan == 1 << 20)
    #expect(try planner(false, true, 8, .merging()).longestSpan == 4 << 20)
    #expect(try !planner(false, false, 8, .merging(maxGap: .bytes(1))).haveOwnRate)
  }

  @Test func `the gap is by the latency of a read that waits for no others`() throws {
    let cost = SourceDescription.Cost(latency: .milliseconds(80), bytesPerSecond: 20e6)
    let context = Context(.init(cost, isGuess: false, leastLatency: .milliseconds(20)))
    let source = SourceDescription(id: "far", validator: nil, byteCount: 1, traits: .with { $0.context = context })
    let merging: ReadPipeline = .merging()
    #expect(merging.planner(for: source)?.gap == 400_000)
  }

  // MARK: against other plans

  private static func ranges(_ random: inout TestRandom) -> [ByteRange] {
    let (count, size) = (1 + random.below(1 << (1 + random.below(9))), 1 << (10 + random.below(21)))
    let longest = 1 + random.below(1 << random.below(17))
    return (0..<count).map { _ in
      let lower = random.below(size)
      return lower..<lower + 1 + random.below(longest)
    }
  }

  @Test(arguments: testSeeds) func `never slower than no merging, nor than the cheapest spans`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<60 {
      let ranges = Self.ranges(&random)
      let (gap, connections) = (random.below(1 << random.below(26)), 2 + random.below(15))
      let planner = planner(
        gap, longest: 1 + random.below(1 << 25), waste: Double(random.below(300)), connections: connections,
        overRead: 1 + random.below(1 << 28))
      let plan = planner.plan(ranges)
      SpanPlannerTests().check(plan, ranges, longest: planner.longestSpan, seed)
      #expect(planner.plan(ranges.shuffled(using: &random)).spans == plan.spans, "seed \(seed)")
      let pieces = SpanCost.pieces(of: ranges)
      let asked = pieces.reduce(0) { $0 + $1.count }
      #expect(Double(plan.overReadBytes) <= planner.maxWaste * Double(max(asked, 65_536)), "seed \(seed)")
      let overRead = plan.spans.map { span in
        span.range.count - pieces.filter { span.range.contains($0.lowerBound) }.reduce(0) { $0 + $1.count }
      }
      let atOnce = overRead.sorted(by: >).prefix(connections).reduce(0, +)
      #expect(atOnce <= max(planner.maxOverRead, connections << 20), "seed \(seed)")
      var cheapest = planner
      cheapest.haveOwnRate = false
      // A sixteenth is what the work counts for, or a round of many.
      let time = SpanCost.time(plan.spans.map(\.range), gap: gap, connections: connections)
      for others in [pieces, spans(ranges, cheapest)] {
        let other = SpanCost.time(others, gap: gap, connections: connections)
        #expect(time <= other * 17 / 16 + 1, "seed \(seed): \(plan.spans.count) spans instead of \(others.count)")
      }
    }
  }

  /// 1,000 pages anywhere in 1 GiB, by the milliseconds and the rates of nine links.
  @Test(arguments: [2, 20, 150], [2e6, 20e6, 200e6])
  func `scattered pages take about the least time, and no more bytes`(milliseconds: Int, rate: Double) {
    for seed in testSeeds.suffix(2) {
      var random = TestRandom(seed)
      let ranges = (0..<1000).map { _ in random.below(1 << 30 - 4096) }.map { $0..<$0 + 4096 }
      let gap = milliseconds * Int(rate) / 1000
      let read = spans(ranges, planner(gap))
      let least = SpanCost.leastTime(SpanCost.pieces(of: ranges), gap: gap, connections: 8)
      let time = SpanCost.time(read, gap: gap, connections: 8)
      // Where all of 1 GiB is worth reading at once, memory bounds it: 128 MiB at once.
      #expect(time <= (gap < 30_000_000 ? 1.2 : 2.5) * least.time, "seed \(seed)")
      #expect(Double(read.reduce(0) { $0 + $1.count }) <= 1.5 * Double(least.bytes), "seed \(seed)")
    }
  }
}
