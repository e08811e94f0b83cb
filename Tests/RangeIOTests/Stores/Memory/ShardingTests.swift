import RangeIOTraces
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What it costs in hits that the shards of a store evict each for itself. The figures stand in
/// `Docs/Decisions/0010-shards.md`.
@Suite(TraceFiles.areHere) struct ShardingTests {
  struct Run: CustomTestStringConvertible {
    var trace: String
    var blocks: Int
    /// How many shards the store may be given.
    var counts: [Int]
    var testDescription: String { "\(trace), \(blocks) blocks, \(counts) shards" }
  }

  /// One and ten hundredths of the blocks that each trace reads, in shards of a quarter of the blocks that production
  /// takes, and more.
  private static let all = [
    Run(trace: "arc-p3", blocks: 1023, counts: [2, 4]), Run(trace: "arc-p3", blocks: 10_235, counts: [2, 4, 8]),
    Run(trace: "arc-oltp", blocks: 1869, counts: [2, 4]),
    Run(trace: "arc-oltp", blocks: 18_688, counts: [2, 4, 8, 16]),
  ]
  private static let wanted = TestScale.isStress ? all : [Run(trace: "arc-p3", blocks: 10_235, counts: [8])]

  @Test(arguments: wanted) func `shards hit as one does, to half a point`(run: Run) throws {
    let trace = try TraceFiles.trace(run.trace)
    let one = try share(of: trace, blocks: run.blocks, shards: 1)
    for count in run.counts {
      let several = try share(of: trace, blocks: run.blocks, shards: count)
      #expect(abs(several - one) <= 0.5, "\(count) shards: \(several) % instead of \(one) %")
    }
  }

  @Test func `a shard has 1,024 blocks at least, or 256 of up to four shards, unless it is the only one`() {
    #expect(MemoryStore.shardCount(blocks: 0) == 1)
    #expect(MemoryStore.shardCount(blocks: 511) == 1)
    for blocks in stride(from: 100, to: 100_000, by: 97) {
      let count = MemoryStore.shardCount(blocks: blocks)
      #expect(count == 1 || blocks / count >= (count > 4 ? 1024 : 256))
      #expect(count & (count - 1) == 0)
    }
  }

  /// The hundredths of block reads that hit. Blocks have one byte each: policies see no difference.
  private func share(of trace: RangeTrace, blocks: Int, shards: Int) throws -> Double {
    let grid = try #require(BlockGrid(blockSize: 4096))
    let bytes = try #require(BlockGrid(blockSize: 1))
    var configuration = MemoryStore.Configuration(blocks: blocks, of: .bytes(1))
    configuration.shards = shards
    let store = MemoryStore(configuration)
    let source = SourceDescription(id: "trace", validator: nil, byteCount: trace.byteCount)
    let token = store.token(of: source, on: bytes)
    let ticket = token.ticket(fetchedAt: store.now)
    let byte = Bytes([1])
    var (hits, reads) = (0, 0)
    for request in trace.requests {
      for block in grid.blocks(covering: request) {
        reads += 1
        if store.hit(block..<block + 1, token: token.number, grid: bytes) != nil {
          hits += 1
        } else if let room = store.reserve(block..<block + 1, ofRun: 1, for: token) {
          _ = store.insert(byte, at: block..<block + 1, ticket: ticket, reservation: room)
        }
      }
    }
    return Double(hits) * 100 / Double(reads)
  }
}
