import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

@Suite struct SpillRemovedBlocksTests {
  @Test(arguments: testSeeds)
  func `it says of each block what a list of all tombstones says`(_ seed: UInt64) {
    var random = TestRandom(seed)
    var removed = SpillRemovedBlocks()
    var all: [(blocks: Range<UInt64>, bound: UInt64)] = []
    let width = [3, 20, 200][random.below(3)]
    for _ in 0..<random.below(60) {
      let lower = UInt64(random.below(100))
      let blocks = lower..<lower + UInt64(random.below(width))
      let bound = UInt64(random.below(10))
      removed.add(blocks, bound: bound)
      all.append((blocks, bound))
      if random.below(10) == 0 { removed.prepare(forQuestions: .max) }
      for list in removed.lists {
        #expect(zip(list, list.dropFirst()).allSatisfy { $0.blocks.upperBound <= $1.blocks.lowerBound })
        #expect(list.allSatisfy { !$0.blocks.isEmpty })
      }
    }
    var prepared = removed
    prepared.prepare(forQuestions: .max)
    #expect(prepared.lists.count <= 1)
    for block in 0..<UInt64(320) {
      for sequence in [0, 3, 9] as [UInt64] {
        let expected = all.contains { $0.blocks.contains(block) && sequence < $0.bound }
        #expect(removed.removes(block, sequence) == expected, "\(block), \(sequence)")
        #expect(prepared.removes(block, sequence) == expected, "\(block), \(sequence), in one list")
      }
    }
  }

  @Test func `a hundred thousand tombstones are put together in few steps, and asked in few`() {
    var removed = SpillRemovedBlocks()
    let count = 100_000
    // In no order, with gaps, so that none becomes a part of another.
    for number in 0..<count {
      let block = UInt64(number * 7919 % count) * 2
      removed.add(block..<block + 1, bound: UInt64(number))
    }
    // log2 of the count is less than 17.
    #expect(removed.lists.count <= 17 && removed.work < count * 2 * 17, "\(removed.work)")
    #expect(removed.lists.reduce(0) { $0 + $1.count } == count)
    #expect(removed.removes(2, 0) && !removed.removes(3, 0))
  }

  @Test func `whole sources that are removed again and again are one span`() {
    var removed = SpillRemovedBlocks()
    for number in 0..<10_000 { removed.add(0..<1 << 40, bound: UInt64(number)) }
    #expect(removed.lists.count <= 14 && removed.removes(5, 9_998) && !removed.removes(5, 9_999))
    #expect(removed.work < 10_000 * 20)
  }
}
