import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct PartitionPointTests {
  @Test func `it is the first index of the second part, for every split of every length`() {
    for count in 0..<20 {
      for split in 0...count {
        #expect((0..<count).partitionPoint { $0 >= split } == split)
      }
    }
  }

  @Test func `a slice answers in its own indices`() {
    let slice = [0, 10, 20, 30, 40][1..<4]
    #expect(slice.partitionPoint { $0 > 0 } == 1)
    #expect(slice.partitionPoint { $0 > 20 } == 3)
    #expect(slice.partitionPoint { $0 > 40 } == 4)
  }
}
