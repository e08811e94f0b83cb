import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A disk that fails, hangs or is full, as the store meets it.
struct SpillSickDiskTests {
  /// Runs what happens in the background of stores whose disks hang, when a test says so.
  private let jobs = JobCount()

  private func fill(_ source: FillSource, _ blocks: Range<Int>, _ store: SpillStore) async throws {
    for block in blocks { source.put(block, in: store) }
    try await store.flush()
  }

  /// Has three reads fail.
  private func sicken(_ spill: SpillOnSimulatedDisk, _ source: FillSource, _ store: SpillStore) async {
    spill.disk.faults = .always(.read, .fail(.ioError))
    for block in 0..<3 { #expect(await source.load(block, in: store) == nil) }
  }

  // MARK: the breaker

  @Test func `three errors open it, reads go past it, one probe at a time tries, and ten successes close it`()
    async throws
  {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await fill(source, 0..<20, store)
    await sicken(spill, source, store)
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
    try await fill(source, 0..<20, store)
    await sicken(spill, source, store)
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
    await sicken(spill, source, store)
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
    try await fill(source, 0..<5, store)
    await sicken(spill, source, store)
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
    for block in 0..<3 { try await fill(source, block..<block + 1, store) }
    #expect(store.counts().breaker == .open && store.counts().writeErrors == 3)
    #expect(store.isEmpty && !source.put(9, in: store))
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    try await fill(source, 0..<11, store)
    #expect(store.counts().breaker == .closed && store.counts().blocks == 11)
    try await store.close()
  }

  @Test func `a full disk stops writes only, for a while`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await fill(source, 0..<2, store)
    spill.disk.faults = .always(.write, .fail(.noSpace))
    for block in 2..<6 { try await fill(source, block..<block + 1, store) }
    let statistics = store.counts()
    #expect(statistics.breaker == .closed && statistics.breakerOpenings == 0 && statistics.writeErrors == 1)
    #expect(statistics.dropped == 4)
    #expect(await source.load(1, in: store) == source.expected(source.block(1)))
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    try await fill(source, 2..<6, store)
    #expect(store.counts().blocks == 6)
    try await store.close()
  }

  @Test func `what waits to be written is found while it is open`() async throws {
    let spill = SpillOnSimulatedDisk { $0.writeDelay = .seconds(1000) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await fill(source, 0..<5, store)
    source.put(9, in: store)
    await sicken(spill, source, store)
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
      try await fill(FillSource(before.sources), 0..<12, before)
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
      try await fill(source, 0..<9, before)
      spill.disk.faults = .crash(at: position, written: 0.5)
      source.token.raiseGeneration()
      before.erase(source.block(4), of: source.token)
      // `try?`, here and below: the process may be dead by then.
      try? await fill(source, 9..<14, before)
      _ = before.removeAll()
      try? await fill(source, 20..<24, before)
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

  // MARK: removals

  @Test(arguments: [Errno.ioError, .noSpace])
  func `a removal that was found, and cannot be made durable, is one all the same`(errno: Errno) async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .bytes(1) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await fill(source, 0..<4, store)
    source.token.raiseGeneration()
    store.erase(source.block(1), of: source.token)
    try await store.close()
    spill.disk.faults = .on(.sync, number: 0, .fail(errno))
    let again = try await spill.open()
    let other = FillSource(again.sources)
    #expect(!other.isIn(again, 1) && other.isIn(again, 0))
    await #expect(throws: ReadError.self) { try await again.flush() }
    #expect(!other.isIn(again, 1))
    spill.clock.advance(by: .seconds(5))
    try await again.flush()
    spill.disk.losePower(seed: 1)
    let last = try await spill.open()
    #expect(!FillSource(last.sources).isIn(last, 1))
    try await last.close()
  }

  @Test func `a full disk loses the oldest files first, when all are removed`() async throws {
    for position in 0..<12 {
      let spill = SpillOnSimulatedDisk()
      let process = spill.disk.newProcess()
      let store = try await spill.open(process)
      let source = FillSource(store.sources)
      try await fill(source, 0..<8, store)
      source.token.raiseGeneration()
      store.erase(source.block(1), of: source.token)
      try await store.flush()
      // The next `store` cannot be written until a file has gone; the process ends at one of the calls.
      spill.disk.faults = DiskFaults { call in
        if call.position >= position { return .crash(after: 0) }
        return call.kind == .write ? .fail(.noSpace) : nil
      }
      _ = store.removeAll()
      // `try?`: the process dies.
      try? await store.flush()
      spill.disk.faults = .none
      process.crash()
      let again = try await spill.open()
      #expect(!FillSource(again.sources).isIn(again, 1), "killed at call \(position)")
      try await again.close()
    }
  }

  @Test(.simulated) func `what is removed while it is open is removed on the disk before it serves again`() async throws
  {
    let spill = SpillOnSimulatedDisk()
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    try await fill(source, 0..<20, store)
    await sicken(spill, source, store)
    source.token.raiseGeneration()
    store.erase(source.block(7), of: source.token)
    #expect(!source.isIn(store, 7))
    await #expect(throws: ReadError.self) { try await store.flush() }
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    // Asked to serve, it removes first.
    #expect(source.held(source.block(8), in: store).isEmpty)
    await quiet()
    #expect(store.counts().tombstones == 1)
    #expect(!source.held(source.block(8), in: store).isEmpty)
    process.crash()
    let again = try await spill.open()
    let other = FillSource(again.sources)
    #expect(!other.isIn(again, 7) && other.isIn(again, 8))
    try await again.close()
  }

  @Test func `what a failed write has left on the disk is reached by a removal`() async throws {
    let spill = SpillOnSimulatedDisk()
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    // The header of the file, then all of the chunk, but told as an error.
    spill.disk.faults = .on(.write, number: 1, .tear(after: .max))
    try await fill(source, 3..<4, store)
    #expect(store.isEmpty)
    source.token.raiseGeneration()
    store.erase(source.block(3), of: source.token)
    try await store.flush()
    process.crash()
    let again = try await spill.open()
    #expect(!FillSource(again.sources).isIn(again, 3))
    try await again.close()
  }

  @Test func `a removal that could not be synced is written again`() async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .bytes(1) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await fill(source, 0..<5, store)
    source.token.raiseGeneration()
    spill.disk.faults = .on(.sync, number: 0, .fail(.ioError))
    store.erase(source.block(3), of: source.token)
    try? await store.flush()
    try await store.flush()
    spill.disk.losePower(seed: 3)
    let again = try await spill.open()
    #expect(!FillSource(again.sources).isIn(again, 3))
    try await again.close()
  }

