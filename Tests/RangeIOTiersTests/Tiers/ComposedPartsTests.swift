import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What a store of two stores does by way of its parts.
@Suite(.timeLimit(.minutes(5))) struct ComposedPartsTests {
  private let sources = ChunkSources()

  private func memory(_ limit: ByteCount) -> MemoryStore { MemoryStore(.init(limit: limit), sources: sources) }

  private func compressed(_ limit: ByteCount) -> CompressedStore {
    var configuration = CompressedStore.Configuration(limit: limit)
    configuration.codec = FillCodec()
    return CompressedStore(configuration, sources: sources)
  }

  @Test func `residents end, however stores are nested`() {
    let parts = (0..<4).map { _ in memory(.mebibytes(1)) }
    let source = FillSource(sources, byteCount: 1 << 20)
    for (index, part) in parts.enumerated() { source.put(index, in: part) }
    let right = TieredStore(parts[0], TieredStore(parts[1], TieredStore(parts[2], parts[3])))
    let left = TieredStore(TieredStore(TieredStore(parts[0], parts[1]), parts[2]), parts[3])
    for store in [right, left] {
      #expect(store.residents().prefix(1000).flatMap { $0 }.map(\.block) == [0, 1, 2, 3])
    }
  }

  @Test func `what is pinned stays`() throws {
    // What is on its way down is found as well, until it has gone.
    let executor = JobCount()
    // Of several shards the fullest evicts, which may not be the one in question.
    var configuration = MemoryStore.Configuration(limit: .kibibytes(64))
    configuration.shards = 1
    let store = TieredStore(
      MemoryStore(configuration, sources: sources), FIFOLike(sources), background: BackgroundWork(executor: executor))
    let source = FillSource(sources, byteCount: 1 << 22)
    try store.pin(0..<4096, of: source.source)
    for block in 0..<200 { source.put(block, in: store) }
    executor.run()
    #expect(source.isIn(store, 0))
    #expect(!source.isIn(store, 1))
    store.unpin(0..<4096, of: source.source)
    for block in 200..<400 { source.put(block, in: store) }
    executor.run()
    #expect(!source.isIn(store, 0))
  }

  @Test func `metadata is kept, charged and removed`() throws {
    let (upper, lower) = (memory(.kibibytes(64)), memory(.kibibytes(64)))
    let store = TieredStore(upper, lower)
    let source = FillSource(sources, byteCount: 1 << 20)
    try store.setMetadata(Bytes([1, 2, 3]), of: source.source)
    #expect(store.metadata(of: source.source) == Bytes([1, 2, 3]))
    #expect(upper.counts().bytes > 0)
    #expect(upper.counts().reservedBytes == 0)
    // Whoever removes it, it is given back to where it was taken from.
    lower.remove(source: source.source.id)
    #expect(upper.counts().bytes == 0)
    #expect(lower.counts().bytes == 0)
    try store.setMetadata(Bytes([1, 2, 3]), of: source.source)
    store.removeAll()
    #expect(store.metadata(of: source.source) == nil)
    #expect(upper.counts().bytes == 0)
  }

  @Test func `limits by time reach both`() {
    let clock = ManualClock()
    var configuration = MemoryStore.Configuration(limit: .kibibytes(64))
    configuration.time = ReadClock(clock)
    let upper = MemoryStore(configuration, sources: sources)
    let store = TieredStore(upper, MemoryStore(configuration, sources: sources))
    let source = FillSource(sources, byteCount: 1 << 20)
    source.put(0, in: store.upper)
    source.put(1, in: store.lower)
    store.setTimeLimits(age: .seconds(10), idle: nil)
    #expect(source.isIn(store, 0) && source.isIn(store, 1))
    clock.advance(by: .seconds(11))
    #expect(!source.isIn(store, 0) && !source.isIn(store, 1))
  }

  @Test func `statistics are those of the parts`() {
    let (upper, lower) = (memory(.kibibytes(64)), compressed(.kibibytes(32)))
    let store = TieredStore(upper, lower)
    let source = FillSource(sources, byteCount: 1 << 20)
    source.put(0, in: upper)
    source.put(1, in: lower)
    let statistics = store.counts()
    #expect(statistics.memory == upper.counts())
    #expect(statistics.compressed == lower.counts())
    #expect(statistics.limit == upper.counts().limit + lower.counts().limit)
    #expect(statistics.bytes == upper.counts().bytes + lower.counts().bytes)
  }

  @Test func `stores of one's own are listed among the tiers, and closed with them`() async throws {
    let own = FIFOLike(sources)
    let store = TieredStore(TieredStore(memory(.kibibytes(64)), own), compressed(.kibibytes(32)))
    #expect(
      store.statistics().map(\.name) == ["all memory", "memory", "memory queue", "own", "own queue", "compressed"])
    #expect(store.statistics()["own"]?.hits == 1 && store.statistics()["memory"]?.limit == 64 << 10)
    #expect(store.statistics()["own"]?.misses == nil && store.statistics()["all memory"]?.limit == 96 << 10)
    await #expect(throws: ReadError.self) { try await store.close(within: .seconds(7)) }
    #expect(own.closings.withLock { $0 } == [.seconds(7)])
  }

  @Test func `resizing reaches the parts, or says that it cannot`() async throws {
    let (upper, lower) = (memory(.mebibytes(1)), compressed(.mebibytes(1)))
    let store = TieredStore(upper, lower)
    try await store.resize(memory: .kibibytes(64), compressed: .kibibytes(32))
    #expect(upper.counts().limit == 64 << 10)
    #expect(lower.counts().limit == 32 << 10)
    // If one limit is not reached, both stay.
    let pinned = FillSource(sources, byteCount: 1 << 20)
    try store.pin(0..<8 * 4096, of: pinned.source)
    for block in 0..<8 { pinned.put(block, in: store) }
    await #expect {
      try await store.resize(memory: .kibibytes(16), compressed: .kibibytes(16))
    } throws: { ($0 as? ReadError)?.code == .limitExceeded }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.resize(memory: .kibibytes(16), compressed: .kibibytes(16))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(upper.counts().limit == 64 << 10)
    #expect(lower.counts().limit == 32 << 10)
    let other = TieredStore(FIFOLike(sources), compressed(.mebibytes(1)))
    await #expect(throws: ReadError.self) { try await other.resize(memory: .bytes(1), compressed: .bytes(1)) }
    let source = FillSource(sources, byteCount: 1 << 20)
    #expect(throws: ReadError.self) { try other.pin(0..<10, of: source.source) }
    #expect(throws: ReadError.self) { try other.setMetadata(Bytes([1]), of: source.source) }
  }
}

/// Keeps nothing, and knows no limits.
private final class FIFOLike: ChunkStore {
  let sources: ChunkSources
  init(_ sources: ChunkSources) { self.sources = sources }
  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { .miss }
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
  func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool { false }
  func cancel(_ reservation: ChunkReservation) {}
  func erase(_ range: ByteRange, of token: ChunkToken) {}
  let closings = Locked<[Duration]>([])
  func statistics() -> [Counters] { [Counters("own", counts: ["hits": 1])] }
  func close(within deadline: Duration) async throws {
    closings.withLock { $0.append(deadline) }
    throw ReadError(.inputOutput, "not written")
  }
}
