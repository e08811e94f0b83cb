import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Any two stores, and more, as one.
struct ComposedStoresTests {
  private let executor = JobCount()
  private let sources = ChunkSources()
  private var background: BackgroundWork { BackgroundWork(executor: executor) }

  private func memory(_ limit: ByteCount) -> MemoryStore {
    var configuration = MemoryStore.Configuration(limit: limit)
    configuration.eviction = .lru
    return MemoryStore(configuration, sources: sources)
  }

  private func compressed(_ limit: ByteCount) -> CompressedStore {
    var configuration = CompressedStore.Configuration(limit: limit)
    configuration.codec = FillCodec()
    configuration.shards = 1
    return CompressedStore(configuration, sources: sources)
  }

  /// Reads the same blocks three times, one after the other and then at random: always right.
  ///
  /// - Returns: bytes asked of the source.
  private func hammer(_ store: TieredStore, blocks: Int = 40) async throws -> Int {
    let source = FillRangeSource()
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    var random = TestRandom(1)
    for round in 0..<3 * blocks {
      let block = round < 2 * blocks ? round % blocks : random.below(blocks)
      let range = block * 4096 + random.below(2000)..<block * 4096 + 4096 + random.below(2000)
      #expect(try await reader.read(range) == source.expected(range))
      executor.run()
    }
    let fetched = source.requests.reduce(0) { $0 + $1.count }
    store.remove(source: reader.source.id)
    #expect(!(0..<blocks).contains { store.contains($0 * 4096..<$0 * 4096 + 1, of: reader.source) })
    #expect(store.sources.all.allSatisfy { $0.chargedBytesBelow.load(ordering: .relaxed) == 0 })
    await reader.close()
    return fetched
  }

  @Test func `memory over memory holds what both have room for`() async throws {
    let (upper, lower) = (memory(.kibibytes(64)), memory(.kibibytes(256)))
    let store = TieredStore(upper, lower, queueLimit: .kibibytes(64), background: background)
    #expect(try await hammer(store) == 41 * 4096)
    #expect(store.counts().moving.demoted > 20)
    #expect(lower.counts().hits > 20)
    for store in [upper, lower] {
      #expect(MemoryRecount(store, isQuiet: false).faults.isEmpty)
      #expect(store.counts().peakBytes <= store.counts().limit)
      #expect(store.counts().blocks == 0)
    }
  }

  @Test func `memory over the store of the guide`() async throws {
    let store = TieredStore(
      memory(.kibibytes(64)), FIFOStore(limit: .kibibytes(256), sources: sources), queueLimit: .kibibytes(64),
      background: background)
    #expect(try await hammer(store) == 41 * 4096)
    #expect(store.counts().moving.demoted > 20)
  }

  @Test func `the store of the guide above, which hands nothing on, is right all the same`() async throws {
    let store = TieredStore(
      FIFOStore(limit: .kibibytes(64), sources: sources), compressed(.mebibytes(1)), background: background)
    #expect(try await hammer(store) > 0)
  }

  @Test func `three tiers, composed from below`() async throws {
    let (middle, bottom) = (compressed(.kibibytes(32)), memory(.kibibytes(256)))
    let below = TieredStore(middle, bottom, queueLimit: .kibibytes(64), background: background)
    let store = TieredStore(memory(.kibibytes(64)), below, queueLimit: .kibibytes(64), background: background)
    #expect(try await hammer(store) == 41 * 4096)
    #expect(store.counts().moving.demoted > 20)
    #expect(below.counts().moving.demoted > 5, "what the compressed tier evicts goes on")
    #expect(bottom.counts().hits > 0)
    #expect(CompressedRecount(middle).faults.isEmpty)
    #expect(MemoryRecount(bottom, isQuiet: false).faults.isEmpty)
  }

  @Test func `three tiers, composed from above`() async throws {
    let (middle, bottom) = (compressed(.kibibytes(32)), memory(.kibibytes(256)))
    let above = TieredStore(memory(.kibibytes(64)), middle, queueLimit: .kibibytes(64), background: background)
    let store = TieredStore(above, bottom, queueLimit: .kibibytes(64), background: background)
    #expect(try await hammer(store) == 41 * 4096)
    #expect(store.counts().moving.demoted > 5)
    #expect(CompressedRecount(middle).faults.isEmpty)
    #expect(MemoryRecount(bottom, isQuiet: false).faults.isEmpty)
  }

