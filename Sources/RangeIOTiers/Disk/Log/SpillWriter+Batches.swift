import RangeIO
import SystemPackage

/// One batch: removals first, then chunks.
extension SpillWriter {
  private struct Work {
    let permit: SpillBreaker.Permit
    let removals: Removals
    let chunks: [(key: UInt64, entry: SpillStaging.Entry)]
  }
  private typealias Removals = (clears: Bool, removals: [SpillStaging.Removal])

  /// Writes the next batch. Returns whether there may be another.
  func writeBatch() -> Bool {
    guard let work = nextWork() else { return false }
    var left = work.removals
    awaitsReaders = false
    calls.run(work.permit) {
      do throws(SpillTrouble) {
        try remove(&left)
        for (key, entry) in work.chunks { try append(key, entry) }
        try appender.flush()
        try appender.makeDurable(isUrgent: false)
        core.state.withLock { state in
          state.breaker.succeeded(work.permit)
          state.writesPause = .seconds(5)
          state.writesPausedUntil = nil
          state.writeFailure = nil
          state.isHeldUp = false
          state.lacksRoomToRemove = false
          // Removals alone do not ask for room.
          if !work.chunks.isEmpty { state.lacksFreeSpace = false }
        }
      } catch {
        fail(error, work, left)
      }
    }
    core.sweepSources()
    return true
  }

  private func nextWork() -> Work? {
    let now = core.now
    let (work, dropped) = core.state.withLock { state -> (Work?, dropped: [SpillStaging.Entry]) in
      guard state.staging.hasWork, !state.isGivenUp else { return (nil, []) }
      let isPaused = state.writesPausedUntil.map { now < $0 } ?? false
      let permit = isPaused ? .refused : state.breaker.ask(now: now)
      guard permit != .refused else {
        // What cannot be written now is not worth its memory. Removals stay.
        let dropped = state.unstage { _, entry in !entry.isBeingWritten }
        state.counts.dropped += dropped.count
        return (nil, dropped)
      }
      // One chunk is enough to try the disk.
      let most = permit == .go ? Self.batchBytes : 1
      let removals = state.staging.takeRemovals()
      return (Work(permit: permit, removals: removals, chunks: state.staging.nextBatch(upTo: most)), [])
    }
    withExtendedLifetime(dropped) {}
    return work
  }

  // MARK: removals

  /// Writes removals down and makes them durable. What remains in `left` afterwards was not written.
  private func remove(_ left: inout Removals) throws(SpillTrouble) {
    guard left.clears || !left.removals.isEmpty else { return }
    if left.clears {
      try clear()
      left.clears = false
    }
    // Each applies below its own sequence.
    for removal in left.removals { try appendTombstone(removal.slot, removal.blocks, bound: nil) }
    try appender.flush()
    try appender.makeDurable(isUrgent: true)
    let done = left.removals
    left.removals = []
    core.state.withLock { $0.release(done) }
  }

  /// Makes room for a tombstone and appends it.
  func appendTombstone(_ slot: Int, _ blocks: Range<UInt64>, bound: UInt64?) throws(SpillTrouble) {
    try makeRoom(payload: SpillFormat.tombstoneCount, of: slot)
    try appender.appendTombstone(slot, blocks, bound: bound)
  }

  /// Raises the epoch, and unlinks everything of an older one. On a full disk the other way round: that makes room.
  private func clear() throws(SpillTrouble) {
    appender.abandon()
    do throws(SpillTrouble) {
      try raiseEpoch()
    } catch {
      // What could not be read has blocks that other files have removed.
      guard error.isLackOfFreeSpace, core.state.withLock({ $0.unread.isEmpty }) else { throw error }
      unlinkAll(areValid: true)
      dropOutdated(areValid: true)
      try raiseEpoch()
      dropOutdated()
      return
    }
    unlinkAll(areValid: false)
    dropOutdated()
  }

  private func raiseEpoch() throws(SpillTrouble) {
    var next = root
    next.epoch += 1
    try calls.make { () throws(Errno) in
      try core.files.withDescriptors { () throws(Errno) in try SpillFolder.write(next, to: core.directory) }
    }
    root = next
    isRootWritten = true
  }

