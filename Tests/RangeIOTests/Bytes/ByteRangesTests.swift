import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ByteRangesTests {
  /// Every range within `0..<9`, empty ones included.
  private static let small = (0..<9).flatMap { a in (a..<9).map { b in a..<b } }

  @Test(
    arguments: [
      (0, 0, 0..<0), (5, 10, 5..<15), (Int.max, 0, Int.max..<Int.max), (Int.max - 1, 1, Int.max - 1..<Int.max),
      (0, Int.max, 0..<Int.max), (1, Int.max, nil), (Int.max, 1, nil), (-1, 5, nil), (5, -1, nil),
      (Int.min, Int.min, nil), (-5, Int.max, nil), (Int.max, Int.max, nil), (10, Int.min, nil),
    ] as [(Int, Int, Range<Int>?)])
  func `a range by offset and count, or nil`(offset: Int, count: Int, wanted: Range<Int>?) {
    #expect(ByteRanges.range(offset: offset, count: count) == wanted)
  }

  @Test func `algebra of two ranges agrees with sets, for all small ranges`() {
    for a in Self.small {
      for b in Self.small {
        let (left, right) = (Set(a), Set(b))
        let shared = ByteRanges.intersection(a, b)
        #expect(shared.map(Set.init) ?? [] == left.intersection(right), "\(a) ∩ \(b)")
        #expect(shared?.isEmpty != true)

        let both = left.union(right)
        let isOne = both.isEmpty || both.count == both.max()! - both.min()! + 1
        let union = ByteRanges.union(a, b)
        #expect((union != nil) == isOne, "\(a) ∪ \(b)")
        if let union { #expect(Set(union) == both, "\(a) ∪ \(b)") }

        let rest = ByteRanges.subtract(b, from: a)
        #expect(Set(rest.joined()) == left.subtracting(right), "\(a) − \(b)")
        #expect(rest.map(\.count).reduce(0, +) == left.subtracting(right).count)
        #expect(rest.allSatisfy { !$0.isEmpty })
        #expect(rest.map(\.lowerBound) == rest.map(\.lowerBound).sorted())
      }
    }
  }

  @Test(arguments: testSeeds)
  func `normalize and gaps agree with sets`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<200 {
      let ranges = (0..<random.below(8)).map { _ in random.range(within: 40) }
      let bytes = Set(ranges.joined())

      let merged = ByteRanges.normalize(ranges)
      #expect(Set(merged.joined()) == bytes, "seed \(seed): \(ranges)")
      #expect(merged.allSatisfy { !$0.isEmpty })
      for (a, b) in zip(merged, merged.dropFirst()) { #expect(a.upperBound < b.lowerBound, "seed \(seed): \(ranges)") }

      let asked = random.range(within: 40)
      let gaps = ByteRanges.gaps(in: asked, covered: ranges)
      #expect(Set(gaps.joined()) == Set(asked).subtracting(bytes), "seed \(seed): \(asked) of \(ranges)")
      #expect(gaps.allSatisfy { !$0.isEmpty })
      for (a, b) in zip(gaps, gaps.dropFirst()) { #expect(a.upperBound < b.lowerBound, "seed \(seed): \(ranges)") }
    }
  }

  @Test func `ends of the number line are no special case`() {
    let all = 0..<Int.max
    #expect(ByteRanges.intersection(all, Int.max - 1..<Int.max) == Int.max - 1..<Int.max)
    #expect(ByteRanges.union(0..<5, 5..<Int.max) == all)
    #expect(ByteRanges.subtract(1..<Int.max - 1, from: all) == [0..<1, Int.max - 1..<Int.max])
    #expect(ByteRanges.gaps(in: all, covered: [5..<10]) == [0..<5, 10..<Int.max])
    #expect(ByteRanges.normalize([5..<Int.max, 0..<5]) == [all])
  }

  @Test func `two chunks that each cover half cover a read over their seam`() {
    // 0..<50, 10..<20 and 50..<100 in a cache, then 40..<60: the superset must not hide its neighbour.
    #expect(ByteRanges.gaps(in: 40..<60, covered: [0..<50, 10..<20, 50..<100]) == [])
  }
}
