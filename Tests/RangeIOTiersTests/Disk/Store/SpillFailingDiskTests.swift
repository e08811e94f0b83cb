import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Reads that fail, segments that are in use, clocks that go back.
@Suite struct SpillFailingDiskTests {
  @Test func `reads that fail are misses, and three of them leave the disk alone for a while`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in stride(from: 0, to: 40, by: 2) { source.put(block, in: store) }
    try await store.flush()
    spill.disk.residency = .unknown
    spill.disk.faults = .always(.read, .fail(.ioError))
    for block in [0, 2, 4] { #expect(await source.fetched(block..<block + 1, by: store) == []) }
    #expect(store.counts().breaker == .open && store.counts().readErrors == 3)
    #expect(store.lastFailure?.code == .inputOutput)
    spill.disk.faults = .none
    #expect(source.held(source.block(6), in: store).isEmpty)
    clock.advance(by: .seconds(5))
    // One call at a time, of one run, once each.
    var all: [DeferredPiece]? = source.held(0..<40 * 4096, in: store)
    #expect(all?.count == 1)
    #expect(source.held(0..<40 * 4096, in: store).isEmpty)
    all = nil
    for block in stride(from: 6, to: 26, by: 2) {
      #expect(await source.fetched(block..<block + 1, by: store) == [block])
    }
    #expect(store.counts().breaker == .closed)
    #expect(store.miscounts() == [])
  }

  @Test func `a bad place among what is copied on does not keep anything from being written`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(320))
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<14 { source.put(block, in: store) }
    try await store.flush()
    for _ in 0..<3 { #expect(source.served(0..<4, by: store) == Set(0..<4)) }
    let first = try #require(spill.segments.first)
    spill.disk.faults = DiskFaults { $0.kind == .read && $0.name == first ? .fail(.ioError) : nil }
    for block in 14..<200 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
    }
    try await store.flush()
    #expect(store.counts().dropped == 0 && store.counts().written == 200)
    #expect(store.counts().readErrors == 1)
  }

  @Test func `a file that cannot be removed costs what comes, not all that is here`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill(limit: .kibibytes(320)) { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<28 { source.put(block, in: store) }
    try await store.flush()
    spill.disk.faults = .always(.remove, .fail(.ioError))
    for block in 28..<100 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
    }
    #expect(store.counts().dropped > 0 && store.counts().breaker == .open)
    #expect((0..<28).allSatisfy { source.isIn(store, $0) })
    spill.disk.faults = .none
    clock.advance(by: .seconds(600))
    // What fell into a torn write is on the disk, and known to be.
    source.erase(0..<28, in: store)
    try await store.flush()
    try await store.close()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<28, by: again) == [])
  }

  @Test func `what a torn write left is removed, too`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    spill.disk.faults = DiskFaults { $0.kind == .write && $0.byteCount > 64 ? .tear(after: 3 * 4160 + 200) : nil }
    for block in 0..<5 { source.put(block, in: store) }
    try await store.flush()
    #expect(store.counts().written == 0)
    spill.disk.faults = .none
    source.erase(0..<2, in: store)
    try await store.flush()
    try await store.close()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<5, by: again) == [2])
  }

  @Test func `a segment that was given up takes no space once it is removed, even if it cannot be cut`() async throws {
    let spill = SimulatedSpill(limit: .bytes(SpillFormat.fixedBytes + 3 * 65_536)) { $0.syncsEvery = .mebibytes(1) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    func put(_ blocks: Range<Int>) async throws {
      for block in blocks { source.put(block, in: store) }
      try await store.flush()
    }
    // One more than a segment holds.
    try await put(0..<16)
    let mostBeyond = Locked(0)
    spill.disk.faults = DiskFaults { [disk = spill.disk] call in
      mostBeyond.withLock { $0 = max($0, disk.allocatedByteCount - store.ledger.bytes) }
      let fails = call.kind == .write && call.number == 0 || call.kind == .truncate && call.byteCount == 0
      return fails ? .fail(.ioError) : nil
    }
    try await put(16..<17)
    try await put(17..<18)
    spill.disk.faults = .none
    #expect(spill.segments.count == 2 && store.counts().segmentsFreed == 1)
    #expect(mostBeyond.withLock { $0 } == 0)
    try await store.close()
  }

  @Test func `what is being read is not let go of`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(320))
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<14 { source.put(block, in: store) }
    try await store.flush()
    var held: [DeferredPiece]? = source.held(source.block(3), in: store)
    for block in 14..<200 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
      #expect(spill.disk.allocatedByteCount <= 320 << 10)
    }
    try await store.flush()
    #expect(store.counts().dropped == 0 && source.isIn(store, 3))
    #expect(held?.first?.loader.answeredBytes == source.expected(source.block(3)))
    held = nil
    for block in 200..<300 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
    }
    #expect(!source.isIn(store, 3))
  }

  @Test func `with all in use, what comes is dropped, and what is here stays`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(192))
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<60 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
    }
    try await store.flush()
    var held = source.held(0..<60 * 4096, in: store)
    for block in 60..<100 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
      held += source.held(source.block(block - 7), in: store)
    }
    let there = try #require(source.served(0..<100, by: store))
    #expect(there.count > 14)
    for block in 100..<200 {
      source.put(block, in: store)
      if block % 7 == 0 { try await store.flush() }
    }
    #expect(store.counts().dropped > 0)
    #expect(source.served(0..<100, by: store)?.isSuperset(of: there) == true)
    withExtendedLifetime(held) {}
    #expect(store.miscounts() == [])
  }

  @Test func `a clock that is set back makes what has an age limit too old`() async throws {
    let wall = Locked<Int64>(1_700_000_000_000_000_000)
    let spill = SimulatedSpill {
      $0.wallClock = { wall.withLock { $0 } }
      $0.ageLimit = .seconds(60)
    }
    var store = try spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.flush()
    #expect(FillSource(store.sources).served(1..<2, by: store) == [1])
    wall.withLock { $0 += 59_000_000_000 }
    #expect(FillSource(store.sources).served(1..<2, by: store) == [1])
    wall.withLock { $0 -= 60_000_000_000 }
    try await store.close()
    store = try spill.open()
    #expect(FillSource(store.sources).served(1..<2, by: store) == [])
    store.change(.expire)
    FillSource(store.sources).put(2, in: store)
    try await store.flush()
    #expect(FillSource(store.sources).served(1..<3, by: store) == [2])
    store.setTimeLimits(age: nil, idle: nil)
    try await store.close()
    store = try spill.open { $0.ageLimit = nil }
    #expect(FillSource(store.sources).served(1..<3, by: store) == [1, 2])
  }
}
