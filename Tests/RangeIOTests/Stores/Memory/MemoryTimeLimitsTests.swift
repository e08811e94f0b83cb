import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Age and idleness, on access and by the timer, changed while the store is in use.
@Suite(.simulated) struct MemoryTimeLimitsTests {
  private let clock = ManualClock()

  private func source(age: Duration? = nil, idle: Duration? = nil, blocks: Int = 1) -> StoredSource {
    var configuration = MemoryStore.Configuration(limit: .mebibytes(1))
    configuration.time = ReadClock(clock)
    configuration.ageLimit = age
    configuration.idleLimit = idle
    let source = StoredSource(MemoryStore(configuration))
    for block in 0..<blocks { source.put(source.block(block)) }
    return source
  }

  @Test func `age begins when bytes are asked for, not when they arrive`() throws {
    let source = source(age: .seconds(10), blocks: 0)
    let ticket = source.ticket
    let reservation = try #require(source.reserve(0..<4096))
    clock.advance(by: .seconds(9))
    #expect(source.insert(0..<4096, reservation, ticket))
    #expect(source.holds(0..<4096))
    clock.advance(by: .seconds(1))
    #expect(!source.holds(0..<4096))
  }

  @Test func `a chunk is as old as its oldest byte`() {
    let source = source(age: .seconds(10), blocks: 0)
    source.put(0..<100)
    clock.advance(by: .seconds(6))
    source.put(50..<200)
    clock.advance(by: .seconds(4))
    #expect(!source.holds(100..<200))
    // All new: young again.
    source.put(0..<100)
    clock.advance(by: .seconds(6))
    source.put(0..<200)
    clock.advance(by: .seconds(6))
    #expect(source.holds(0..<200))
  }

  @Test func `what has expired counts neither as a hit nor as there`() {
    let source = source(age: .seconds(1), blocks: 3)
    clock.advance(by: .seconds(1))
    #expect(!source.contains(0..<1))
    #expect(source.store.cachedRanges(of: source.source).isEmpty)
    #expect(source.store.cachedRanges().isEmpty)
    #expect(source.store.hit(0..<1, token: source.token.number, grid: source.token.grid) == nil)
    guard case .miss = source.look(0..<3 * 4096) else {
      Issue.record("not a miss")
      return
    }
    let statistics = source.store.counts()
    #expect((statistics.hits, statistics.misses, statistics.expirations) == (0, 3, 3))
    #expect(statistics.bytes == 0)
  }

  @Test func `reading any part of a block ends its idleness`() {
    let source = source(idle: .seconds(10), blocks: 0)
    source.put(0..<100)
    source.put(4096..<8192)
    for _ in 0..<5 {
      clock.advance(by: .seconds(9))
      #expect(source.holds(5..<6))
      #expect(source.holds(8000..<8192))
    }
    clock.advance(by: .seconds(10))
    #expect(!source.holds(5..<6))
  }

  @Test func `asking what is there ends no idleness`() {
    let source = source(idle: .seconds(10))
    clock.advance(by: .seconds(9))
    #expect(source.contains(0..<4096))
    _ = source.store.cachedRanges()
    clock.advance(by: .seconds(1))
    #expect(!source.contains(0..<4096))
  }

