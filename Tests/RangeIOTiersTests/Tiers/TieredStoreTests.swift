import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Memory above compressed memory, as readers see them.
struct TieredStoreTests {
  @Test func `what memory evicts is compressed, found there, and promoted when it is read twice`() async throws {
    // Blocks of 4 KiB that shrink to an eighth and less.
    let content = ContentSource((0..<1 << 20).lazy.map { UInt8(truncatingIfNeeded: $0 >> 12 &* ($0 & 3)) })
    func expected(_ block: Int) -> Bytes { content.bytes.slice(block * 4096..<block * 4096 + 4096) }
    let executor = JobCount()
    var configuration = TieredStore.Configuration(memory: .kibibytes(160), compressed: .kibibytes(512))
    configuration.background = BackgroundWork(executor: executor)
    let store = TieredStore(configuration)
    let reader = try await RangeReader(content, [.caching(store, blockSize: .kibibytes(4))])
    for block in 0..<200 {
      #expect(try await reader.read(block * 4096..<block * 4096 + 4096) == expected(block))
      executor.run()
    }
    let reads = content.requests.count
    var statistics = store.counts()
    #expect(statistics.compressed.blocks > 30)
    #expect(statistics.compressed.ratio > 4)
    let tiers = try #require(store.memory)
    let token = try #require(store.sources.all.first)
    func range(_ block: Int) -> ByteRange { block * 4096..<block * 4096 + 4096 }
    func isBelow(_ block: Int) -> Bool { tiers.compressed!.holds(range(block), token: token.number, grid: token.grid) }
    func isAbove(_ block: Int) -> Bool { tiers.memory.holds(range(block), token: token.number, grid: token.grid) }
    let block = try #require((0..<200).first(where: isBelow))
    #expect(!isAbove(block))
    // The first touch leaves it where it is.
    #expect(try await reader.read(range(block)) == expected(block))
    #expect(store.counts().compressed.hits == 1)
    #expect(isBelow(block) && !isAbove(block))
    // The second one lets it rise.
    #expect(try await reader.read(range(block)) == expected(block))
    #expect(!isBelow(block) && isAbove(block))
    executor.run()
    #expect(try await reader.read(range(block)) == expected(block))
    statistics = store.counts()
    #expect(statistics.compressed.hits == 2)
    #expect(content.requests.count == reads)
    #expect(statistics.peakBytes <= statistics.limit)
    await reader.close()
  }
}
