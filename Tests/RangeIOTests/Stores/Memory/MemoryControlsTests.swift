import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a user sets and asks of a store in memory: age, idleness, counts, trimming, metadata, pressure.
struct MemoryControlsTests {
  private func store(
    _ limit: ByteCount = .mebibytes(1), _ clock: ManualClock = ManualClock(),
    _ change: (inout MemoryStore.Configuration) -> Void = { _ in }
  ) -> MemoryStore {
    var configuration = MemoryStore.Configuration(limit: limit)
    configuration.time = ReadClock(clock)
    change(&configuration)
    return MemoryStore(configuration)
  }

  @Test func `nothing costs 0, so memory evicts by bytes without anybody naming a cost`() async throws {
    // There: the facade passed cost 0, and memory never evicted.
    let store = store(.kibibytes(64))
    let source = SyntheticSource(byteCount: 1 << 20)
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    for offset in stride(from: 0, to: 1 << 20, by: 1024) {
      #expect(try await reader.read(offset..<offset + 1) == SyntheticSource.bytes(offset..<offset + 1))
      #expect(store.counts().bytes <= 64 << 10)
    }
    #expect(store.counts().evictions > 0)
    for count in [1, 2, 15, 16, 17, 4095, 4096, 100_000, 200_000] {
      #expect(MemoryStore.charge(of: count) > count)
    }
  }

