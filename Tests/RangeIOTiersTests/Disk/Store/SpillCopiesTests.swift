import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Losses of power, kills and failing calls while blocks and removals move on to newer files, and older files go.
struct SpillCopiesTests {
  /// Numbers of the segments that are on the disk, the oldest first.
  private func segments(_ spill: SpillOnSimulatedDisk) -> [UInt64] {
    spill.disk.files.compactMap { $0.lastComponent.flatMap { SpillFormat.segmentNumber($0.string) } }.sorted()
  }

  /// Blocks of a kilobyte, of which thirteen fit into a file.
  private func blocks(_ store: SpillStore) -> FillSource { FillSource(store.sources, blockSize: 1024) }

  /// Each of these in files of their own, and durable; beside the second the removal of block 1.
  private func shape(
    _ spill: SpillOnSimulatedDisk, _ files: [ByteRange] = [0..<12, 20..<21, 40..<64]
  ) async throws {
    for (number, range) in files.enumerated() {
      let store = try await spill.open()
      let source = blocks(store)
      if number == 1 { source.erase(1..<2, in: store) }
      for block in range { source.put(block, in: store) }
      try await store.flush()
      try await store.close()
    }
  }

  /// Writes blocks without a flush, and lets what failed be tried again.
  private func write(_ blocks: Range<Int>, _ source: FillSource, _ store: SpillStore, _ spill: SpillOnSimulatedDisk)
    async
  {
    for block in blocks { source.put(block, in: store) }
    store.writer.wake(isUrgent: true)
    await quiet()
    spill.clock.advance(by: .seconds(6))
  }

  /// The power goes at each change of the disk, of a process whose syncs of new files fail once. The file of block 20 is one of many
  /// small ones, which are merged.
  @Test(.simulated) func `a block that is copied on is not lost while its index has it`() async throws {
    var losses = 0
    for failing in 0..<3 {
      var spill = SpillOnSimulatedDisk { $0.syncsEvery = .mebibytes(64) }
      try await shape(spill, [0..<12, 20..<21] + (4..<18).map { 10 * $0..<10 * $0 + 3 })
      let before = segments(spill).last!
      let store = try await spill.open()
      let source = blocks(store)
      let (syncs, copies, disk) = (Tally(), Noted<SimulatedDisk>(), spill.disk)
      disk.faults = DiskFaults { call in
        // While a new file is freed, what is in it is evicted.
        let isLeaving = store.state.withLock { state in
          state.places.contains { $0?.isDraining == true && $0!.segment.number > before }
        }
        if call.kind.isChange, !isLeaving, source.isIn(store, 20) { copies.add(disk.copy()) }
        guard call.kind == .sync, let number = SpillFormat.segmentNumber(call.name), number > before else { return nil }
        defer { syncs.change(by: 1) }
        return syncs.now == failing ? .fail(.ioError) : nil
      }
      for round in 0..<4 { await write(300 + 6 * round..<306 + 6 * round, source, store, spill) }
      disk.faults = .none
      for (number, copy) in copies.all.enumerated() {
        copy.losePower(seed: UInt64(number))
        spill.configuration.disk = copy.newProcess()
        let after = try await SpillStore.open(spill.configuration)
        let left = blocks(after)
        #expect(!left.isIn(after, 1))
        #expect(await left.load(20, in: after) == left.expected(left.block(20)), "sync \(failing), change \(number)")
        try await after.close()
        losses += 1
      }
    }
    #expect(losses > 50)
  }

