import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Memory that was removed and not given back yet, since nobody iterates the removal.
@Suite(.timeLimit(.minutes(5))) struct RemovalAndRoomTests {
  private let store = MemoryStore(limit: MemoryStore.charge(blocks: 100))

  private func filled(_ store: MemoryStore) -> StoredSource {
    let source = StoredSource(store)
    for block in 0..<100 { source.put(source.block(block)) }
    return source
  }

  @Test func `belongs to no reservation`() {
    _ = filled(store)
    let before = store.counts().bytes
    let removal = store.removeAll()
    #expect(store.counts().reservedBytes == 0)
    #expect(store.counts().bytes == before)
    withExtendedLifetime(removal) {}
  }

  @Test func `is given back by a resize that waits for it`() async throws {
    _ = filled(store)
    let removal = store.removeAll()
    try await store.resize(to: MemoryStore.charge(blocks: 10))
    #expect(store.counts().bytes == 0)
    for await _ in removal { Issue.record("nothing is left to give back") }
  }

  @Test func `is room for what comes`() throws {
    let source = filled(store)
    let removal = store.removeAll()
    for block in 0..<100 { #expect(source.put(source.block(block))) }
    #expect(source.holds(0..<100 * 4096))
    #expect(store.counts().evictions == 0)
    withExtendedLifetime(removal) {}
  }

  @Test func `is room for other tiers`() throws {
    let store = TieredStore(memory: .mebibytes(1), compressed: .bytes(0))
    let tiers = try #require(store.memory)
    _ = filled(tiers.memory)
    let removal = store.removeAll()
    let queue = store.mover.counts().limit
    let room = tiers.budget.limit.bytes - queue
    #expect(tiers.budget.takeBack(room), "nothing else is held")
    withExtendedLifetime(removal) {}
  }

  @Test func `goes with trimming, and under pressure`() async throws {
    for trims in [true, false] {
      _ = filled(store)
      let removal = store.removeAll()
      if trims { try await store.trim(to: .bytes(0)) } else { store.handleMemoryPressure(.critical) }
      #expect(store.counts().bytes == 0)
      withExtendedLifetime(removal) {}
    }
  }

  @Test func `a resize that throws leaves the limits as they were`() async throws {
    let source = filled(store)
    let before = store.counts().limit
    try store.pin(0..<50 * 4096, of: source.source)
    let tooSmall = await #expect(throws: ReadError.self) {
      try await store.resize(to: MemoryStore.charge(blocks: 10), blocks: 20)
    }
    #expect(tooSmall?.code == .limitExceeded)
    #expect(store.counts().limit == before)
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      try await store.resize(to: .bytes(0))
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(store.counts().limit == before)
    // Both of them: blocks beyond 20 are kept as well.
    for block in 50..<100 { #expect(source.put(source.block(block))) }
    #expect(source.holds(0..<100 * 4096))
  }
}
