#if Tool
import Foundation
import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTool

@Suite struct BeladyTests {
  private func reads(_ blocks: [Int]) -> BlockReads {
    BlockReads(
      RangeTrace(requests: blocks.map { $0 * 8..<($0 + 1) * 8 }, byteCount: 1 << 20), BlockGrid(blockSize: 8)!)
  }

  /// The most hits over all decisions that a cache can make.
  private func best(_ blocks: [Int], capacity: Int) -> Int {
    // The most hits so far for each set of kept blocks.
    var most: [Set<Int>: Int] = [[]: 0]
    for block in blocks {
      var next: [Set<Int>: Int] = [:]
      func reach(_ kept: Set<Int>, _ hits: Int) { next[kept] = max(next[kept] ?? 0, hits) }
      for (kept, hits) in most {
        guard !kept.contains(block) else {
          reach(kept, hits + 1)
          continue
        }
        reach(kept, hits)
        if kept.count < capacity { reach(kept.union([block]), hits) }
        for victim in kept { reach(kept.subtracting([victim]).union([block]), hits) }
      }
      most = next
    }
    return most.values.max() ?? 0
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `the optimum is the best of all decisions`(seed: UInt64) {
    var random = SeededRandom(seed)
    let blocks = (0..<14).map { _ in Int.random(in: 0..<6, using: &random) }
    for capacity in 1...4 {
      #expect(Belady(reads(blocks)).hits(capacity: capacity) == best(blocks, capacity: capacity), "\(blocks)")
    }
  }

  @Test func `a loop beyond the cache hits with the part that fits`() {
    let blocks = (0..<100).flatMap { _ in 0..<10 }
    #expect(Belady(reads(blocks)).hits(capacity: 10) == 990)
    #expect((396...400).contains(Belady(reads(blocks)).hits(capacity: 4)))
    #expect((99...100).contains(Belady(reads(blocks)).hits(capacity: 1)))
    #expect(Belady(reads([])).hits(capacity: 3) == 0)
  }

  @Test(GoldenCounts.areHere, arguments: ["lirs-sprite", "lirs-multi3"])
  func `a published trace has the optimum that another simulator counts`(name: String) throws {
    let path = try #require(GoldenCounts.path(of: name))
    let trace = try RangeTrace(Bytes(Data(contentsOf: URL(fileURLWithPath: path))))
    let reads = BlockReads(trace, BlockGrid(blockSize: 4096)!)
    let table = try String(
      contentsOfFile: path.replacing("\(name).rrt", with: "reference_hit_ratios.csv"), encoding: .utf8)
    let rows = table.split(whereSeparator: \.isNewline).map { $0.split(separator: ",").map(String.init) }
      .filter { $0[1] == name && $0[3] == "Belady" }
    #expect(rows.count == 5)
    for row in rows {
      let (blocks, percent) = try (#require(Int(row[5])), #require(Double(row[8])))
      let hits = Double(Belady(reads).hits(capacity: blocks)) / Double(reads.numbers.count) * 100
      // That simulator keeps each block that is read, which costs it some hits where the cache is tiny.
      #expect(hits >= percent - 0.001 && hits <= percent + (blocks < 100 ? 2 : 0.2), "\(blocks): \(hits), \(percent)")
    }
  }
}
#endif
