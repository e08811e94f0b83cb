import RangeIOTesting
import SystemPackage

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Opening, closing, killing, and loss of power.
extension SpilledModel {
  private func makeConfiguration(
    _ process: SimulatedProcess, _ time: ReadClock
  ) -> (TieredStore.Configuration, SpillStore.Configuration) {
    var tiers = TieredStore.Configuration(
      memory: .bytes(24_000 + random.below(16_000)), compressed: .bytes(12_000 + random.below(20_000)))
    tiers.memory.shards = [1, 1, 2][random.below(3)]
    tiers.memory.eviction = Eviction.all[random.below(4)]
    tiers.compressed.shards = 1
    tiers.compressed.codec = codec
    tiers.compressed.inlineLimit = .kibibytes([128, 1][random.below(2)])
    tiers.time = time
    tiers.background = BackgroundWork(executor: executor)
    tiers.ageLimit = age.map { .nanoseconds($0) }
    var spill = SpillStore.Configuration(directory: "/cache/spill", limit: .bytes(spillLimit))
    spill.segmentSize = .bytes(segmentSize)
    spill.codec = codec
    spill.syncsEvery = syncsEvery
    spill.writesOnInsertion = random.below(4) == 0
    spill.keepsFirstReads = random.below(2) == 0
    spill.freeSpaceFloor = .bytes(0)
    spill.writeDelay = .milliseconds(1 + random.below(50))
    spill.disk = process
    spill.work = .tasks(BackgroundWork(executor: executor))
    spill.wallClock = { [unowned self] in now + wallShift }
    let directoryID = random.next()
    spill.random = { directoryID }
    // With another key in each life.
    if isEncrypted { spill.encryption = DiskEncryption(ToyKeys(current: UInt32(directoryID & 1))) }
    return (tiers, spill)
  }

  /// Opens the directory as a new process does.
  func open() throws(Mismatch) {
    disk.faults = .none
    let process = disk.newProcess()
    let time = ReadClock(clock)
    let origin = now
    let (tiers, spill) = makeConfiguration(process, time)
    let opened = Locked<TieredStore?>(nil)
    let opening = start("opening") {
      let store = try await TieredStore(tiers, disk: spill)
      opened.withLock { $0 = store }
    }
    isNested = true
    try runUntil(opening)
    isNested = false
    guard let store = opened.withLock({ $0 }) else { throw Mismatch(description: "opening came to nothing") }
    life = Life(
      process: process, store: store, origin: origin,
      highestLimit: tiers.memory.limit.bytes + tiers.compressed.limit.bytes)
    disk.residency = [.everything, .everything, .nothing, .unknown][random.below(4)]
    setFaults()
  }

  /// Every call to the disk may have something happen in its midst; of a faulty disk a few fail.
  private func setFaults() {
    let rate = isFaulty ? [0, 0.003, 0.02, 0.15][random.below(4)] : 0
    faultsLeft = rate > 0 ? 1 + random.below(12) : 0
    let errors: [Errno] = [.ioError, .ioError, .noSpace]
    disk.faults = DiskFaults { [unowned self] call in
      let fails =
        faultsLeft > 0 && Double(random.below(100_000)) < rate * 100_000 && Self.mayFail.contains(call.kind)
      guard fails else { return .delay { [unowned self] in interfere() } }
      faultsLeft -= 1
      tally.failedCalls += 1
      let errno = errors[random.below(errors.count)]
      return call.kind == .write && random.below(2) == 0
        ? .tear(after: random.below(call.byteCount + 1), errno) : .fail(errno)
    }
  }
  private static let mayFail: Set<DiskCall.Kind> = [.read, .readResident, .write, .allocate, .truncate, .sync, .create]

  /// Runs jobs until something has ended.
  func runUntil(_ running: Running) throws(Mismatch) {
    for _ in 0..<20_000 where !running.hasEnded { try runJobs(1, isChecking: false) }
    try expect(running.hasEnded, "it hangs: \(self.running.map(\.what))")
    try noteEnds()
  }

  /// Waits for all that is under way, and flushes.
  ///
  /// - Returns: whether what was removed is so on the disk, too.
  @discardableResult func flush() throws(Mismatch) -> Bool {
    guard !isNested else { return false }
    isNested = true
    defer { isNested = false }
    tally.flushes += 1
    let isWritten = Locked(false)
    let store = life!.store
    let isReadFrom = !running.isEmpty
    let flushing = start("flushing") {
      // A disk that fails is told of. What was removed is not found all the same.
      do {
        try await store.flush()
        isWritten.withLock { $0 = true }
      } catch is ReadError {}
    }
    try runUntil(flushing)
    guard isWritten.withLock({ $0 }) else {
      let failure = store.spill!.lastFailure
      // Of segments that are read from no room can be made. Then writing pauses until one of these reads ends, which
      // may be before this looks.
      let isPaused = store.spill!.state.withLock { $0.writesPausedUntil != nil }
      let isExpected = isFaulty || (isPaused || isReadFrom) && failure?.code == .limitExceeded
      try expect(isExpected, "flushing failed on a good disk: \(failure.map { "\($0)" } ?? "?")")
      return false
    }
    noteDurability()
    return true
  }

