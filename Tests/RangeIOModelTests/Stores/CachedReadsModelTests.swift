import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Readers over one store, with cancels, removals and new limits: every byte right, every account in order, in any
/// interleaving, and no byte fetched that is there.
@Suite struct CachedReadsModelTests {
  @Test func `cached reads are right whatever happens meanwhile`() {
    #expect(CachedReadsModel.report().failures == [])
  }

  @Test(arguments: [ReadPipeline.CacheFill.exact, .block])
  func `one read after the other fetches exactly what is missing`(_ fill: ReadPipeline.CacheFill) async throws {
    for seed in testSeeds {
      var random = TestRandom(seed)
      let size = 1 + random.below(20_000)
      let source = SyntheticSource(byteCount: size)
      let reader = try await RangeReader(
        source, [.caching(MemoryStore(limit: .mebibytes(64)), fill: fill, blockSize: .kibibytes(1))])
      let grid = BlockGrid(blockSize: 1024)!
      var isThere = Array(repeating: false, count: size)
      for _ in 0..<50 {
        // Few enough in a block that none has to be dropped.
        let start = random.below(size) & ~127
        let range = start..<min(size, start + 128 * (1 + random.below(30)))
        let gaps = ByteRanges.normalize(range.lazy.filter { !isThere[$0] }.map { $0..<$0 + 1 } as [ByteRange])
        let wanted = fill == .exact ? gaps : ByteRanges.normalize(gaps.map { grid.outward($0, in: size) })
        let before = source.bytesRead
        #expect(try await reader.read(range) == SyntheticSource.bytes(range), "seed \(seed)")
        #expect(source.bytesRead - before == wanted.reduce(0) { $0 + $1.count }, "seed \(seed): \(range)")
        for gap in wanted { for byte in gap { isThere[byte] = true } }
      }
    }
  }
}
