import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What chunks go through on their way down: how one waits for that, and how it is resized.
struct TierWaysTests {
  private let executor = JobCount()
  private let sources = ChunkSources()

  private func store(_ codec: FillCodec) -> TieredStore {
    var above = MemoryStore.Configuration(limit: .kibibytes(64))
    (above.eviction, above.shards) = (.lru, 1)
    var below = CompressedStore.Configuration(limit: .mebibytes(1))
    (below.codec, below.shards) = (codec, 1)
    return TieredStore(
      MemoryStore(above, sources: sources), CompressedStore(below, sources: sources),
      background: BackgroundWork(executor: executor))
  }

  @Test func `who waits for what is on its way does not wait for what comes later`() throws {
    let departure = Locked<Promise<Void>?>(nil)
    let seen = Noted<Bool>()
    var codec = FillCodec()
    codec.willEncode = { seen.add(departure.withLock { $0?.isAnswered } ?? false) }
    let store = store(codec)
    let source = FillSource(sources, byteCount: 1 << 22)
    for block in 0..<30 { source.put(block, in: store) }
    let count = store.mover.counts().blocks
    departure.withLock { $0 = store.mover.departure() }
    for block in 30..<50 { source.put(block, in: store) }
    try #require(count > 0 && store.mover.counts().blocks == count + 20)
    executor.run()
    #expect(seen.all == Array(repeating: false, count: count) + Array(repeating: true, count: 20))
    #expect(store.mover.departure() == nil)
  }

  @Test func `what is taken out is waited for no longer`() throws {
    let store = store(FillCodec())
    let source = FillSource(sources, byteCount: 1 << 22)
    for block in 0..<30 { source.put(block, in: store) }
    let departure = try #require(store.mover.departure())
    #expect(!departure.isAnswered)
    store.mover.removeAll()
    executor.run()
    #expect(departure.isAnswered)
  }

  @Test(arguments: [0, 256 << 10])
  func `what waits for a disk becomes small and large with the memory`(compressed: Int) async throws {
    let spill = SpillOnSimulatedDisk { $0.stagingLimit = .kibibytes(64) }
    var configuration = spill.configuration
    configuration.disk = spill.disk.newProcess()
    let store = try await TieredStore(
      memory: .mebibytes(1), compressed: .bytes(compressed), disk: configuration)
    let (budget, disk) = (try #require(store.budget), try #require(store.spill))
    let taken = budget.bytes
    #expect(disk.state.withLock { $0.staging.limit } == 64 << 10)
    // Less than what waits for the disk had before.
    try await store.resize(memory: .kibibytes(32), compressed: .bytes(compressed / 16))
    #expect(disk.state.withLock { $0.staging.limit } == 8 << 10)
    #expect(budget.bytes <= budget.limit.bytes)
    #expect(budget.limit.bytes == 32 << 10 + compressed / 16)
    try await store.resize(memory: .mebibytes(1), compressed: .bytes(compressed))
    #expect(disk.state.withLock { $0.staging.limit } == 64 << 10)
    #expect(budget.bytes == taken)
    try await store.close()
  }
}
