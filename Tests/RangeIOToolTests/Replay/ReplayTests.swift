import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTool

/// Keeps the blocks that came last, and notes what it is asked.
private struct NaiveTarget: ReplayTarget {
  enum Call: Equatable {
    case lookUp(ByteRange)
    case insert(Range<Int>)
  }

  let blockSize: Int
  let room: Int
  var blocks: [Int] = []
  var calls: [Call] = []

  mutating func lookUp(_ range: ByteRange) -> [Range<Int>] {
    calls.append(.lookUp(range))
    let missing = Set(range.map { $0 / blockSize }).filter { !blocks.contains($0) }.sorted()
    return missing.reduce(into: []) { runs, block in
      if let last = runs.last, last.upperBound == block {
        runs[runs.count - 1] = last.lowerBound..<block + 1
      } else {
        runs.append(block..<block + 1)
      }
    }
  }

  mutating func insert(_ run: Range<Int>) {
    calls.append(.insert(run))
    blocks = (blocks + run).suffix(room)
  }
}

@Suite struct ReplayTests {
  private let trace = RangeTrace(requests: [10..<35, 0..<0, 0..<45, 40..<41], byteCount: 45)
  private let grid = BlockGrid(blockSize: 8)!

  @Test func `block by block each is looked up and fetched before the next`() throws {
    var target = NaiveTarget(blockSize: 8, room: 100)
    let counts = try Replay(trace: trace, grid: grid, order: .block).run(&target)
    #expect(
      target.calls == [
        .lookUp(10..<16), .insert(1..<2), .lookUp(16..<24), .insert(2..<3), .lookUp(24..<32), .insert(3..<4),
        .lookUp(32..<35), .insert(4..<5),
        .lookUp(0..<8), .insert(0..<1), .lookUp(8..<16), .lookUp(16..<24), .lookUp(24..<32), .lookUp(32..<40),
        .lookUp(40..<45), .insert(5..<6),
        .lookUp(40..<41),
      ])
    #expect(counts.requests == 4 && counts.blockAccesses == 11 && counts.hits == 5)
    #expect(counts.requestedBytes == 71 && counts.hitBytes == 33)
    // The last block is cut at the end of the source.
    #expect(counts.sourceOperations == 6 && counts.sourceBytes == 45)
  }

  @Test func `as a whole a request is looked up once, and its gaps are fetched as runs`() throws {
    var target = NaiveTarget(blockSize: 8, room: 100)
    let counts = try Replay(trace: trace, grid: grid, order: .request).run(&target)
    #expect(
      target.calls == [
        .lookUp(10..<35), .insert(1..<5), .lookUp(0..<45), .insert(0..<1), .insert(5..<6), .lookUp(40..<41),
      ])
    #expect(counts.requests == 4 && counts.blockAccesses == 11 && counts.hits == 5)
    #expect(counts.requestedBytes == 71 && counts.hitBytes == 33)
    #expect(counts.sourceOperations == 3 && counts.sourceBytes == 45)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `counts agree with those of single bytes`(seed: UInt64) throws {
    var source = DemoRanges(byteCount: 300, seed: seed)
    let trace = RangeTrace(requests: source.next(100, sizes: 1...60), byteCount: 300)
    for order in Replay.Order.allCases {
      var target = NaiveTarget(blockSize: 8, room: 12)
      let counts = try Replay(trace: trace, grid: grid, order: order).run(&target)
      // Each call again, with an own idea of what is stored.
      var (stored, wanted) = ([Int](), ReplayCounts(requests: 100, time: counts.time))
      for call in target.calls {
        switch call {
        case .lookUp(let range):
          let found = range.filter { stored.contains($0 / 8) }
          wanted.requestedBytes += range.count
          wanted.hitBytes += found.count
          wanted.blockAccesses += Set(range.map { $0 / 8 }).count
          wanted.hits += Set(found.map { $0 / 8 }).count
        case .insert(let run):
          stored = (stored + run).suffix(12)
          wanted.sourceOperations += 1
          wanted.sourceBytes += (0..<300).count { run.contains($0 / 8) }
        }
      }
      #expect(counts == wanted, "seed \(seed), \(order)")
    }
  }

  @Test func `progress adds up to what was told of and cancelling ends a replay`() async throws {
    let long = RangeTrace(requests: Array(repeating: 0..<10, count: 5000), byteCount: 10)
    let replay = Replay(trace: long, grid: grid, order: .block)
    var told: [Int] = []
    var target = NaiveTarget(blockSize: 8, room: 1)
    _ = try replay.run(&target) { told.append($0) }
    #expect(told == Array(repeating: 10_240, count: 4))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var target = NaiveTarget(blockSize: 8, room: 1)
      return try replay.run(&target)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test(arguments: [(20, 1, 40), (19, 1, 0), (60, 3, 40)])
  func `the simulated cache keeps to its room and its policy`(blocks: Int, shards: Int, hits: Int) throws {
    // Three times round 20 blocks, which LRU has all of or none; the last is shorter.
    let requests = (0..<60).map { $0 % 20 * 8..<min($0 % 20 * 8 + 8, 157) }
    let trace = RangeTrace(requests: requests, byteCount: 157)
    var target = SimulatedTarget(
      ReplayCache(policy: .lru, capacity: .bytes(blocks * 8 - 3), grid: grid, shards: shards, byteCount: 157))
    let counts = try Replay(trace: trace, grid: grid, order: .block).run(&target)
    #expect(counts.blockAccesses == 60)
    #expect(counts.hits == hits)
  }
}
