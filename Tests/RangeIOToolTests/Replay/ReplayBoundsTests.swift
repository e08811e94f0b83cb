#if Tool
import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTool

struct ReplayBoundsTests {
  private let grid = BlockGrid(blockSize: 4096)!

  private func fault(_ requests: [ByteRange], order: Replay.Order = .block, _ grid: BlockGrid? = nil) -> String? {
    let trace = RangeTrace(requests: requests, byteCount: requests.map(\.upperBound).max() ?? 0)
    return ReplayBounds.fault(of: trace, on: grid ?? self.grid, order)
  }

  @Test func `what was ever recorded is replayed`() {
    #expect(fault([]) == nil && fault([5..<5, 0..<4096]) == nil)
    #expect(fault([Int.max - 4096..<Int.max]) == nil)
    #expect(fault([0..<ReplayBounds.requestBlocks * 4096]) == nil)
    #expect(fault(Array(repeating: 0..<1 << 30, count: 1000)) == nil)
  }

  @Test(arguments: [
    [0..<Int.max], [0..<ReplayBounds.requestBlocks * 4096 + 1], [0..<4096, 1..<Int.max],
    Array(repeating: 0..<1 << 36, count: 17), Array(repeating: Int.max - (1 << 36)..<Int.max, count: 1000),
  ])
  func `a request or a sum that would take for ever is refused, with what to do`(requests: [ByteRange]) throws {
    #expect(try #require(fault(requests)).contains("--block-size"))
  }

  @Test func `large blocks make it possible, and a request as a whole has its own bound`() throws {
    let large = try #require(BlockGrid(blockSize: 1 << 30))
    #expect(fault([0..<1 << 50], large) == nil)
    #expect(try #require(fault([0..<1 << 50], order: .request, large)).contains("--order block"))
    // No sum of bytes overflows, however large the blocks are.
    #expect(fault(Array(repeating: 0..<1 << 53, count: 9), large) != nil)
  }
}
#endif
