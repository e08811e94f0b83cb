import SystemPackage

extension SpillWriter {
  /// Why something is not written.
  enum Trouble: Error {
    /// There is no room within the limit, or above the minimum of free disk space.
    case noRoom
    /// Another process that shares the limit does not end its turn to create a file.
    case busy
    case failed(Errno)

    /// Whether reading can continue anyway.
    var concernsWritesOnly: Bool {
      switch self {
      case .noRoom, .busy: true
      case .failed(let errno):
        [.noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .fileTooLarge].contains(errno)
          || errno.isShortageOfDescriptors
      }
    }
  }

  /// What to do next.
  private struct Work {
    let permit: SpillBreaker.Permit
    let removals: (clears: Bool, removals: [SpillStaging.Removal])
    let chunks: [(key: UInt64, entry: SpillStaging.Entry)]
    /// Waiting chunks that cannot be written.
    let dropped: [SpillStaging.Entry]
  }

  /// Writes the next batch.
  ///
  /// - Returns: whether there may be another.
  func writeBatch(_ store: SpillStore) -> Bool {
    let now = store.now
    let work = store.state.withLock { state -> Work? in
      guard state.staging.hasWork, !state.isGivenUp else { return nil }
      let isPaused = state.writesPausedUntil.map { now < $0 } ?? false
      let permit = isPaused ? .refused : state.breaker.ask(now: now)
      guard permit != .refused else {
        // What cannot be written now is not worth its memory. Removals stay.
        let dropped = state.unstage { _, entry in !entry.isBeingWritten }
        state.counts.dropped += dropped.count
        return Work(permit: permit, removals: (false, []), chunks: [], dropped: dropped)
      }
      // One chunk is enough to try the disk.
      let most = permit == .go ? Self.batchBytes : 1
      return Work(
        permit: permit, removals: state.staging.takeRemovals(), chunks: state.staging.nextBatch(upTo: most), dropped: []
      )
    }
    guard let work, work.permit != .refused else { return false }
    var left = work.removals
    awaitsReaders = false
    watched(store, work.permit) {
      do throws(Trouble) {
        try remove(&left, store)
        for (key, entry) in work.chunks { try append(key, entry, store) }
        try flush(store)
        try makeDurable(isUrgent: false, store)
        store.state.withLock { state in
          state.breaker.succeeded(work.permit)
          state.writesPause = .seconds(5)
          state.writesPausedUntil = nil
          state.writeFailure = nil
          state.isHeldUp = false
          state.lacksRoomToRemove = false
        }
      } catch {
        fail(error, work, left, store)
      }
    }
    store.sweepSources()
    return true
  }

  /// Writes removals down and makes them durable. What remains in `left` afterwards was not written.
  private func remove(
    _ left: inout (clears: Bool, removals: [SpillStaging.Removal]), _ store: SpillStore
  ) throws(Trouble) {
    guard left.clears || !left.removals.isEmpty else { return }
    if left.clears {
      try clear(store)
      left.clears = false
    }
    for removal in left.removals { try append(removal, store) }
    try flush(store)
    try makeDurable(isUrgent: true, store)
    let done = left.removals
    left.removals = []
    store.state.withLock { $0.release(done) }
  }

  /// Runs disk work under a watch: a disk that hangs too long in a single call is sick, however long the whole work
  /// takes.
  private func watched(_ store: SpillStore, _ permit: SpillBreaker.Permit, _ body: () -> Void) {
    let call = store.watch.begin { [weak store] in
      guard let store else { return }
      store.state.withLock { state in _ = state.breaker.stalled(permit, now: store.now) }
    }
    self.call = call
    body()
    self.call = nil
    store.watch.end(call)
  }

  /// Call before the next call to the disk.
  func goOn(_ store: SpillStore) { if let call { store.watch.renew(call) } }

  /// Call before a disk call that may take long even if the disk is healthy.
  func takeTime(_ store: SpillStore) { if let call { store.watch.pause(call) } }

  /// Like ``sync(_:)``, outside of batches.
  func syncWatched(_ store: SpillStore) throws(Trouble) {
    var result = Result<Void, Trouble>.success(())
    watched(store, .go) { result = Result { () throws(Trouble) in try sync(store) } }
    if case .failure(.failed(let errno)) = result { store.note(errno, "sync a spill file", .go, isWrite: true) }
    try result.get()
  }