  @Test func `what a process before may have copied is durable before the first file goes`() async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .mebibytes(64) }
    let new = try await spill.open()
    #expect(!new.writer.appender.unsynced.hasCopies)
    try await new.close()
    try await shape(spill)
    let store = try await spill.open()
    #expect(store.writer.appender.unsynced.hasCopies)
    try await store.flush()
    #expect(!store.writer.appender.unsynced.hasCopies)
    try await store.close()
  }

  @Test(.simulated) func `a flush that can be answered does not take along one that waits for more`() async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .mebibytes(64) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    await write(0..<1, source, store, spill)
    let (first, second, waiting) = (Promise<Void>(), Promise<Void>(), Tally())
    store.state.withLock { $0.note(flush: first) }
    source.put(1, in: store)
    store.state.withLock { state in
      state.note(flush: second)
      // As after a batch that found the disk full.
      state.writesPausedUntil = store.now.advanced(by: .seconds(5))
    }
    spill.disk.faults = .on(.sync, number: 0, .delay { waiting.change(by: store.state.withLock { $0.flushes.count }) })
    store.writer.startForWaiters()
    try await first.value()
    // `try?`: what it waited for was dropped.
    try? await second.value()
    #expect(waiting.now == 1 && !source.isIn(store, 1) && !store.state.withLock { $0.staging.hasWork })
    try await store.close()
  }

  @Test func `too few descriptors for a flush are no sick disk`() async throws {
    var spill = SpillOnSimulatedDisk { $0.syncsEvery = .mebibytes(64) }
    try await shape(spill)
    spill.configuration.maxOpenFiles = 1
    let store = try await spill.open()
    spill.disk.faults = DiskFaults { call in
      call.kind == .open && SpillFormat.segmentNumber(call.name) != nil ? .fail(.tooManyOpenFiles) : nil
    }
    for _ in 0..<4 { await #expect(throws: ReadError.self) { try await store.flush() } }
    #expect(store.counts().breakerOpenings == 0)
    spill.disk.faults = .none
    try await store.flush()
    try await store.close()
  }

  // MARK: removals

  @Test(arguments: 0..<12)
  func `who opens to read beside a writer does not find what was removed before, whenever the file goes`(
    call number: Int
  ) async throws {
    var spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<7 { source.put(block, in: store) }
    try await store.flush()
    source.erase(1..<2, in: store)
    try await store.close()
    let newest = SpillFormat.segmentName(segments(spill).last!)
    // The writer has copied the removal to a file that is not on the list; it removes this one, and cuts it.
    let directory = try spill.disk.newProcess().openDirectory("/cache/spill")
    let file = try directory.open(newest, writing: true)
    let calls = Tally()
    spill.disk.faults = DiskFaults { call in
      guard call.name == newest else { return nil }
      calls.change(by: 1)
      guard calls.now == number + 1 else { return nil }
      return .delay {
        // `try?`: it is there.
        try? directory.remove(newest)
        try? file.truncate(0)
      }
    }
    spill.configuration.isReadOnly = true
    let reading = try await spill.open()
    let found = FillSource(reading.sources)
    #expect(!found.isIn(reading, 1))
    // All calls were tried, and without any of this the others are there.
    #expect(calls.now > number || number > 4 && found.isIn(reading, 0) && found.isIn(reading, 6))
    try await reading.close()
  }

  @Test func `a removal stays while the file with what it removed may come back with the power`() async throws {
    for seed in UInt64(0)..<20 {
      var spill = SpillOnSimulatedDisk { $0.syncsEvery = .mebibytes(64) }
      try await shape(spill, [0..<12, 20..<21, 40..<66])
      // A process before has removed the oldest file, and was killed before that was durable.
      try spill.disk.newProcess().openDirectory("/cache/spill").remove(SpillFormat.segmentName(segments(spill)[0]))
      // The next one has less room, and so removes the one with the removal. It is killed as well.
      spill.configuration.limit = .bytes(2 * (16 << 10) + SpillFormat.fixedBytes)
      spill.disk.faults = DiskFaults { call in
        guard call.kind == .syncDirectory else { return nil }
        return call.number == 0 ? .fail(.ioError) : call.number == 1 ? .crash() : nil
      }
      // `try?`: it does not come to its end.
      _ = try? await spill.open()
      spill.disk.faults = .none
      spill.disk.losePower(seed: seed)
      spill.configuration.limit = .bytes(8 * (16 << 10) + SpillFormat.fixedBytes)
      let after = try await spill.open()
      #expect(!blocks(after).isIn(after, 1), "seed \(seed)")
      try await after.close()
    }
  }

  @Test func `a removal in an encrypted file stays as long as what it removed, if that is opened as a plain one`()
    async throws
  {
    var spill = SpillOnSimulatedDisk { $0.encryption = DiskEncryption(ToyKeys()) }
    try await shape(spill)
    let oldest = SpillFormat.segmentName(segments(spill)[0])
    spill.disk.faults = DiskFaults { call in
      switch call.kind {
      case .write, .create: call.name.hasPrefix(SpillFolder.nextStoreName) ? .fail(.noSpace) : nil
      case .remove: call.name == oldest ? .fail(.ioError) : nil
      default: nil
      }
    }
    let encrypted = spill.configuration
    spill.configuration.encryption = nil
    let plain = try await spill.open()
    let source = blocks(plain)
    for block in 70..<73 {
      source.put(block, in: plain)
      // `try?`: the disk is full.
      try? await plain.flush()
      spill.clock.advance(by: .seconds(6))
    }
    try await plain.close()
    spill.disk.faults = .none
    spill.configuration = encrypted
    let after = try await spill.open()
    let left = blocks(after)
    #expect(left.isIn(after, 0) && !left.isIn(after, 1))
    try await after.close()
  }

  @Test func `an opening that nobody waits for stops in the middle of a file`() async throws {
    let spill = SpillOnSimulatedDisk(segment: 8 << 20, segments: 4) { $0.stagingLimit = .mebibytes(16) }
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    for block in 0..<1500 { source.put(block, in: store) }
    try await store.flush()
    process.crash()
    let (gate, writes) = (Gate(), Tally())
    spill.disk.faults = DiskFaults { call in
      guard call.kind == .write, SpillFormat.segmentNumber(call.name) != nil else { return nil }
      writes.change(by: 1)
      return call.number == 1 ? .delay { gate.pass() } : nil
    }
    let opening = Task { try await spill.open() }
    await gate.arrival()
    opening.cancel()
    gate.open()
    // `try?`: it was cancelled, and may have been done all the same.
    try? await opening.value.close()
    spill.disk.faults = .none
    let again = try await spill.open()
    #expect(writes.now < 5, "of six, and a footer")
    #expect(FillSource(again.sources).isIn(again, 1499))
    try await again.close()
  }
}