  @Test(arguments: [true, false]) func `a timer removes what is not asked for`(_ isAge: Bool) async {
    let source = source(age: isAge ? .seconds(100) : nil, idle: isAge ? nil : .seconds(100), blocks: 10)
    let store = source.store
    await quiet()
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(99))
    await quiet()
    #expect(clock.sleeperCount == 1)
    #expect(store.counts().blocks == 10)
    clock.advance(by: .seconds(25))
    await quiet()
    #expect(store.counts().blocks == 0)
    #expect(store.counts().expirations == 10)
    await quiet()
    #expect(store.counts().bytes == 0)
  }

  @Test func `the timer ends with the store`() async {
    var store: MemoryStore? = source(age: .seconds(1)).store
    await quiet()
    #expect(clock.sleeperCount == 1)
    weak let gone = store
    store = nil
    #expect(gone == nil)
    clock.advance(by: .seconds(100))
    #expect(clock.sleeperCount == 0)
  }

  @Test func `limits that are changed hold for what is there already`() async {
    let source = source(blocks: 4)
    let store = source.store
    clock.advance(by: .seconds(100))
    #expect(source.holds(0..<4 * 4096))
    store.setTimeLimits(age: .seconds(101), idle: nil)
    #expect(source.holds(0..<4 * 4096))
    store.setTimeLimits(age: .seconds(100), idle: nil)
    #expect(!source.contains(0..<4096))
    // Raised before anything was swept: it is there again.
    store.setTimeLimits(age: .seconds(200), idle: nil)
    #expect(source.holds(0..<4 * 4096))
    store.setTimeLimits(age: nil, idle: nil)
    clock.advance(by: .seconds(1_000_000))
    #expect(source.holds(0..<4 * 4096))
  }

  @Test func `what was not watched begins to be idle when idleness is limited`() {
    let source = source(blocks: 4)
    clock.advance(by: .seconds(1000))
    source.store.setTimeLimits(age: nil, idle: .seconds(10))
    clock.advance(by: .seconds(9))
    #expect(source.holds(0..<4096))
    clock.advance(by: .seconds(1))
    #expect(source.holds(0..<4096))
    #expect(!source.contains(4096..<8192))
    // A place that is used again does not inherit the idleness of the one before.
    source.store.change(.expire)
    source.put(source.block(9))
    clock.advance(by: .seconds(9))
    #expect(source.holds(source.block(9)))
  }

  @Test func `pins do not keep what is too old`() throws {
    let source = source(age: .seconds(10))
    try source.store.pin(0..<4096, of: source.source)
    #expect(source.store.counts().pinnedBytes == MemoryStore.charge(of: 4096))
    clock.advance(by: .seconds(10))
    #expect(!source.holds(0..<4096))
    #expect(source.store.counts().pinnedBytes == 0)
    #expect(source.store.counts().bytes == 0)
    // The pin itself stays.
    source.put(0..<100)
    #expect(source.store.counts().pinnedBytes == MemoryStore.charge(of: 100))
  }

  @Test func `a pin that is taken back while its chunk has expired is gone when the limit is raised`() throws {
    let source = source(age: .seconds(10))
    try source.store.pin(0..<4096, of: source.source)
    clock.advance(by: .seconds(10))
    source.store.unpin(0..<4096, of: source.source)
    source.store.setTimeLimits(age: .seconds(100), idle: nil)
    #expect(source.holds(0..<4096))
    #expect(source.store.counts().pinnedBytes == 0)
    source.store.handleMemoryPressure(.critical)
    #expect(!source.contains(0..<4096))
  }

  @Test func `a read brings back what has expired`() async throws {
    let synthetic = SyntheticSource(byteCount: 100_000)
    var configuration = MemoryStore.Configuration(limit: .mebibytes(1))
    configuration.time = ReadClock(clock)
    configuration.ageLimit = .seconds(1)
    let store = MemoryStore(configuration)
    let reader = try await RangeReader(synthetic, [.caching(store, blockSize: .kibibytes(4))])
    for round in 1...3 {
      for _ in 0..<2 { #expect(try await reader.read(0..<100) == SyntheticSource.bytes(0..<100)) }
      #expect(synthetic.readCount == round)
      clock.advance(by: .seconds(1))
    }
  }

  @Test func `a sweep leaves alone what comes while it is under way`() throws {
    let hook = Hook()
    var configuration = MemoryStore.Configuration(limit: .mebibytes(1))
    configuration.time = ReadClock(clock)
    configuration.ageLimit = .seconds(10)
    configuration.shards = 2
    configuration.eviction = Eviction(name: "hooked") { Hooked(base: LRU(capacity: $0), hook: hook) }
    let source = StoredSource(MemoryStore(configuration))
    let inFirst = try #require((0..<256).first { source.store.shard(of: $0, source.token) == 0 })
    let inSecond = try #require((0..<256).first { source.store.shard(of: $0, source.token) == 1 })
    source.put(source.block(inFirst))
    clock.advance(by: .seconds(10))
    // When the sweep has come to the first shard, something fresh comes to the second.
    hook.body.withLock {
      $0 = { [clock] in
        clock.advance(by: .seconds(1))
        source.put(source.block(inSecond))
      }
    }
    source.store.change(.expire)
    #expect(source.store.counts().expirations == 1)
    #expect(source.holds(source.block(inSecond)))
  }
}

/// Does something the next time that a chunk is taken out.
private final class Hook: Sendable {
  let body = Locked<(@Sendable () -> Void)?>(nil)
}

private struct Hooked: EvictionPolicy {
  var base: LRU
  let hook: Hook
  var capacity: Int {
    get { base.capacity }
    set { base.capacity = newValue }
  }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) { base.insert(slot, key: key, weight: weight) }
  mutating func hit(_ slot: Int) { base.hit(slot) }
  mutating func reweigh(_ slot: Int, weight: Int) { base.reweigh(slot, weight: weight) }
  mutating func evict() -> Int? { base.evict() }
  mutating func remove(_ slot: Int) {
    base.remove(slot)
    let body = hook.body.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }
}