  /// Puts back what must be written later, and drops the rest.
  private func fail(
    _ trouble: Trouble, _ work: Work, _ left: (clears: Bool, removals: [SpillStaging.Removal]), _ store: SpillStore
  ) {
    abandon(store)
    let now = store.now
    let failure = store.error(for: trouble)
    let dropped = store.state.withLock { state -> [SpillStaging.Entry] in
      state.staging.putBack(left)
      state.writeFailure = failure
      let dropped = work.chunks.compactMap { state.unstage($0.key, $0.entry.number) }
      state.counts.dropped += dropped.count
      if awaitsReaders {
        // Nothing is wrong. Writing continues when a reader releases a segment, which may already have happened.
        state.isHeldUp = ledger.isAwaited
        state.writesPausedUntil = state.isHeldUp ? now.advanced(by: .seconds(5)) : nil
        state.lacksRoomToRemove = state.staging.hasRemovals
        state.breaker.withdraw(work.permit)
      } else if trouble.concernsWritesOnly {
        state.isHeldUp = false
        state.writesPausedUntil = now.advanced(by: state.writesPause)
        state.writesPause = min(state.writesPause * 2, .seconds(300))
        state.lacksRoomToRemove = state.staging.hasRemovals
        state.breaker.withdraw(work.permit)
      }
      return dropped
    }
    withExtendedLifetime(dropped) {}
    guard case .failed(let errno) = trouble else {
      store.state.withLock { $0.lastFailure = store.error(for: trouble) }
      return
    }
    if trouble.concernsWritesOnly {
      store.noteWriteFailure(errno)
    } else {
      store.note(errno, "write a spill file", work.permit, isWrite: true)
    }
  }

  /// Syncs if the user wants that and it is time.
  func makeDurable(isUrgent: Bool, _ store: SpillStore) throws(Trouble) {
    guard case .fdatasync(let every) = configuration.durability, isUrgent || unsyncedBytes >= every.bytes else {
      return
    }
    try sync(store)
  }

  /// Makes written data durable.
  func sync(_ store: SpillStore) throws(Trouble) {
    guard unsyncedBytes > 0 || hasUnsyncedNames else { return }
    do throws(Errno) {
      takeTime(store)
      // Only once: retrying does not make it durable.
      while let last = unsyncedFiles.popLast() { try last.sync() }
      if let open { try open.file.sync() }
      goOn(store)
    } catch {
      throw .failed(error)
    }
    if hasUnsyncedNames { try syncNames(store) }
    unsyncedBytes = 0
    store.state.withLock { $0.counts.syncs += 1 }
  }

  /// Makes file names in the directory durable.
  func syncNames(_ store: SpillStore) throws(Trouble) {
    goOn(store)
    do throws(Errno) { try directory.sync() } catch { throw .failed(error) }
    hasUnsyncedNames = false
  }

  /// Raises the epoch, and unlinks everything of an older one.
  private func clear(_ store: SpillStore) throws(Trouble) {
    abandon(store)
    var next = root
    next.epoch += 1
    do throws(Errno) {
      goOn(store)
      try files.withDescriptors { () throws(Errno) in try SpillFolder.write(next, to: directory) }
    } catch {
      throw .failed(error)
    }
    root = next
    isRootWritten = true
    // The index was emptied when this was requested; what came since waits for this.
    store.sweep { _ in true }
    var segments = store.state.withLock { state -> [SpillSegment] in
      let all = state.places.compactMap { $0?.segment }
      state.places = []
      // They belong to an older epoch now.
      state.leftBytes += state.unread.values.reduce(0, +)
      state.unread = [:]
      state.mayReturn = false
      state.isFull = false
      state.counts.segmentsFreed += all.count
      _ = state.sources.sweep(from: 0, oldestSegment: nil)
      return all
    }
    while var segment = segments.popLast() {
      // It belongs to an older epoch, and is deleted at the next opening. Until then it counts.
      do throws(Trouble) {
        try unlink(segment, store)
      } catch {
        store.state.withLock { $0.leftBytes += segment.chargedBytes }
        segment.stays()
      }
      if isKnownUniquelyReferenced(&segment) { segment.end() }
    }
    unsyncedFiles = []
    hasUnsyncedNames = true
  }
}

extension SpillStore {
  /// Notes that the disk cannot be written to. This says nothing about reading.
  func noteWriteFailure(_ errno: Errno) {
    let error = ReadError.errno(errno, "write a spill file", .init(source: configuration.directory))
    state.withLock { state in
      state.lastFailure = error
      state.counts.writeErrors += 1
    }
  }
}
