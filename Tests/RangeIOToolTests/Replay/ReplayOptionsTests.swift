#if Tool
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct ReplayOptionsTests {
  @Test func `the room is given in blocks or in bytes`() throws {
    let blocks = try ReplayOptions(blocks: 10, capacity: nil, blockSize: "4KiB", shards: 2)
    #expect(blocks.room == .blocks(10) && blocks.grid.blockSize == 4096 && blocks.shards == 2)
    let bytes = try ReplayOptions(blocks: nil, capacity: "64MiB", blockSize: "64k", shards: nil)
    #expect(bytes.room == .bytes(.mebibytes(64)) && bytes.grid.blockSize == 65_536 && bytes.shards == nil)
    #expect(bytes.store(.lru).counts().limit == 64 << 20)
    #expect(blocks.store(.lru).counts().limit > 10 * 4096)
  }

  @Test(
    arguments: [
      (nil, nil, "4KiB", nil), (1, "4KiB", "4KiB", nil), (0, nil, "4KiB", nil), (-1, nil, "4KiB", nil),
      (nil, "x", "4KiB", nil), (nil, "4096", "4KiB", nil), (1, nil, "5000", nil), (1, nil, "2GiB", nil),
      (1, nil, "0", nil), (1, nil, "-4", nil), (1, nil, "x", nil), (1, nil, "4KiB", 0), (1, nil, "4KiB", 2),
      (9, nil, "4KiB", 3), (1, nil, "4KiB", -1),
    ] as [(Int?, String?, String, Int?)])
  func `what makes no cache is a usage error`(blocks: Int?, capacity: String?, blockSize: String, shards: Int?) {
    let failure = #expect(throws: ToolFailure.self) {
      try ReplayOptions(blocks: blocks, capacity: capacity, blockSize: blockSize, shards: shards)
    }
    #expect(failure?.status == .usage)
  }

  @Test func `too little room is told by the option that was given, with what to do`() {
    let trace: (BlockGrid) -> Int = { _ in 30 }
    let cases: [(capacity: String?, share: Int?, memoryShare: Int?, words: [String])] = [
      ("4096", nil, nil, ["--capacity: 4 KiB are too few", "4216 bytes", "a larger --capacity"]),
      (nil, 1, nil, ["--share: 1% of what the trace reads is ", "4216 bytes", "--share", "--capacity"]),
      (nil, nil, 1, ["--memory-share: 1% of the 30 blocks", "--memory-share", "--capacity"]),
    ]
    for (capacity, share, memoryShare, words) in cases {
      let failure = #expect(throws: ToolFailure.self) {
        try ReplayOptions(
          blocks: nil, capacity: capacity, share: share, memoryShare: memoryShare, blockSize: "4KiB", shards: nil,
          uniqueBlocks: trace)
      }
      for word in words { #expect(failure?.message.contains(word) == true, "\(failure?.message ?? "")") }
      if capacity == nil { #expect(failure?.message.hasPrefix("--capacity") == false) }
    }
  }

  @Test func `policies go by their names, and all of them means each once`() {
    #expect(ReplayPolicy.all.factories(seed: 0).map(\.name) == ["default", "lru", "sieve", "s3fifo"])
    #expect(ReplayPolicy.default.factories(seed: 0).map(\.name) == ["default"])
    for choice in [ReplayPolicy.lru, .sieve, .s3fifo, .adaptive] {
      #expect(choice.factories(seed: 0).map(\.name) == [choice.rawValue])
      #expect(choice.factories(seed: 0).map(\.factory.name) == [choice.rawValue])
    }
  }
}
#endif
