import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct RemovedRangesTests {
  @Test func `what was requested before a removal ended is stale where it overlaps, and only there`() {
    var removed = RemovedRanges()
    removed.begin(10..<20)
    #expect(removed.overlaps(19..<30, since: 1000) && !removed.overlaps(20..<30, since: 0))
    removed.end(10..<20, at: 5)
    #expect(removed.overlaps(0..<11, since: 4) && !removed.overlaps(0..<11, since: 5))
    #expect(!removed.overlaps(0..<10, since: 0))
  }

  @Test func `removals at the same time end one by one`() {
    var removed = RemovedRanges()
    removed.begin(0..<4)
    removed.begin(0..<4)
    removed.end(0..<4, at: 7)
    #expect(removed.overlaps(0..<1, since: 100))
    removed.end(0..<4, at: 9)
    #expect(removed.overlaps(0..<1, since: 8) && !removed.overlaps(0..<1, since: 9))
  }

  @Test(arguments: 1...20)
  func `however many ranges are removed, none is forgotten and few are remembered`(seed: UInt64) {
    var random = TestRandom(seed)
    var removed = RemovedRanges()
    var last = [UInt64](repeating: 0, count: 1000)
    for generation in 1...UInt64(300) {
      let lower = random.below(990)
      let range = lower..<lower + 1 + random.below(9)
      removed.add(range, endingAt: generation)
      for place in range { last[place] = generation }
      let place = random.below(1000)
      #expect(last[place] == 0 || removed.overlaps(place..<place + 1, since: last[place] - 1))
    }
    #expect(removed.count <= RemovedRanges.maxCount)
  }

  @Test func `every second block can be removed without the others, as long as there are few`() {
    var removed = RemovedRanges()
    for block in 0..<RemovedRanges.maxCount { removed.add(block * 2..<block * 2 + 1, endingAt: UInt64(block) + 1) }
    #expect((0..<RemovedRanges.maxCount).allSatisfy { !removed.overlaps($0 * 2 + 1..<$0 * 2 + 2, since: 0) })
  }
}