  /// - Parameter areValid: the epoch is not raised yet. Then the oldest must go first, and none after one that stays.
  private func unlinkAll(areValid: Bool) {
    // The index was emptied when this was requested; what came since waits for this.
    core.sweep { _ in true }
    (appender.unsynced.found, appender.unsynced.files, appender.unsynced.lost) = ([], [], [])
    var segments = core.state.withLock { $0.forgetSegments() }
    var stays = false
    while var segment = segments.popLast() {
      // One that stays counts until it can be removed.
      do throws(SpillTrouble) {
        guard !stays else { throw .noRoom }
        try unlink(segment)
        // `try?`: the next one stays then.
        if areValid, core.configuration.syncsEvery != nil { stays = (try? appender.syncNames()) == nil }
      } catch {
        stays = areValid
        core.state.withLock { $0.outdated[segment.number] = segment.chargedBytes }
        segment.stays()
      }
      if isKnownUniquelyReferenced(&segment) { segment.end() }
    }
    appender.unsynced.hasNames = true
  }

  // MARK: chunks

  private func append(_ key: UInt64, _ entry: SpillStaging.Entry) throws(SpillTrouble) {
    let now = core.now
    guard entry.chunk.isValid, !core.state.withLock({ $0.isExpired(entry.chunk, now: now) }) else {
      drop(key, entry)
      return
    }
    try makeRoom(payload: entry.chunk.range.count, of: entry.slot)
    // Making room forgets sources that are not needed. If a source is removed at the same time, it may be one of them.
    guard entry.chunk.isValid else {
      drop(key, entry)
      return
    }
    if try !appender.append(key, entry) { drop(key, entry) }
  }

  /// Drops a chunk that is no longer valid.
  private func drop(_ key: UInt64, _ entry: SpillStaging.Entry) {
    let dropped = core.state.withLock { state in
      let dropped = state.unstage(key, entry.number)
      if dropped != nil { state.counts.stale += 1 }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }

  // MARK: failing

  /// Puts back what must be written later, and drops the rest.
  private func fail(_ trouble: SpillTrouble, _ work: Work, _ left: Removals) {
    appender.abandon()
    let now = core.now
    let failure = trouble.error(for: core.configuration)
    let dropped = core.state.withLock { state -> [SpillStaging.Entry] in
      state.staging.putBack(left)
      state.writeFailure = failure
      let dropped = work.chunks.compactMap { state.unstage($0.key, $0.entry.number) }
      state.counts.dropped += dropped.count
      guard trouble.concernsWritesOnly else { return dropped }
      state.lacksRoomToRemove = state.staging.hasRemovals
      state.breaker.withdraw(work.permit)
      // If readers hold what to free, nothing is wrong. Writing continues when a reader releases a segment, which may
      // already have happened.
      state.isHeldUp = awaitsReaders && core.ledger.isAwaited
      if awaitsReaders {
        state.writesPausedUntil = state.isHeldUp ? now.advanced(by: .seconds(5)) : nil
      } else {
        state.writesPausedUntil = now.advanced(by: state.writesPause)
        state.writesPause = min(state.writesPause * 2, .seconds(300))
      }
      return dropped
    }
    withExtendedLifetime(dropped) {}
    if trouble.isLackOfFreeSpace, core.state.withLock({ $0.beginLackOfFreeSpace() }) {
      core.configuration.onLackOfFreeSpace(failure)
    }
    guard case .failed(let errno) = trouble else {
      core.state.withLock { $0.lastFailure = failure }
      return
    }
    core.note(errno, "write a cache file", isWrite: true, trouble.concernsWritesOnly ? nil : work.permit)
  }
}

extension SpillState {
  /// Returns whether this is new.
  fileprivate mutating func beginLackOfFreeSpace() -> Bool {
    defer { lacksFreeSpace = true }
    return !lacksFreeSpace
  }

  /// Forgets all segments: they belong to an older epoch.
  fileprivate mutating func forgetSegments() -> [SpillSegment] {
    // The oldest last.
    let all = places.compactMap { $0?.segment }.sorted { $0.number > $1.number }
    places = []
    // They belong to an older epoch now.
    outdated.merge(unread) { $1 }
    unread = [:]
    mayReturn = false
    isFull = false
    counts.segmentsFreed += all.count
    _ = sources.sweep(from: 0, oldestSegment: nil)
    return all
  }
}
