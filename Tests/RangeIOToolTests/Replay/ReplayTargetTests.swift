#if Tool
import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTool

/// The real store and the real stage, as targets of a replay.
@Suite struct ReplayTargetTests {
  private func counts(_ trace: RangeTrace, _ order: Replay.Order, _ options: ReplayOptions) async throws -> ReplayCounts
  {
    let replay = Replay(trace: trace, grid: options.grid, order: order)
    let source = MadeUpSource(byteCount: trace.byteCount)
    let store = options.store(.lru)
    switch order {
    case .block:
      var target = StoreTarget(store, options.grid, source)
      return try await replay.run(&target)
    case .request:
      var target = try await ReaderTarget(store, options.grid, source)
      return try await replay.run(&target)
    }
  }

  @Test(arguments: [(20, 1, 40), (19, 1, 0), (60, 4, 40)], Replay.Order.allCases)
  func `a cache keeps to its room and its policy`(
    _ room: (blocks: Int, shards: Int, hits: Int), order: Replay.Order
  ) async throws {
    // Three times round 20 blocks, which LRU has all of or none; the last is shorter.
    let requests = (0..<60).map { $0 % 20 * 8..<min($0 % 20 * 8 + 8, 157) }
    let trace = RangeTrace(requests: requests, byteCount: 157)
    let options = try ReplayOptions(blocks: room.blocks, capacity: nil, blockSize: "8", shards: room.shards)
    let counts = try await counts(trace, order, options)
    #expect(counts.blockAccesses == 60 && counts.hits == room.hits)
    #expect(counts.sourceOperations == 60 - room.hits)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `block by block the store hits as a list of blocks does, the last read first`(seed: UInt64) async throws {
    var ranges = DemoRanges(byteCount: 3000, seed: seed)
    let trace = RangeTrace(requests: ranges.next(300, sizes: 1...300), byteCount: 3000)
    let options = try ReplayOptions(blocks: 40, capacity: nil, blockSize: "32", shards: 1)
    let counts = try await counts(trace, .block, options)
    var (list, hits) = ([Int](), 0)
    for block in trace.requests.flatMap({ options.grid.blocks(covering: $0) }) {
      if let place = list.firstIndex(of: block) {
        hits += 1
        list.remove(at: place)
      }
      list = (list + [block]).suffix(40)
    }
    #expect(counts.hits == hits && counts.sourceOperations == counts.blockAccesses - hits)
  }

  @Test func `request by request what is missing is fetched as runs, once`() async throws {
    let trace = RangeTrace(requests: [10..<35, 0..<0, 0..<45, 40..<41, 0..<45], byteCount: 45)
    let options = try ReplayOptions(blocks: 100, capacity: nil, blockSize: "8", shards: nil)
    let counts = try await counts(trace, .request, options)
    #expect(counts.blockAccesses == 17 && counts.hits == 11)
    #expect(counts.requestedBytes == 116 && counts.hitBytes == 78)
    #expect(counts.sourceOperations == 3 && counts.sourceBytes == 45)
  }

  @Test func `a source makes up bytes of any length and notes what it is asked for`() async throws {
    let source = MadeUpSource(byteCount: 1_000_000)
    let grid = try #require(BlockGrid(blockSize: 65_536))
    let whole = try await source.read(0..<1_000_000, of: source.description)
    #expect(whole.count == 1_000_000 && whole.allSatisfy { $0 == 0xA5 })
    let parts = try await source.read(grid.pieces(of: 10..<200_000).map(\.range), of: source.description)
    #expect(parts.map(\.count) == [65_526, 65_536, 65_536, 3392])
    var reads: [ByteRange] = []
    source.takeReads(into: &reads)
    source.takeReads(into: &reads)
    #expect(reads == [0..<1_000_000, 10..<200_000])
  }
}
#endif
