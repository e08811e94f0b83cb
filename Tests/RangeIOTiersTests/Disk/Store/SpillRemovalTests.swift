import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Removing, where it is easily lost or overdone.
@Suite struct SpillRemovalTests {
  @Test func `a store that is closed removes nothing from a directory that may be another's`() async throws {
    let spill = SimulatedSpill()
    let closed = try spill.open()
    FillSource(closed.sources).put(1, in: closed)
    try await closed.close()
    let store = try spill.open()
    let source = FillSource(store.sources)
    source.put(2, in: store)
    try await store.flush()
    let before = spill.contents
    closed.removeAll()
    closed.erase(source: "fill")
    FillSource(closed.sources).erase(0..<5, in: closed)
    try await closed.flush()
    #expect(spill.contents == before)
    try await store.close()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<5, by: again) == [1, 2])
  }

  @Test func `a store that only reads removes nothing from the disk`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    for block in 0..<5 { FillSource(store.sources).put(block, in: store) }
    try await store.flush()
    let before = spill.contents
    let reading = try spill.open { $0.isReadOnly = true }
    let source = FillSource(reading.sources)
    #expect(source.served(0..<5, by: reading) == Set(0..<5))
    source.erase(0..<2, in: reading)
    #expect(source.served(0..<5, by: reading) == [2, 3, 4])
    reading.removeAll()
    #expect(reading.isEmpty)
    try await reading.flush()
    try await reading.close()
    #expect(spill.contents == before)
  }

  @Test func `what else of the source waits for the disk is written, whatever was removed`() async throws {
    let spill = SimulatedSpill { $0.writeDelay = .seconds(1000) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<16 { source.put(block, in: store) }
    for block in stride(from: 0, to: 16, by: 5) { source.erase(block..<block + 1, in: store) }
    #expect((0..<16).filter { source.isIn(store, $0) } == (0..<16).filter { $0 % 5 != 0 })
    try await store.flush()
    #expect(source.served(0..<16, by: store) == Set((0..<16).filter { $0 % 5 != 0 }))
    #expect(store.counts().written == 12 && store.counts().stale == 4)
    #expect(store.miscounts() == [])
    try await store.close()
  }

  @Test func `a removal that runs refuses its own range, and lets the rest move`() async throws {
    let store = try SimulatedSpill().open()
    let source = FillSource(store.sources)
    store.sources.removing(.version(source.source, 0..<5000)) { _ in
      // Half a block takes the whole.
      #expect(!source.put(0, in: store) && !source.put(1, in: store) && source.put(2, in: store))
    }
    #expect(source.put(1, in: store))
    try await store.flush()
    #expect(source.served(0..<4, by: store) == [1, 2])
    try await store.close()
  }

  @Test func `who waits for a removal that finds no room is told`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(192)) { $0.refusesWhenFull = true }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<200 {
      source.put(block, in: store)
      if block % 8 == 7 { try await store.flush() }
    }
    var isTold = false
    // The last file has room for some.
    for block in 0..<200 where !isTold {
      source.erase(block..<block + 1, in: store)
      do { try await store.flush() } catch { isTold = (error as? ReadError)?.code == .limitExceeded }
    }
    #expect(isTold)
  }

  @Test func `a source that is forgotten can be removed, and its number given to another`() async throws {
    let spill = SimulatedSpill()
    var store = try spill.open()
    FillSource(store.sources, id: "a").put(1, in: store)
    try await store.close()
    store = try spill.open()
    // Nobody reads it in this process: clearing forgets it, and what is to be removed then comes after.
    store.state.withLock { $0.isWriting = true }
    store.erase(.everything)
    store.erase(source: "a")
    store.state.withLock { $0.isWriting = false }
    try await store.flush()
    let other = FillSource(store.sources, id: "b")
    other.put(1, in: store)
    try await store.flush()
    #expect(other.served(0..<3, by: store) == [1])
    #expect(store.miscounts() == [])
    try await store.close()
    store = try spill.open()
    #expect(FillSource(store.sources, id: "b").served(0..<3, by: store) == [1])
    #expect(FillSource(store.sources, id: "a").served(0..<3, by: store) == [])
  }

  @Test func `what waits to be written is counted once, however it leaves`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources, version: 1)
    for _ in 0..<3 { source.put(1, in: store) }
    source.put(2, in: store)
    #expect(store.counts().present == 2 && store.miscounts() == [])
    source.erase(2..<3, in: store)
    #expect(store.miscounts() == [])
    // Stale, and not erased yet.
    source.put(3, in: store)
    source.token.raiseGeneration()
    #expect(store.miscounts() == [])
    source.put(3, in: store)
    #expect(store.miscounts() == [])
    try await store.flush()
    #expect(source.served(0..<5, by: store) == [3] && store.miscounts() == [])
    source.put(4, in: store)
    // Another version, while one waits.
    let newer = FillSource(store.sources, version: 2)
    newer.put(1, in: store)
    #expect(store.miscounts() == [])
    try await store.flush()
    #expect(newer.served(0..<5, by: store) == [1] && store.miscounts() == [])
  }

  @Test func `a tombstone is carried on when a segment has to go before there is a new one`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    let (kept, brief) = (FillSource(store.sources, id: "kept"), FillSource(store.sources, id: "brief"))
    for block in 0..<16 { kept.put(block, in: store) }
    try await store.flush()
    kept.erase(2..<4, in: store)
    for block in 0..<12 { brief.put(block, in: store) }
    try await store.flush()
    // Fills what is left of the second file, and then a third.
    for block in 100..<117 { kept.put(block, in: store) }
    try await store.flush()
    brief.erase(0..<12, in: store)
    try await store.flush()
    #expect(spill.segments.count == 3)
    // No room, of a sudden: the second file is the emptiest, and has the tombstone.
    store.ledger.limit = store.ledger.bytes
    for block in 200..<216 { kept.put(block, in: store) }
    try await store.flush()
    #expect(store.miscounts() == [])
    #expect(store.ledger.bytes <= store.ledger.limit)
    try await store.close()
    let again = try spill.open()
    let served = try #require(FillSource(again.sources, id: "kept").served(0..<220, by: again))
    #expect(served.isDisjoint(with: [2, 3]) && served.contains(215))
  }

  @Test func `clearing that fails is tried again, and loses no file`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<5 { source.put(block, in: store) }
    try await store.flush()
    // Tried again at once, since what is removed makes room.
    spill.disk.faults = DiskFaults { $0.kind == .rename && $0.number < 2 ? .fail(.noSpace) : nil }
    store.removeAll()
    await #expect(throws: ReadError.self) { try await store.flush() }
    #expect(store.miscounts() == [])
    clock.advance(by: .seconds(6))
    try await store.flush()
    #expect(spill.segments == [] && store.counts().bytes == SpillFormat.fixedBytes)
  }
}