  /// What was removed up to now does not come back.
  private func noteDurability() {
    for index in kept.indices {
      for unit in kept[index].afterKill.indices {
        kept[index].afterKill[unit] = Self.none
        if syncsEvery != nil { kept[index].afterPowerLoss[unit] = Self.none }
      }
    }
  }

  // MARK: ends

  /// Closes the directory, and has all that it was used for end.
  func close() throws(Mismatch) {
    try endAll()
    let store = life!.store
    let isClosed = Locked(false)
    isNested = true
    defer { isNested = false }
    let closing = start("closing") {
      do {
        try await store.close()
        isClosed.withLock { $0 = true }
      } catch is ReadError {}
    }
    try runUntil(closing)
    try expect(isFaulty || isClosed.withLock { $0 }, "closing failed on a good disk")
    // What could not be written down is told of, and may come back.
    if isClosed.withLock({ $0 }) { noteDurability() } else { comeBack(\.afterKill) }
    try expect(!store.spill!.isWritable && store.spill!.isEmpty, "a closed store holds something")
    // What is removed from now on is not for this directory.
    let calls = disk.callCount
    if random.below(2) == 0 { store.removeAll() } else { store.remove(source: "source 0") }
    for _ in 0..<100 { try runJobs(1, isChecking: false) }
    try expect(disk.callCount == calls, "a closed store used its disk")
    endLife()
  }

  private func endLife() {
    tally.add(life!.spill.counts())
    // Letting go of files is calls to the disk, and nothing may happen in their midst.
    let wasNested = isNested
    isNested = true
    holdings = []
    resizing = nil
    life = nil
    isNested = wasNested
  }

  func restart() throws(Mismatch) {
    guard !isNested else { return }
    try close()
    tally.restarts += 1
    try open()
    noteReopening()
  }

  /// Ends the process in the midst of whatever it does, or when it is at rest; then what was there must be found again.
  func kill() throws(Mismatch) {
    guard !isNested else { return }
    let isQuiet = random.below(2) == 0
    var before: Set<SpillRecount.Block> = []
    if isQuiet {
      try endAll()
      if try flush() { before = SpillRecount(life!.spill, isAtRest: false).blocks }
    }
    let hasFailed = life!.spill.counts().writeErrors > 0
    life!.process.crash()
    endLife()
    tally.kills += 1
    try abandon()
    comeBack(\.afterKill)
    try open()
    let after = SpillRecount(life!.spill, isAtRest: false).blocks
    if !hasFailed {
      let lost = before.subtracting(after)
      try expect(lost.isEmpty, "\(lost.count) of \(before.count) blocks that were on the disk are lost by a kill")
    }
    noteReopening()
  }

  func losePower() throws(Mismatch) {
    guard !isNested else { return }
    // What a store that syncs has flushed must be found again.
    var before: Set<SpillRecount.Block> = []
    if syncsEvery != nil, random.below(2) == 0 {
      try endAll()
      if try flush() { before = SpillRecount(life!.spill, isAtRest: false).blocks }
    }
    let hasFailed = life!.spill.counts().writeErrors > 0
    disk.losePower(seed: random.next())
    endLife()
    tally.powerLosses += 1
    try abandon()
    comeBack(\.afterKill)
    comeBack(\.afterPowerLoss)
    try open()
    if !hasFailed {
      let lost = before.subtracting(SpillRecount(life!.spill, isAtRest: false).blocks)
      try expect(lost.isEmpty, "\(lost.count) of \(before.count) blocks that were flushed are lost with the power")
    }
    noteReopening()
  }

  /// Lets what a dead process has begun come to an end, whatever that is.
  private func abandon() throws(Mismatch) {
    isNested = true
    defer { isNested = false }
    for _ in 0..<5000 where executor.step() { if let failure { throw failure } }
    for (_, one) in running {
      if case .failure(let error as Mismatch) = one.end.withLock({ $0 }) { throw error }
    }
    running = []
  }

  private func comeBack(_ what: WritableKeyPath<Kept, [Int64]>) {
    for index in kept.indices {
      for unit in kept[index].births.indices {
        kept[index].births[unit] = max(kept[index].births[unit], kept[index][keyPath: what][unit])
      }
    }
  }

  private func noteReopening() { tally.blocksReopened += life!.spill.counts().blocks }
}
