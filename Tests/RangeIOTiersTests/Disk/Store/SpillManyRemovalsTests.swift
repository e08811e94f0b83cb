import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// So many removals that they take more room than what they remove.
@Suite struct SpillManyRemovalsTests {
  /// A directory of sixteen files, four of which have blocks.
  private func filled(_ spill: SimulatedSpill) async throws -> SpillStore {
    let store = try spill.open()
    for block in 0..<60 { FillSource(store.sources).put(block, in: store) }
    try await store.flush()
    return store
  }

  @Test func `removals without end leave room for what comes, in this process and the next`() async throws {
    let spill = SimulatedSpill()
    var store = try await filled(spill)
    var source = FillSource(store.sources)
    for number in 1...12_000 {
      let block = 1000 + number * 7919 % 200_000
      source.erase(block..<block + 1, in: store)
      if number % 100 == 0 { try await store.flush() }
    }
    for block in 100..<104 { source.put(block, in: store) }
    try await store.flush()
    #expect(source.served(100..<104, by: store) == Set(100..<104))
    #expect(store.miscounts() == [])
    try await store.close()
    store = try spill.open()
    source = FillSource(store.sources)
    #expect(source.served(100..<104, by: store) == Set(100..<104))
    #expect(source.served(1000..<20_000, by: store) == [])
    for block in 200..<230 { source.put(block, in: store) }
    try await store.flush()
    #expect(source.served(200..<230, by: store) == Set(200..<230))
    try await store.close()
  }

  @Test func `what is removed already is not written down again`() async throws {
    let spill = SimulatedSpill()
    var store = try await filled(spill)
    var source = FillSource(store.sources)
    for _ in 0..<20 {
      for block in stride(from: 0, to: 40, by: 2) { source.erase(block..<block + 1, in: store) }
      store.erase(source: "none")
      try await store.flush()
    }
    #expect(store.counts().tombstones == 20)
    // Again, once it came back.
    source.put(4, in: store)
    try await store.flush()
    #expect(source.isIn(store, 4))
    source.erase(4..<5, in: store)
    try await store.flush()
    #expect(store.counts().tombstones == 21)
    try await store.close()
    store = try spill.open()
    source = FillSource(store.sources)
    #expect(source.served(0..<60, by: store) == Set((0..<60).filter { $0 >= 40 || $0 % 2 == 1 }))
    try await store.close()
  }

  @Test func `removals that cannot be written down take no memory without end, and hold once they can`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    var store = try await filled(spill)
    let source = FillSource(store.sources)
    spill.disk.faults = .always(.write, .fail(.noSpace))
    for block in stride(from: 0, to: 60, by: 2) { source.erase(block..<block + 1, in: store) }
    await #expect(throws: ReadError.self) { try await store.flush() }
    for number in 0..<40_000 {
      source.erase(1000 + number * 2..<1001 + number * 2, in: store)
    }
    #expect(store.state.withLock { $0.staging.removals.count } <= SpillStaging.maxRemovals)
    #expect(store.miscounts() == [])
    spill.disk.faults = .none
    clock.advance(by: .seconds(600))
    try await store.flush()
    try await store.close()
    store = try spill.open()
    let served = try #require(FillSource(store.sources).served(0..<60, by: store))
    #expect(served.isDisjoint(with: stride(from: 0, to: 60, by: 2)))
    try await store.close()
  }

  @Test func `spans of removed blocks are few, and lose what came back`() {
    var spans = SpillRemovedSpans()
    for block in 0..<10 as Range<UInt64> { spans.add(block..<block + 1) }
    #expect(spans.spans == [0..<10] && spans.contains(3..<7))
    spans.remove(5)
    #expect(spans.spans == [0..<5, 6..<10] && !spans.contains(5..<6) && !spans.contains(4..<7))
    spans.add(3..<8)
    #expect(spans.spans == [0..<10])
    for block in 10..<200 as Range<UInt64> { spans.add(block * 2..<block * 2 + 1) }
    #expect(spans.spans.count == SpillRemovedSpans.maxCount)
    #expect(spans.contains(398..<399))
  }
}
