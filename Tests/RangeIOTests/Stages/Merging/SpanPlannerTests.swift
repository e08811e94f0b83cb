import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct SpanPlannerTests {
  private func plan(
    _ ranges: [ByteRange], gap: Int, longest: Int = 1 << 20, waste: Double = .infinity
  ) -> SpanPlanner.Plan {
    SpanPlanner(gap: gap, longestSpan: longest, maxWaste: waste).plan(ranges)
  }

  private func spans(
    _ ranges: [ByteRange], gap: Int, longest: Int = 1 << 20, waste: Double = .infinity
  ) -> [ByteRange] {
    plan(ranges, gap: gap, longest: longest, waste: waste).spans.map(\.range)
  }

  // MARK: what becomes one

  @Test func `ranges nearer than the gap become one span, others do not`() {
    #expect(spans([0..<10, 19..<30, 41..<50], gap: 10) == [0..<30, 41..<50])
    #expect(spans([0..<10, 20..<30], gap: 10) == [0..<30])
    #expect(spans([0..<10, 21..<30], gap: 10) == [0..<10, 21..<30])
  }

  @Test func `a gap of nothing merges what touches or overlaps`() {
    #expect(spans([10..<20, 0..<10, 15..<25, 26..<30], gap: 0) == [0..<25, 26..<30])
  }

  @Test func `order, repetition and empty ranges do not matter, and each range is told its span`() {
    let plan = plan([50..<60, 7..<7, 0..<10, 50..<60, 5..<8, 200..<201], gap: 100)
    #expect(plan.spans == [.init(range: 0..<60, asked: 0..<4), .init(range: 200..<201, asked: 4..<5)])
    #expect(plan.order == [2, 4, 0, 3, 5])
    #expect(plan.overReadBytes == 40)
    #expect(spans([], gap: 10) == [])
    #expect(spans([3..<3], gap: 10) == [])
  }

  @Test func `a span is no longer than its bound, but what was asked for is not cut`() {
    #expect(spans([0..<40, 41..<80, 82..<120], gap: 1000, longest: 100) == [0..<80, 82..<120])
    #expect(spans([0..<500, 501..<510], gap: 1000, longest: 100) == [0..<500, 501..<510])
    // Overlapping ranges stay together, touching ones need not.
    #expect(spans([0..<60, 59..<120, 120..<130], gap: 1000, longest: 100) == [0..<120, 120..<130])
    #expect(spans([0..<60, 60..<120], gap: 1000, longest: 100) == [0..<60, 60..<120])
  }

  @Test func `where the bound cuts, it cuts where most lies between`() {
    #expect(spans([0..<10, 11..<20, 90..<100, 101..<110], gap: 1000, longest: 100) == [0..<20, 90..<110])
  }

  @Test func `numbers as large as there are do not overflow`() {
    let ranges = [0..<1, Int.max - 10..<Int.max, Int.max / 2..<Int.max / 2 + 1]
    #expect(spans(ranges, gap: .max, longest: .max).count >= 1)
    #expect(spans(ranges, gap: 5, longest: .max) == [0..<1, Int.max / 2..<Int.max / 2 + 1, Int.max - 10..<Int.max])
  }

  // MARK: waste

  @Test func `what is read over stays below a multiple of what is asked for`() {
    let ranges = (0..<100).map { $0 * 1_000_000..<$0 * 1_000_000 + 100_000 }
    let bounded = plan(ranges, gap: 2_000_000, longest: 1 << 30, waste: 3)
    #expect(bounded.overReadBytes <= 30_000_000)
    // Equal gaps are not all read or none: as many as may be.
    #expect(bounded.overReadBytes > 29_000_000)
    #expect(plan(ranges, gap: 2_000_000, longest: 1 << 30, waste: 0).spans.map(\.range) == ranges)
    #expect(plan(ranges, gap: 2_000_000, longest: 1 << 30, waste: 9).spans.count == 1)
  }

  @Test func `a few bytes may waste what a block may`() {
    let ranges = (0..<100).map { $0 * 1000..<$0 * 1000 + 16 }
    #expect(plan(ranges, gap: 10_000, waste: 2).spans.count == 1)
    #expect(plan(ranges, gap: 10_000, waste: 0).spans.count == 100)
  }

  // MARK: against the optimum

  @Test(arguments: testSeeds) func `no other spans cost less`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<60 {
      let count = 1 + random.below(10)
      let ranges = (0..<count).map { _ in
        let lower = random.below(300)
        return lower..<lower + random.below(30)
      }
      let (gap, longest) = (random.below(60), 1 + random.below(200))
      let plan = plan(ranges, gap: gap, longest: longest)
      check(plan, ranges, longest: longest, seed)
      let best = SpanCost.leastOfAll(SpanCost.pieces(of: ranges), gap: gap, longest: longest)
      #expect(SpanCost.of(plan.spans.map(\.range), gap: gap) == best, "seed \(seed): \(ranges), \(gap), \(longest)")
    }
  }

  @Test(arguments: testSeeds) func `nor of many ranges`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<4 {
      let ranges = (0..<300).map { _ in
        let lower = random.below(1 << 20)
        return lower..<lower + 1 + random.below(random.below(10) == 0 ? 40_000 : 2000)
      }
      let (gap, longest) = (random.below(20_000), 1 + random.below(100_000))
      let plan = plan(ranges, gap: gap, longest: longest)
      check(plan, ranges, longest: longest, seed)
      let best = SpanCost.least(SpanCost.pieces(of: ranges), gap: gap, longest: longest)
      #expect(SpanCost.of(plan.spans.map(\.range), gap: gap) == best, "seed \(seed)")
    }
  }

  @Test(arguments: testSeeds) func `within the bound on waste, spans save reads`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<4 {
      let ranges = (0..<200).map { _ in
        let lower = random.below(1 << 28)
        return lower..<lower + 1 + random.below(4000)
      }
      let (gap, longest, waste) = (1 + random.below(8 << 20), 1 + random.below(1 << 26), Double(random.below(40)))
      let bounded = plan(ranges, gap: gap, longest: longest, waste: waste)
      check(bounded, ranges, longest: longest, seed)
      let pieces = SpanCost.pieces(of: ranges)
      let asked = pieces.reduce(0) { $0 + $1.count }
      #expect(Double(bounded.overReadBytes) <= waste * Double(max(asked, 65_536)), "seed \(seed)")
      #expect(SpanCost.of(bounded.spans.map(\.range), gap: gap) <= SpanCost.of(pieces, gap: gap), "seed \(seed)")
      let free = plan(ranges, gap: gap, longest: longest)
      if Double(free.overReadBytes) <= waste * Double(max(asked, 65_536)) { #expect(bounded == free, "seed \(seed)") }
    }
  }

  /// What every plan must be.
  func check(_ plan: SpanPlanner.Plan, _ ranges: [ByteRange], longest: Int, _ seed: UInt64) {
    #expect(plan.order.sorted() == ranges.indices.filter { !ranges[$0].isEmpty }, "seed \(seed)")
    var next = 0
    for (before, span) in zip([nil] + plan.spans.map(Optional.some), plan.spans) {
      if let before { #expect(before.range.upperBound <= span.range.lowerBound, "seed \(seed)") }
      #expect(span.asked.lowerBound == next && !span.asked.isEmpty, "seed \(seed)")
      next = span.asked.upperBound
      let inside = plan.order[span.asked].map { ranges[$0] }
      #expect(inside.allSatisfy { span.range.clamped(to: $0) == $0 }, "seed \(seed)")
      #expect(inside.map(\.lowerBound).min() == span.range.lowerBound, "seed \(seed)")
      #expect(inside.map(\.upperBound).max() == span.range.upperBound, "seed \(seed)")
      if SpanCost.pieces(of: inside).count > 1 { #expect(span.range.count <= longest, "seed \(seed)") }
    }
    #expect(next == plan.order.count, "seed \(seed)")
    let asked = SpanCost.pieces(of: ranges).reduce(0) { $0 + $1.count }
    #expect(plan.overReadBytes == plan.spans.reduce(0) { $0 + $1.range.count } - asked, "seed \(seed)")
  }
}