  @Test func `offsets and limits beyond 32 bits are numbers like others`() async throws {
    let size = 1 << 62
    let source = SyntheticSource(byteCount: size)
    let store = store(.gibibytes(1 << 20))
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(64))])
    let starts = [1 << 31, 1 << 32, (1 << 32) + (1 << 31), 1 << 40, 1 << 47, size - 100_000]
    for start in starts {
      let range = start - 7..<start + 70_000
      for _ in 0..<2 { #expect(try await reader.read(range) == SyntheticSource.bytes(range)) }
    }
    #expect(source.readCount == starts.count)
    // What 32 bits would mistake for each other.
    #expect(!store.contains(0..<1, of: reader.source))
    #expect(store.counts().limit == 1 << 50)
    #expect(store.cachedRanges(of: reader.source) == starts.map { $0 - 7..<$0 + 70_000 })
    store.remove((1 << 32)..<(1 << 32) + 1, of: reader.source)
    #expect(store.contains((1 << 31)..<(1 << 31) + 1, of: reader.source))
    #expect(!store.contains((1 << 32)..<(1 << 32) + 1, of: reader.source))
  }

  @Test func `the last bytes of the largest source there can be are kept, or served without`() async throws {
    let source = SyntheticSource(byteCount: .max)
    for blockSize in [ByteCount.kibibytes(4), .kibibytes(64), .mebibytes(1)] {
      for fill in [ReadPipeline.CacheFill.exact, .block, .requestedFirst] {
        let store = store(.mebibytes(16))
        let reader = try await RangeReader(source, [.caching(store, fill: fill, blockSize: blockSize)])
        for range in [Int.max - 10..<Int.max, Int.max - 70_000..<Int.max - 10, Int.max - 70_000..<Int.max] {
          for _ in 0..<2 { #expect(try await reader.read(range) == SyntheticSource.bytes(range)) }
          _ = store.contains(range, of: reader.source)
          try store.pin(range, of: reader.source)
          store.unpin(range, of: reader.source)
        }
        store.remove(Int.max - 10..<Int.max, of: reader.source)
        #expect(!store.contains(Int.max - 10..<Int.max, of: reader.source))
      }
    }
  }

  @Test func `age counts from fetchedAt, whatever is read meanwhile; idleness counts from the last read`() {
    // There: age meant idleness.
    let clock = ManualClock()
    let aged = StoredSource(store(.mebibytes(1), clock) { $0.ageLimit = .seconds(10) })
    let idle = StoredSource(store(.mebibytes(1), clock) { $0.idleLimit = .seconds(10) })
    for source in [aged, idle] { source.put(0..<4096) }
    for second in 1..<10 {
      clock.advance(by: .seconds(1))
      #expect(aged.holds(0..<4096), "\(second)")
      #expect(idle.holds(0..<4096), "\(second)")
    }
    clock.advance(by: .seconds(1))
    #expect(!aged.holds(0..<4096))
    #expect(idle.holds(0..<4096))
    clock.advance(by: .seconds(10))
    #expect(!idle.holds(0..<4096))
    for source in [aged, idle] {
      #expect(source.store.counts().expirations == 1)
      #expect(source.store.counts().bytes == 0)
    }
  }

  @Test func `time is finer than a second`() {
    let clock = ManualClock()
    let source = StoredSource(store(.mebibytes(1), clock) { $0.ageLimit = .milliseconds(3) })
    source.put(0..<4096)
    clock.advance(by: .milliseconds(3) - .nanoseconds(1))
    #expect(source.holds(0..<4096))
    clock.advance(by: .nanoseconds(1))
    #expect(!source.holds(0..<4096))
  }

  @Test func `removing all reports how far it is`() async {
    let store = store(.mebibytes(64))
    let source = StoredSource(store, byteCount: 16 << 20)
    for block in 0..<1000 { source.put(source.block(block)) }
    let total = store.counts().bytes
    var removed = 0
    var steps = 0
    for await progress in store.removeAll() {
      #expect(progress.totalBytes == total)
      #expect(progress.removedBytes > removed)
      removed = progress.removedBytes
      steps += 1
      #expect(store.counts().bytes == total - removed)
      // Nothing of it can be found from the first moment on.
      #expect(store.counts().blocks == 0)
    }
    #expect(removed == total)
    #expect(steps > 1)
  }

  @Test func `what leaves is still good for who takes it`() throws {
    let charge = MemoryStore.charge(blocks: 4)
    let source = StoredSource(store(charge))
    for block in 0..<4 { source.put(source.block(block)) }
    let evicted = NotedEvictions()
    source.store.sendEvictions(to: evicted)
    let reservation = source.store.reserve(source.block(9), ofRun: 4096, for: source.token)
    let chunk = try #require(evicted.takeAll().first)
    #expect(!source.contains(source.block(chunk.block)))
    #expect(chunk.pieces[0].bytes == source.expected(chunk.range))
    #expect(source.store.counts().bytes <= charge.bytes)
    source.store.cancel(try #require(reservation))
    // A hit that somebody keeps outlives its chunk, too.
    let kept = try #require((0..<4).compactMap { source.read(source.block($0)) }.first)
    source.store.remove(source: source.source.id)
    #expect(source.store.counts().bytes == 0)
    #expect((0..<4).contains { kept == source.expected(source.block($0)) })
  }

  @Test func `users keep metadata of their own with a source`() throws {
    let store = store()
    let source = StoredSource(store)
    #expect(store.metadata(of: source.source) == nil)
    try store.setMetadata([1, 2, 3], of: source.source)
    #expect(store.metadata(of: source.source) == [1, 2, 3])
    try store.setMetadata([4], of: source.source)
    #expect(store.metadata(of: source.source) == [4])
    try store.setMetadata(nil, of: source.source)
    #expect(store.metadata(of: source.source) == nil)
    #expect(store.counts().bytes == 0)
  }

  @Test func `trimming to a size goes at least that far, and leaves the limit`() async throws {
    let store = store(.mebibytes(1))
    let source = StoredSource(store)
    for block in 0..<100 { source.put(source.block(block)) }
    let before = store.counts().bytes
    try await store.trim(to: .bytes(before))
    #expect(store.counts().bytes == before)
    try await store.trim(to: .kibibytes(100))
    #expect(store.counts().bytes <= 100 << 10)
    // Not further than it must: one block fewer than the limit at most.
    #expect(store.counts().bytes > (100 << 10) - MemoryStore.charge(of: 4096))
    try await store.trim(to: .bytes(0))
    #expect(store.counts().bytes == 0)
    #expect(store.counts().limit == 1 << 20)
    #expect(source.put(source.block(0)))
  }

  @Test func `a store can be asked what it contains, its count and its cost`() {
    let store = store()
    let a = StoredSource(store, id: "a")
    let b = StoredSource(store, id: "b", byteCount: 5000)
    a.put(100..<5000)
    a.put(9000..<9010)
    b.put(0..<5000)
    #expect(a.contains(100..<5000))
    #expect(!a.contains(99..<5000))
    #expect(!a.contains(100..<5001))
    #expect(b.contains(0..<5000))
    let all = store.cachedRanges()
    #expect(all.map(\.source.id) == ["a", "b"])
    #expect(all.map(\.ranges) == [[100..<5000, 9000..<9010], [0..<5000]])
    #expect(store.counts().blocks == 5)
    #expect(store.counts().bytes == MemoryRecount(store).bytes)
    // Asking is no read: no chunk becomes harder to evict, nothing is counted.
    #expect(store.counts().hits == 0 && store.counts().misses == 0)
  }

  @Test func `the count of items is a limit of its own`() {
    let store = store { $0.blockLimit = 10 }
    let source = StoredSource(store)
    for block in 0..<100 {
      #expect(source.put(source.block(block)))
      #expect(store.counts().blocks <= 10)
    }
    #expect(store.counts().blocks == 10)
    #expect(store.counts().evictions == 90)
  }

  @Test func `memory pressure lets go of half, then of all`() {
    let store = store()
    let source = StoredSource(store)
    for block in 0..<100 { source.put(source.block(block)) }
    let before = store.counts().bytes
    store.handleMemoryPressure(.normal)
    #expect(store.counts().bytes == before)
    store.handleMemoryPressure(.warning)
    #expect(store.counts().blocks == 50)
    store.handleMemoryPressure(.critical)
    #expect(store.counts().bytes == 0)
    #expect(source.put(source.block(0)))
  }
}
