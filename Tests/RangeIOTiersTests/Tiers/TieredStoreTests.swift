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

  /// A store of memory and compressed memory with blocks that a reader has ahead and does not come to.
  private func reading(_ holder: Holder, compressed: ByteCount) throws -> (store: TieredStore, memory: MemoryStore) {
    var configuration = TieredStore.Configuration(memory: .kibibytes(256), compressed: compressed)
    configuration.background = BackgroundWork(executor: JobCount())
    let store = TieredStore(configuration)
    let memory = try #require(store.memory).memory
    let source = StoredSource(memory, blockSize: 4096)
    let hold = try #require(store.aheadBudget?.hold(holder.blocks * 4096, for: holder))
    holder.holds.withLock { $0 = [hold] }
    for block in 0..<holder.blocks {
      var reservation = try #require(source.reserve(source.block(block)))
      reservation.hold = hold
      source.insert(source.block(block), reservation, source.ticket)
    }
    #expect(memory.counts().blocks == holder.blocks)
    return (store, memory)
  }

  @Test(arguments: [MemoryPressure.warning, .critical])
  func `under pressure what is read ahead is held no longer`(_ pressure: MemoryPressure) throws {
    let holder = Holder(blocks: 20)
    let (store, memory) = try reading(holder, compressed: .mebibytes(1))
    store.handleMemoryPressure(pressure)
    #expect(memory.ahead.bytes == 0)
    #expect(memory.counts().blocks <= (pressure == .critical ? 0 : 10))
  }

  @Test func `a lower limit of the tier below waits for no reader either`() async throws {
    // More than the memory's own limit: it uses what the tier below has free.
    let holder = Holder(blocks: 200)
    let (store, memory) = try reading(holder, compressed: .mebibytes(8))
    try await store.resize(memory: .kibibytes(256), compressed: .kibibytes(64))
    #expect(memory.ahead.bytes == 0)
    #expect(store.counts().bytes <= 320 << 10)
  }

  private final class Holder: ReadAheadHolder {
    let blocks: Int
    let holds = Locked<[ReadAheadHold]>([])

    init(blocks: Int) { self.blocks = blocks }

    func giveUp() { for hold in holds.withLock({ $0 }) { hold.end() } }
  }
}
