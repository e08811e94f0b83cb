import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Stores of the smallest sizes, full and empty ones.
struct MemoryExtremesTests {
  @Test func `the smallest limits trap nowhere, and reads are right`() async throws {
    // There: a limit of 10 bytes trapped.
    for limit in [0, 1, 10, 63, 64, 100, 152, 153, 500] {
      for policy in Eviction.all {
        var configuration = MemoryStore.Configuration(limit: .bytes(limit))
        configuration.eviction = policy
        let store = MemoryStore(configuration)
        for fill in [ReadPipeline.CacheFill.exact, .block, .requestedFirst] {
          let reader = try await RangeReader(
            SyntheticSource(byteCount: 1000), [.caching(store, fill: fill, blockSize: .bytes(16))])
          for range in [0..<1, 0..<16, 10..<40, 0..<1000, 990..<1000, 5..<5] {
            #expect(try await reader.read(range) == SyntheticSource.bytes(range))
            #expect(store.counts().peakBytes <= limit)
          }
        }
        try await store.trim(to: .bytes(0))
        try await store.resize(to: .bytes(0))
        store.handleMemoryPressure(.critical)
        store.removeAll()
        #expect(store.counts().bytes == 0)
      }
    }
  }

  @Test(arguments: [1, 2])
  func `a store of a block or two works`(_ blocks: Int) {
    var configuration = MemoryStore.Configuration(limit: .mebibytes(1))
    configuration.blockLimit = blocks
    let store = MemoryStore(configuration)
    let source = StoredSource(store)
    for block in 0..<20 {
      #expect(source.put(source.block(block)))
      #expect(source.holds(source.block(block)))
      #expect(store.counts().blocks <= blocks)
    }
  }

  @Test func `a full store drops what is oldest, if that is what was chosen`() {
    var configuration = MemoryStore.Configuration(limit: MemoryStore.charge(blocks: 10))
    configuration.eviction = .lru
    configuration.shards = 1
    let source = StoredSource(MemoryStore(configuration))
    for block in 0..<100 { source.put(source.block(block)) }
    #expect(source.store.cachedRanges(of: source.source) == [90 * 4096..<100 * 4096])
    #expect(source.holds(source.block(90)))
    source.put(source.block(0))
    #expect(source.contains(source.block(90)))
    #expect(!source.contains(source.block(91)))
  }

  @Test func `what never fits and what does not fit now are both refused without harm, and counted`() throws {
    let store = MemoryStore(limit: MemoryStore.charge(blocks: 4))
    let source = StoredSource(store)
    // Never: larger than half of the store.
    #expect(!source.put(0..<3 * 4096))
    // Not now: all is pinned.
    for block in 0..<4 { source.put(source.block(block)) }
    try store.pin(0..<4 * 4096, of: source.source)
    #expect(!source.put(source.block(4)))
    #expect(store.counts().dropped == 2)
    #expect(source.holds(0..<4 * 4096))
    store.unpin(0..<4096, of: source.source)
    #expect(source.put(source.block(4)))
    #expect(!source.contains(source.block(0)))
  }

  @Test func `an empty store says so`() {
    let store = MemoryStore(limit: .mebibytes(1))
    #expect(store.counts().blocks == 0 && store.counts().bytes == 0)
    #expect(store.cachedRanges().isEmpty)
    let source = StoredSource(store)
    source.put(0..<10)
    #expect(store.cachedRanges().count == 1)
    store.remove(0..<10, of: source.source)
    #expect(store.cachedRanges().isEmpty)
  }
}
