import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The tuner in a store: one for all shards.
@Suite struct SharedTunerTests {
  private let grid = BlockGrid(blockSize: 1)!

  /// Reads each block once; stores it if it is missing.
  private func read(_ blocks: some Sequence<Int>, _ store: MemoryStore) throws {
    let source = SourceDescription(id: "a", validator: ModelValidator(number: 1), byteCount: 1 << 20)
    let token = store.token(of: source, on: grid)
    let ticket = token.ticket(fetchedAt: store.now)
    for block in blocks where store.hit(block..<block + 1, token: token.number, grid: grid) == nil {
      let room = try #require(store.reserve(block..<block + 1, ofRun: 1, for: token))
      _ = store.insert(Bytes([1]), at: block..<block + 1, ticket: ticket, reservation: room)
    }
  }

  private func store(_ policy: Eviction, shards: Int) -> MemoryStore {
    var configuration = MemoryStore.Configuration(blocks: 1000, of: .bytes(1))
    configuration.shards = shards
    configuration.eviction = policy
    return MemoryStore(configuration)
  }

  @Test(arguments: [1, 4])
  func `all shards tell one tuner what is read, and follow it`(shards: Int) throws {
    let store = store(.default, shards: shards)
    // A loop that is longer than the cache.
    for _ in 0..<40 { try read(0..<1400, store) }
    let state = try #require(store.tunerState)
    #expect(state.sampledOneIn == 2)
    #expect(state.estimates.count == 7)
    #expect(state.hitRatio! > 0.3, "\(state)")
    #expect(store.counts().hits > 40 * 1400 / 4)
  }

  @Test func `the tuner outlives what is removed, and follows the limit`() async throws {
    let store = store(.default, shards: 1)
    for _ in 0..<10 { try read(0..<1400, store) }
    let before = try #require(store.tunerState)
    store.removeAll()
    #expect(store.tunerState == before)
    try read(0..<200, store)
    #expect(store.tunerState!.sampledOneIn == 2)
    try await store.resize(to: .bytes(MemoryStore.charge(of: 1) * 100))
    try read(0..<200, store)
    #expect(store.tunerState!.sampledOneIn == 1)
  }

  @Test func `a chunk that is no longer pinned was not read`() throws {
    let store = store(.default, shards: 1)
    let source = SourceDescription(id: "a", validator: ModelValidator(number: 1), byteCount: 1 << 20)
    for _ in 0..<20 { try read(0..<1200, store) }
    let before = try #require(store.tunerState?.hitRatio)
    for _ in 0..<20 {
      store.change(.pin(0..<1200, of: source))
      store.change(.unpin(0..<1200, of: source))
    }
    // So that the tuner is told.
    try read(2000..<2300, store)
    let after = try #require(store.tunerState?.hitRatio)
    #expect(before > 0.3 && after > before * 0.85, "\(before), then \(after)")
  }

  @Test(arguments: [Eviction.lru, .sieve, .s3fifo].map(\.name))
  func `a fixed policy has no tuner`(name: String) throws {
    let factory = try #require(Eviction.all.first { $0.name == name })
    let store = store(factory, shards: 1)
    try read(0..<2000, store)
    #expect(store.tunerState == nil)
  }
}