  @Test func `asking whether something is held counts as no read, and moves nothing`() throws {
    let (upper, lower) = (memory(.kibibytes(64)), compressed(.mebibytes(1)))
    let store = TieredStore(upper, lower, queueLimit: .kibibytes(64), background: background)
    let source = StoredSource(upper, blockSize: 4096)
    for block in 0..<20 { source.put(source.block(block)) }
    #expect(store.counts().moving.blocks > 2)
    let before = (upper.counts(), lower.counts(), store.counts())
    for block in 0..<20 { #expect(store.contains(source.block(block), of: source.source), "block \(block)") }
    #expect(store.contains(0..<20 * 4096, of: source.source))
    #expect(!store.contains(0..<21 * 4096, of: source.source))
    #expect((upper.counts(), lower.counts(), store.counts()) == before)
  }

  @Test func `a part above, one on its way and one below are a whole`() throws {
    var configuration = TieredStore.Configuration(memory: .mebibytes(1), compressed: .mebibytes(1))
    configuration.compressed.codec = FillCodec()
    configuration.background = background
    let store = TieredStore(configuration)
    let tiers = try #require(store.memory)
    let source = FillSource(store.sources, byteCount: 1 << 20)
    source.put(0, 3000..<4096, in: tiers.compressed!)
    source.put(0, 0..<1000, in: tiers.memory)
    store.mover.take([source.chunk(0, 1000..<2000, at: store.now)])
    #expect(!store.contains(0..<4096, of: source.source))
    store.mover.take([source.chunk(0, 1000..<3000, at: store.now)])
    let before = store.counts()
    #expect(store.contains(0..<4096, of: source.source))
    #expect(store.contains(500..<3500, of: source.source))
    #expect(store.counts() == before)
    #expect(source.read(0..<4096, in: store) == [0..<4096])
    // What was on its way is above.
    #expect(tiers.memory.holds(0..<3000, token: source.token.number, grid: source.token.grid))
    #expect(store.counts().moving.cancelled == 1)
    store.mover.proceed()
    executor.run()
    #expect(source.read(0..<4096, in: store) == [0..<4096])
  }

  @Test func `a look-up with thousands of gaps takes a moment`() {
    let store = TieredStore(memory(.mebibytes(64)), compressed(.mebibytes(1)), background: background)
    let source = FillSource(sources, byteCount: 1 << 30, blockSize: 512)
    for block in stride(from: 0, to: 40_000, by: 2) { source.put(block, 0..<1, in: store) }
    let start = processorSeconds()
    guard case .partial(let pieces, _, let gaps) = source.look(0..<40_000 * 512, in: store) else {
      Issue.record("nothing found")
      return
    }
    #expect(pieces.count == 20_000)
    #expect(gaps.count == 20_000)
    // Linear: far below a second even when nothing is optimized. It took minutes.
    #expect(processorSeconds() - start < 20)
  }

  @Test func `a store that is let go of is freed, with its tiers and timers`() async throws {
    let clock = ManualClock()
    var configuration = TieredStore.Configuration(memory: .kibibytes(64), compressed: .kibibytes(256))
    configuration.background = background
    configuration.time = ReadClock(clock)
    configuration.ageLimit = .seconds(100)
    configuration.compressed.codec = FillCodec()
    var store: TieredStore? = TieredStore(configuration)
    weak let weakStore = store
    weak let weakMemory = store?.memory?.memory
    weak let weakCompressed = store?.memory?.compressed
    weak let weakMover = store?.mover
    do {
      let source = FillSource(store!.sources, byteCount: 1 << 20)
      for block in 0..<100 { source.put(block, in: store!) }
      executor.run()
      for block in 0..<100 { _ = source.read(source.block(block), in: store!) }
    }
    #expect(clock.sleeperCount == 2)
    store = nil
    executor.run()
    #expect(weakStore == nil)
    #expect(weakMemory == nil)
    #expect(weakCompressed == nil)
    #expect(weakMover == nil)
    #expect(clock.sleeperCount == 0)
  }

  // MARK: limits

  @Test func `limits without end, and none, do not trap`() async throws {
    for (upper, lower) in [(Int.max, 1 << 20), (Int.max, Int.max), (1 << 20, Int.max), (1, 1), (0, 0), (1 << 20, 0)] {
      let store = TieredStore(memory: .bytes(upper), compressed: .bytes(lower))
      let source = FillSource(store.sources, byteCount: 1 << 20)
      for block in 0..<20 {
        source.put(block, in: store)
        #expect(source.read(source.block(block), in: store) != nil)
      }
      try await store.resize(memory: .bytes(lower), compressed: .bytes(upper))
      for block in 0..<20 { #expect(source.read(source.block(block), in: store) != nil) }
      #expect(store.counts().bytes <= store.counts().limit)
    }
  }

  @Test func `chunks on their way have room for a block of usual size, however small the store`() {
    for limit in [ByteCount.mebibytes(1), .mebibytes(2), .mebibytes(256)] {
      let store = TieredStore(memory: limit, compressed: .mebibytes(1))
      let source = FillSource(store.sources, byteCount: 1 << 20, blockSize: 65_536)
      #expect(store.mover.counts().limit >= DemotionQueueState.charge(source.chunk(0, at: store.now)))
    }
  }

  @Test func `a limit of the queue outlives a change of the other limits, and a cancelled one changes none`()
    async throws
  {
    var configuration = TieredStore.Configuration(memory: .mebibytes(2), compressed: .mebibytes(1))
    configuration.queueLimit = .kibibytes(100)
    configuration.compressed.codec = FillCodec()
    let store = TieredStore(configuration)
    let tiers = try #require(store.memory)
    let source = FillSource(store.sources, byteCount: 1 << 20)
    for block in 0..<100 { source.put(block, in: tiers.compressed!) }
    let resize = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.resize(memory: .mebibytes(1), compressed: .bytes(0))
    }
    await #expect(throws: CancellationError.self) { try await resize.value }
    #expect(store.mover.counts().limit == 100 << 10)
    #expect(tiers.memory.ledger.ownLimit == (2 << 20) - (100 << 10))
    #expect(tiers.compressed!.ledger.limit == 1 << 20)
    #expect(store.budget?.limit == .mebibytes(3))
    try await store.resize(memory: .mebibytes(1), compressed: .bytes(0))
    #expect(store.mover.counts().limit == 100 << 10)
    #expect(tiers.memory.ledger.ownLimit == (1 << 20) - (100 << 10))
    try await store.resize(memory: .kibibytes(200), compressed: .kibibytes(100))
    #expect(store.mover.counts().limit == 50 << 10)
    #expect(store.counts().bytes <= 300 << 10)
  }

  @Test func `a resize below what is pinned throws, with all limits as they were`() async throws {
    let store = TieredStore(memory: .mebibytes(2), compressed: .mebibytes(1))
    let tiers = try #require(store.memory)
    let source = FillSource(store.sources, byteCount: 1 << 20)
    try store.pin(0..<100 * 4096, of: source.source)
    for block in 0..<100 { source.put(block, in: store) }
    let before = store.counts()
    await #expect {
      try await store.resize(memory: .kibibytes(128), compressed: .kibibytes(64))
    } throws: { ($0 as? ReadError)?.code == .limitExceeded }
    #expect(store.counts().limit == before.limit)
    #expect(store.counts().memory.limit == before.memory.limit)
    #expect(store.counts().compressed.limit == before.compressed.limit)
    #expect(store.counts().moving.limit == before.moving.limit)
    #expect(
      store.counts().bytes == tiers.memory.ledger.bytes + tiers.compressed!.ledger.bytes + before.moving.limit)
  }

  @Test func `resizes from several threads leave a budget that adds up`() async throws {
    let store = TieredStore(memory: .mebibytes(2), compressed: .mebibytes(1))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          var random = TestRandom(UInt64(worker))
          for _ in 0..<200 {
            try? await store.resize(
              memory: .kibibytes(64 + random.below(4096)), compressed: .kibibytes(random.below(2000)))
          }
        }
      }
    }
    #expect(store.counts().bytes == store.mover.counts().limit)
    try await store.resize(memory: .mebibytes(2), compressed: .mebibytes(1))
    #expect(store.counts().bytes == 256 << 10)
  }

  @Test func `under pressure nothing moves for a minute, by the clock of the store below`() {
    let clock = ManualClock()
    var configuration = CompressedStore.Configuration(limit: .mebibytes(1))
    configuration.codec = FillCodec()
    configuration.time = ReadClock(clock)
    let lower = CompressedStore(configuration, sources: sources)
    // The upper one has another.
    let store = TieredStore(memory(.kibibytes(64)), lower, background: background)
    let source = FillSource(sources, byteCount: 1 << 20)
    func fill() -> Int {
      let before = store.counts().moving.demoted
      for block in 0..<100 { source.put(block, in: store) }
      executor.run()
      return store.counts().moving.demoted - before
    }
    #expect(fill() > 0)
    store.handleMemoryPressure(.warning)
    #expect(fill() == 0)
    clock.advance(by: .seconds(59))
    #expect(fill() == 0)
    clock.advance(by: .seconds(1))
    #expect(fill() > 0)
    store.handleMemoryPressure(.critical)
    #expect(fill() == 0)
    store.handleMemoryPressure(.normal)
    #expect(fill() > 0)
  }

  @Test func `when pressure ends, stores within stores move again`() {
    var configuration = CompressedStore.Configuration(limit: .mebibytes(1))
    configuration.codec = FillCodec()
    configuration.time = ReadClock(ManualClock())
    let inner = TieredStore(
      memory(.kibibytes(64)), CompressedStore(configuration, sources: sources), background: background)
    let store = TieredStore(inner, memory(.kibibytes(64)), background: background)
    let source = FillSource(sources, byteCount: 1 << 20)
    func moved() -> Int {
      let before = inner.counts().moving.demoted
      for block in 0..<100 { source.put(block, in: store) }
      executor.run()
      return inner.counts().moving.demoted - before
    }
    #expect(moved() > 0)
    store.handleMemoryPressure(.warning)
    #expect(moved() == 0)
    store.handleMemoryPressure(.normal)
    #expect(moved() > 0)
  }
}