  /// The kernel reports a write that failed to one sync, and the next succeeds.
  @Test(arguments: [ByteCount.bytes(1), .mebibytes(64)])
  func `a flush that succeeds after one that failed holds for all that is found`(syncsEvery: ByteCount) async throws {
    // Which of the bytes that the kernel has forgotten are on the disk all the same is chance.
    for seed in UInt64(1)...10 {
      // All blocks go to one file: what a sync that fails has forgotten would otherwise not be in the index.
      let spill = SpillOnSimulatedDisk(segment: 128 << 10) { $0.syncsEvery = syncsEvery }
      let store = try await spill.open()
      let source = FillSource(store.sources)
      try await fill(source, 0..<3, store)
      spill.disk.faults = .on(.sync, number: 0, .fail(.ioError))
      try? await fill(source, 3..<6, store)
      try await fill(source, 6..<9, store)
      let found = (0..<9).filter { source.isIn(store, $0) }
      #expect(found.contains(8) && store.counts().writeErrors == 1)
      spill.disk.losePower(seed: seed)
      let again = try await spill.open()
      let left = FillSource(again.sources)
      var right: [Int] = []
      for block in 0..<9 where await left.load(block, in: again) == left.expected(left.block(block)) {
        right.append(block)
      }
      #expect(right == found, "seed \(seed)")
      try await again.close()
    }
  }

  @Test func `a removal that a flush could not copy to the next file is copied by the one after`() async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .bytes(1) }
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    // Three blocks fill a file. The next file has the removal.
    try await fill(source, 0..<4, store)
    source.token.raiseGeneration()
    store.erase(source.block(1), of: source.token)
    try await store.flush()
    // That file cannot be made durable, and goes; the removal is to go to a third, which has its header by then.
    let hasFailed = Locked(false)
    let writes = Locked(0)
    spill.disk.faults = DiskFaults { call in
      if call.kind == .sync, call.number == 0 {
        hasFailed.withLock { $0 = true }
        return .fail(.ioError)
      }
      guard call.kind == .write, hasFailed.withLock({ $0 }) else { return nil }
      return writes.withLock {
        $0 += 1; return $0
      } == 2 ? .fail(.ioError) : nil
    }
    source.put(5, in: store)
    await #expect(throws: ReadError.self) { try await store.flush() }
    #expect(writes.withLock { $0 } == 2)
    spill.disk.faults = .none
    try await fill(source, 6..<7, store)
    process.crash()
    let again = try await spill.open()
    let other = FillSource(again.sources)
    #expect(!other.isIn(again, 1) && other.isIn(again, 0) && other.isIn(again, 6))
    try await again.close()
  }

  @Test func `a removal that finds no room is not said to be durable`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 2) { $0.refusesWhenFull = true }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<20 { try await fill(source, block..<block + 1, store) }
    #expect(store.counts().dropped > 0)
    source.token.raiseGeneration()
    store.erase(source.block(0), of: source.token)
    await #expect { try await store.flush() } throws: { ($0 as? ReadError)?.code == .limitExceeded }
    try? await store.close()
  }

  // MARK: hanging

  @Test func `a read that hangs is late, then stalls and opens it, and hardly any more threads get stuck`() async throws
  {
    let gate = Gate()
    let spill = SpillOnSimulatedDisk {
      $0.work = .threads(IOThreads(limit: 8))
      $0.background = BackgroundWork(executor: jobs)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await fill(source, 0..<10, store)
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
    try await fill(source, 0..<2, store)
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
    try await fill(source, 0..<2, store)
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
    try await fill(source, 0..<15, store)
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

  // MARK: letting go of segments

  @Test func `one bad place does not keep its segment from going`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 4)
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<12 { try await fill(source, block..<block + 1, store) }
    // Read often, so that it is copied on.
    for block in 0..<12 { for _ in 0..<3 { _ = await source.load(block, in: store) } }
    spill.disk.faults = .always(.read, .fail(.ioError))
    for block in 20..<60 { try await fill(source, block..<block + 1, store) }
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
    try await fill(source, 0..<2, store)
    spill.disk.faults = .on(.rename, number: 0, .fail(.ioError))
    store.removeAll()
    try? await store.flush()
    #expect(store.state.withLock { $0.places.allSatisfy { $0?.isSealed ?? true } })
    try await store.flush()
    #expect(store.isEmpty && store.counts().segments == 0)
    for block in 0..<40 { try await fill(source, block..<block + 1, store) }
    #expect(store.counts().dropped == 0)
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }
}
