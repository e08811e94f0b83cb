import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A disk that does not answer, as the store meets it.
struct SpillHangingDiskTests {
  /// Runs what happens in the background of stores whose disks hang, when a test says so.
  private let jobs = JobCount()

  @Test func `a read that hangs is late, then stalls and opens it, and hardly any more threads get stuck`() async throws
  {
    let gate = Gate()
    let spill = SpillOnSimulatedDisk {
      $0.work = .threads(IOThreads(limit: 8))
      $0.background = BackgroundWork(executor: jobs)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<10, in: store)
    spill.disk.faults = .always(.read, .delay { gate.pass() })
    let found = (0..<3).map { source.held(source.block($0), in: store)[0] }
    let isLate = Tally()
    let hung = Task { await found[0].loader.load { isLate.change(by: 1) } }
    await gate.arrival()
    pass(spill.clock) { isLate.now == 1 }
    #expect(store.counts().lateReads == 1 && store.counts().breaker == .closed)
    pass(spill.clock) { store.counts().breaker == .open }
    // Its reader goes to the source at the latest now.
    #expect(await hung.value == nil)
    // Found before, and not asked for any more.
    #expect(await found[1].loader.load {} == nil)
    #expect(gate.arrivals == 1)
    spill.clock.advance(by: .seconds(5))
    let probe = source.held(source.block(5), in: store)
    let trying = Task { await probe[0].loader.load {} }
    await gate.arrival(2)
    for block in 6..<10 { #expect(source.held(source.block(block), in: store).isEmpty) }
    #expect(gate.arrivals == 2)
    gate.open()
    _ = await trying.value
    spill.disk.faults = .none
    try? await store.close()
  }

  @Test func `a read that gets no thread because others hang is late all the same`() async throws {
    let gate = Gate()
    let spill = SpillOnSimulatedDisk {
      $0.work = .threads(IOThreads(limit: 1))
      $0.background = BackgroundWork(executor: jobs)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<2, in: store)
    store.lanes.reads.start(isUrgent: true) { gate.pass() }
    await gate.arrival()
    let isLate = Tally()
    let piece = source.held(source.block(1), in: store)[0]
    let hasEnded = Tally()
    let waiting = Task(executorPreference: jobs) {
      defer { hasEnded.change(by: 1) }
      return await piece.loader.load { isLate.change(by: 1) }
    }
    pass(spill.clock) { isLate.now == 1 }
    #expect(hasEnded.now == 0)
    pass(spill.clock) { hasEnded.now == 1 }
    #expect(await waiting.value == nil)
    // The disk itself was never asked.
    #expect(store.counts().breaker == .closed)
    gate.open()
    try await store.close()
  }

  @Test func `a piece that several flights want is read for each, and nothing stays watched`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<2, in: store)
    let loader = source.held(source.block(1), in: store)[0].loader
    for _ in 0..<3 { #expect(await loader.load {} == source.expected(source.block(1))) }
    #expect(store.watch.count == 0 && store.counts().reads == 3)
    try await store.close()
  }

  @Test func `a write that hangs opens it, and closing waits no longer than it may`() async throws {
    let gate = Gate()
    let threads = IOThreads(limit: 1)
    let spill = SpillOnSimulatedDisk {
      $0.work = .threads(threads)
      $0.background = BackgroundWork(executor: jobs)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    spill.disk.faults = .always(.write, .delay { gate.pass() })
    source.put(1, in: store)
    let flushing = Task { try await store.flush() }
    await gate.arrival()
    pass(spill.clock) { store.counts().breaker == .open }
    let end = store.now.advanced(by: .seconds(2))
    let closing = Task(executorPreference: jobs) { try await store.close(by: end) }
    pass(spill.clock) { store.now > end }
    await #expect { try await closing.value } throws: { ($0 as? ReadError)?.code == .timedOut }
    #expect(!store.isWritable)
    gate.open()
    _ = try? await flushing.value
    spill.disk.faults = .none
    // Then the lock is given back. What comes after the writer on its thread sees it.
    let over = Promise<Void>()
    threads.submit(IOJob { over.resolve(.success(())) })
    try await over.value()
    #expect(store.state.withLock { $0.places.isEmpty && $0.isGivenUp })
  }

  @Test func `a flush waits for a disk that hangs no longer than it may, and what waits is written later`() async throws
  {
    let gate = Gate()
    let spill = SpillOnSimulatedDisk {
      $0.work = .threads(IOThreads(limit: 1))
      $0.background = BackgroundWork(executor: jobs)
    }
    let disk = try await spill.open()
    var memory = MemoryStore.Configuration(limit: .mebibytes(1))
    memory.time = ReadClock(spill.clock)
    let store = TieredStore(
      MemoryStore(memory, sources: disk.sources), disk, background: BackgroundWork(executor: jobs))
    let source = FillSource(disk.sources)
    /// Flushes for two seconds, which are over before anything else happens.
    func flushInVain() async {
      let isOver = Tally()
      let flushing = Task(executorPreference: jobs) {
        defer { isOver.change(by: 1) }
        try await store.flush(within: .seconds(2))
      }
      pass(spill.clock) { isOver.now == 1 }
      guard isOver.now == 1 else { return flushing.cancel() }
      await #expect { try await flushing.value } throws: { ($0 as? ReadError)?.code == .timedOut }
    }
    // On its way down, and it does not go on by itself.
    store.mover.take([source.chunk(2, at: store.now)])
    await flushInVain()
    store.mover.proceed()
    jobs.run()
    spill.disk.faults = .always(.write, .delay { gate.pass() })
    source.put(1, in: disk)
    await flushInVain()
    await gate.arrival()
    spill.disk.faults = .none
    gate.open()
    try await store.flush(within: .seconds(1000))
    #expect(source.isIn(disk, 1) && source.isIn(disk, 2) && disk.counts().written == 2)
    try await disk.close()
  }

  @Test func `a long batch of quick calls is no stall`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    let clock = spill.clock
    // Each takes a while, none a second, all together some.
    spill.disk.faults = .always(.write, .delay { clock.advance(by: .milliseconds(400)) })
    try await source.fill(0..<15, in: store)
    #expect(clock.now.offset > .seconds(2))
    #expect(store.counts().breakerOpenings == 0)
    try await store.close()
  }

  /// Moves the clock in small steps until `isDone`, with all that happens in the background after each.
  private func pass(_ clock: ManualClock, until isDone: () -> Bool) {
    jobs.run()
    for _ in 0..<1000 where !isDone() {
      clock.advance(by: .milliseconds(50))
      jobs.run()
    }
    #expect(isDone())
  }
}
