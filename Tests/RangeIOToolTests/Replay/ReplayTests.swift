#if Tool
import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTool

/// Keeps the blocks that came last, and notes what it is asked.
private struct NaiveTarget: ReplayTarget {
  struct Call: Equatable {
    var range: ByteRange
    var fetched: [ByteRange]
  }

  let blockSize: Int
  let room: Int
  let byteCount: Int
  var blocks: [Int] = []
  var calls: [Call] = []

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) {
    let missing = Set(range.map { $0 / blockSize }).filter { !blocks.contains($0) }.sorted()
    let runs = ByteRanges.normalize(missing.map { $0 * blockSize..<min(($0 + 1) * blockSize, byteCount) })
    blocks = (blocks + missing).suffix(room)
    calls.append(Call(range: range, fetched: runs))
    fetched += runs
  }
}

@Suite struct ReplayTests {
  private let trace = RangeTrace(requests: [10..<35, 0..<0, 0..<45, 40..<41], byteCount: 45)
  private let grid = BlockGrid(blockSize: 8)!

  @Test func `block by block each is read by itself`() async throws {
    var target = NaiveTarget(blockSize: 8, room: 100, byteCount: 45)
    let counts = try await Replay(trace: trace, grid: grid, order: .block).run(&target)
    let fetched = [
      10..<16: 8..<16, 16..<24: 16..<24, 24..<32: 24..<32, 32..<35: 32..<40, 0..<8: 0..<8, 40..<45: 40..<45,
    ]
    let ranges = [
      10..<16, 16..<24, 24..<32, 32..<35, 0..<8, 8..<16, 16..<24, 24..<32, 32..<40, 40..<45, 40..<41,
    ]
    var seen: Set<ByteRange> = []
    #expect(
      target.calls
        == ranges.map { .init(range: $0, fetched: seen.insert($0).inserted ? fetched[$0].map { [$0] } ?? [] : []) })
    #expect(counts.requests == 4 && counts.blockAccesses == 11 && counts.hits == 5)
    #expect(counts.requestedBytes == 71 && counts.hitBytes == 33)
    // The last block is cut at the end of the source.
    #expect(counts.sourceOperations == 6 && counts.sourceBytes == 45)
  }

  @Test func `as a whole a request is read once, and its gaps count as runs`() async throws {
    var target = NaiveTarget(blockSize: 8, room: 100, byteCount: 45)
    let counts = try await Replay(trace: trace, grid: grid, order: .request).run(&target)
    #expect(
      target.calls == [
        .init(range: 10..<35, fetched: [8..<40]), .init(range: 0..<45, fetched: [0..<8, 40..<45]),
        .init(range: 40..<41, fetched: []),
      ])
    #expect(counts.requests == 4 && counts.blockAccesses == 11 && counts.hits == 5)
    #expect(counts.requestedBytes == 71 && counts.hitBytes == 33)
    #expect(counts.sourceOperations == 3 && counts.sourceBytes == 45)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `counts agree with those of single bytes`(seed: UInt64) async throws {
    var source = DemoRanges(byteCount: 300, seed: seed)
    let trace = RangeTrace(requests: source.next(100, sizes: 1...60), byteCount: 300)
    for order in Replay.Order.allCases {
      var target = NaiveTarget(blockSize: 8, room: 12, byteCount: 300)
      let counts = try await Replay(trace: trace, grid: grid, order: order).run(&target)
      var wanted = ReplayCounts(requests: 100, time: counts.time)
      for call in target.calls {
        let fetched = Set(call.fetched.joined())
        let found = call.range.filter { !fetched.contains($0) }
        wanted.requestedBytes += call.range.count
        wanted.hitBytes += found.count
        wanted.blockAccesses += Set(call.range.map { $0 / 8 }).count
        wanted.hits += Set(found.map { $0 / 8 }).count
        wanted.sourceOperations += call.fetched.count
        wanted.sourceBytes += fetched.count
      }
      #expect(counts == wanted, "seed \(seed), \(order)")
    }
  }

  @Test func `progress adds up to what was told of and cancelling ends a replay`() async throws {
    let long = RangeTrace(requests: Array(repeating: 0..<10, count: 5000), byteCount: 10)
    let replay = Replay(trace: long, grid: grid, order: .block)
    var told: [Int] = []
    var target = NaiveTarget(blockSize: 8, room: 1, byteCount: 10)
    _ = try await replay.run(&target) { told.append($0) }
    #expect(told == Array(repeating: 10_240, count: 4))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var target = NaiveTarget(blockSize: 8, room: 1, byteCount: 10)
      return try await replay.run(&target)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}
#endif
