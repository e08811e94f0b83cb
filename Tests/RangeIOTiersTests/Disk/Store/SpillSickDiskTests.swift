import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A disk that fails or is full, as the store meets it.
struct SpillSickDiskTests {
  @Test func `three errors open it, reads go past it, one probe at a time tries, and ten successes close it`()
    async throws
  {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<20, in: store)
    await spill.sicken(source, store)
    #expect(store.counts().breaker == .open && store.counts().readErrors == 3)
    #expect(source.held(source.block(5), in: store).isEmpty)
    spill.disk.faults = .none
    spill.clock.advance(by: .milliseconds(4999))
    #expect(source.held(source.block(5), in: store).isEmpty)
    spill.clock.advance(by: .milliseconds(1))
    do {
      let probe = source.held(source.block(5), in: store)
      #expect(probe.count == 1 && probe.first?.loader.isQuick == false)
      #expect(source.held(source.block(6), in: store).isEmpty)
      #expect(store.counts().breaker == .trying)
    }
    // Never asked: another may try.
    for block in 5..<15 {
      #expect(store.counts().breaker == .trying)
      #expect(await source.load(block, in: store) == source.expected(source.block(block)))
    }
    let statistics = store.counts()
    #expect(statistics.breaker == .closed && statistics.breakerOpenings == 1 && statistics.breakerClosings == 1)
    try await store.close()
  }

  @Test func `a probe that fails doubles the pause`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<20, in: store)
    await spill.sicken(source, store)
    for (block, pause) in zip(3..., [5, 10, 20, 40]) {
      spill.clock.advance(by: .seconds(pause - 1))
      #expect(source.held(source.block(block), in: store).isEmpty)
      spill.clock.advance(by: .seconds(1))
      #expect(await source.load(block, in: store) == nil)
    }
    #expect(store.counts().breakerOpenings == 5)
    try? await store.close()
  }

  @Test func `a probe of blocks that do not lie side by side is of the first of them, once`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for blocks in [[0, 1, 2, 10], [3, 11], [4, 12]] {
      for block in blocks { source.put(block, in: store) }
      try await store.flush()
    }
    await spill.sicken(source, store)
    for block in [0, 1, 2] { source.put(block, in: store) }
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    guard case .partial(let pieces, let held, let gaps) = source.look(source.block(3).lowerBound..<13 * 4096, in: store)
    else { return #expect(Bool(false)) }
    #expect(pieces.isEmpty && held.count == 1 && held.first?.wanted == source.block(3))
    #expect(gaps == [4 * 4096..<13 * 4096])
    #expect(await held[0].loader.load {} == source.expected(source.block(3)))
    try? await store.close()
  }

  @Test func `a probe that is cancelled before it began lets another try at once`() async throws {
    let gate = Gate()
    let spill = SpillOnSimulatedDisk { $0.work = .threads(IOThreads(limit: 1)) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<5, in: store)
    await spill.sicken(source, store)
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    // The only thread is busy with something else.
    store.lanes.reads.start { gate.pass() }
    await gate.arrival()
    let probe = source.held(source.block(3), in: store)
    let task = Task { await probe[0].loader.load {} }
    task.cancel()
    #expect(await task.value == nil)
    #expect(source.held(source.block(4), in: store).count == 1)
    gate.open()
    withExtendedLifetime(probe) {}
    try? await store.close()
  }

  @Test(.simulated) func `a disk on which nothing could be written yet is tried by writing`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    spill.disk.faults = .always(.write, .fail(.ioError))
    for block in 0..<3 { try await source.fill(block..<block + 1, in: store) }
    #expect(store.counts().breaker == .open && store.counts().writeErrors == 3)
    #expect(store.isEmpty && !source.put(9, in: store))
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    try await source.fill(0..<11, in: store)
    #expect(store.counts().breaker == .closed && store.counts().blocks == 11)
    try await store.close()
  }

  @Test func `a full disk stops writes only, for a while`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<2, in: store)
    spill.disk.faults = .always(.write, .fail(.noSpace))
    for block in 2..<6 { try await source.fill(block..<block + 1, in: store) }
    let statistics = store.counts()
    #expect(statistics.breaker == .closed && statistics.breakerOpenings == 0 && statistics.writeErrors == 1)
    #expect(statistics.dropped == 4)
    #expect(await source.load(1, in: store) == source.expected(source.block(1)))
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    try await source.fill(2..<6, in: store)
    #expect(store.counts().blocks == 6)
    try await store.close()
  }

  @Test func `what waits to be written is found while it is open`() async throws {
    let spill = SpillOnSimulatedDisk { $0.writeDelay = .seconds(1000) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<5, in: store)
    source.put(9, in: store)
    await spill.sicken(source, store)
    #expect(store.counts().breaker == .open)
    #expect(source.read(source.block(9), in: store) == [source.block(9)])
    #expect(source.held(source.block(4), in: store).isEmpty && !source.put(10, in: store))
    try? await store.close()
  }

  @Test(arguments: [false, true])
  func `what a process found when it opened is durable after its flush`(isClosed: Bool) async throws {
    for seed in 0..<20 {
      // The process before, which made no file durable.
      var spill = SpillOnSimulatedDisk { $0.syncsEvery = nil }
      let process = spill.disk.newProcess()
      let before = try await spill.open(process)
      // Of four files.
      try await FillSource(before.sources).fill(0..<12, in: before)
      if isClosed { try await before.close() } else { process.crash() }
      spill.configuration.syncsEvery = .mebibytes(1)
      let found = try await spill.open()
      try await found.flush()
      spill.disk.losePower(seed: UInt64(seed))
      let after = try await spill.open()
      let source = FillSource(after.sources)
      let kept = (0..<12).filter { source.isIn(after, $0) }
      #expect(kept == Array(0..<12), "seed \(seed)")
      try await after.close()
    }
  }

  @Test func `whatever an opening finds after a kill is kept by its flush, whatever the kill was in the midst of`()
    async throws
  {
    for position in 0..<90 {
      let spill = SpillOnSimulatedDisk(segments: 5) { $0.syncsEvery = .kibibytes(8) }
      let process = spill.disk.newProcess()
      let before = try await spill.open(process)
      let source = FillSource(before.sources)
      try await source.fill(0..<9, in: before)
      spill.disk.faults = .crash(at: position, written: 0.5)
      source.token.raiseGeneration()
      before.erase(source.block(4), of: source.token)
      // `try?`, here and below: the process may be dead by then.
      try? await source.fill(9..<14, in: before)
      _ = before.removeAll()
      try? await source.fill(20..<24, in: before)
      spill.disk.faults = .none
      process.crash()
      let found = try await spill.open()
      let there = FillSource(found.sources)
      let blocks = (0..<24).filter { there.isIn(found, $0) }
      try await found.flush()
      spill.disk.losePower(seed: UInt64(position))
      let after = try await spill.open()
      let left = FillSource(after.sources)
      #expect((0..<24).filter { left.isIn(after, $0) } == blocks, "killed at call \(position)")
      try await after.close()
    }
  }

  @Test func `one bad place does not keep its segment from going`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 4)
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<12 { try await source.fill(block..<block + 1, in: store) }
    // Read often, so that it is copied on.
    for block in 0..<12 { for _ in 0..<3 { _ = await source.load(block, in: store) } }
    spill.disk.faults = .always(.read, .fail(.ioError))
    for block in 20..<60 { try await source.fill(block..<block + 1, in: store) }
    let statistics = store.counts()
    #expect(statistics.dropped == 0 && statistics.evictions > 20 && source.isIn(store, 59))
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    spill.disk.faults = .none
    try await store.close()
  }

  @Test func `clearing that fails leaves no segment that never goes`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 4)
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<2, in: store)
    spill.disk.faults = .on(.rename, number: 0, .fail(.ioError))
    store.removeAll()
    try? await store.flush()
    #expect(store.state.withLock { $0.places.allSatisfy { $0?.isSealed ?? true } })
    try await store.flush()
    #expect(store.isEmpty && store.counts().segments == 0)
    for block in 0..<40 { try await source.fill(block..<block + 1, in: store) }
    #expect(store.counts().dropped == 0)
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }
}
