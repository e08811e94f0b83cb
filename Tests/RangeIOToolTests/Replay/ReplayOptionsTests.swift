import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct ReplayOptionsTests {
  @Test func `the room is given in blocks or in bytes`() throws {
    let blocks = try ReplayOptions(blocks: 10, capacity: nil, blockSize: "4KiB", shards: nil)
    let bytes = try ReplayOptions(blocks: nil, capacity: "40KiB", blockSize: "4096", shards: nil)
    #expect(blocks == bytes)
    #expect(blocks.capacity == .kibibytes(40) && blocks.grid.blockSize == 4096 && blocks.shards == nil)
    #expect(try ReplayOptions(blocks: 10, capacity: nil, blockSize: "64k", shards: 5).shards == 5)
  }

  @Test(
    arguments: [
      (nil, nil, "4KiB", nil), (1, "4KiB", "4KiB", nil), (0, nil, "4KiB", nil), (-1, nil, "4KiB", nil),
      (.max, nil, "4KiB", nil), (nil, "x", "4KiB", nil), (nil, "4095", "4KiB", nil), (1, nil, "5000", nil),
      (1, nil, "0", nil), (1, nil, "-4", nil), (1, nil, "x", nil), (1, nil, "4KiB", 0), (1, nil, "4KiB", 2),
      (1, nil, "4KiB", -1),
    ] as [(Int?, String?, String, Int?)])
  func `what makes no cache is a usage error`(blocks: Int?, capacity: String?, blockSize: String, shards: Int?) {
    let failure = #expect(throws: ToolFailure.self) {
      try ReplayOptions(blocks: blocks, capacity: capacity, blockSize: blockSize, shards: shards)
    }
    #expect(failure?.status == .usage)
  }

  @Test func `policies go by their names, and all of them means each once`() {
    #expect(ReplayPolicy.all.factories.map(\.name) == ["default", "lru", "sieve", "s3fifo"])
    #expect(ReplayPolicy.default.factories.map(\.name) == ["default"])
    for choice in [ReplayPolicy.lru, .sieve, .s3fifo] {
      #expect(choice.factories.map(\.name) == [choice.rawValue])
      #expect(choice.factories.map(\.factory.name) == [choice.rawValue])
    }
  }
}
