import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct EqualBlocksTests {
  @Test func `blocks of any size cover ranges as a grid does, and end with the source`() {
    for size in [1, 3, 16, 100] {
      let blocks = EqualBlocks(size: size)
      for byteCount in [0, 1, 3, 99, 100, 101] {
        #expect(blocks.count(in: byteCount) == stride(from: 0, to: byteCount, by: size).count { _ in true })
        for lower in 0...byteCount {
          for upper in [lower, (lower + byteCount) / 2, byteCount] {
            let covering = blocks.blocks(covering: lower..<upper)
            guard lower < upper else {
              #expect(covering.isEmpty)
              continue
            }
            let range = blocks.range(of: covering, in: byteCount)
            #expect(range.lowerBound <= lower && lower - range.lowerBound < size && range.lowerBound % size == 0)
            #expect(range.upperBound >= upper && range.upperBound - upper < size)
            #expect(range.upperBound == byteCount || range.upperBound % size == 0)
          }
        }
      }
    }
    #expect(EqualBlocks(size: .max / 2).range(of: 2..<3, in: .max) == .max - 1..<(.max))
  }

  @Test func `runs are in order, disjoint and do not touch`() {
    let blocks = EqualBlocks(size: 10)
    #expect(blocks.runs(covering: [95..<101, 0..<5, 20..<20, 3..<11, 30..<31]) == [0..<2, 3..<4, 9..<11])
    #expect(blocks.runs(covering: [0..<10, 10..<20]) == [0..<2])
    #expect(blocks.runs(covering: [7..<7]) == [])
    #expect(blocks.runs(covering: [5..<5, 7..<7]) == [])
  }
}
