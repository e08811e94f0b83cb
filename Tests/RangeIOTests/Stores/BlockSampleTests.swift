import Testing

@testable import RangeIO

struct BlockSampleTests {
  @Test(arguments: [(0, 0), (1 << 18, 0), (1 << 20, 2), (4 << 20, 4), (64 << 20, 5), (Int.max, 5)])
  func `the larger the store, the smaller the share, down to one in thirty-two`(capacity: Int, bits: Int) {
    let sample = BlockSample(capacity: capacity)
    #expect(sample.bits == bits)
    let count = (0..<32_000).count { sample.contains($0) }
    #expect(abs(count - 32_000 >> bits) <= 16)
  }

  @Test func `neighbours are not in it together, and any number may be asked for`() {
    let sample = BlockSample(capacity: 64 << 20)
    #expect(!(0..<10_000).contains { sample.contains($0) && sample.contains($0 + 1) })
    for block in [-1, 0, .max, .min] { _ = sample.contains(block) }
  }

  @Test func `the empty sample has no block`() {
    #expect(!([-1, 0, .max, .min] + Array(0..<10_000)).contains { BlockSample.none.contains($0) })
  }
}
