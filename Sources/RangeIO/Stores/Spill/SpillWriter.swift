import SystemPackage

/// Writes what waits to be written, one batch after the other. Only the writer changes the directory while a store is
/// open. It runs on one thread at a time, and only while there is something to do.
final class SpillWriter: @unchecked Sendable {
  // Unchecked: all mutable state is used only by the run, and there is one run at a time: the caller that sets
  // `isWriting` under the store's lock starts it, and only after the last run has unset it.
  let configuration: SpillStore.Configuration
  let directory: any SpillDirectory
  let ledger: SpillLedger
  let files: SpillFiles
  private(set) weak var store: SpillStore?
  /// Kept open: the lock is held for as long as this is.
  var lockFile: (any SpillFile)?
  var root: SpillRoot
  /// Whether `store` on the disk equals `root`. Not yet, if the disk was full when the directory was opened.
  var isRootWritten = true
  /// The number of the last segment created.
  var lastSegment: UInt64
  /// The sequence of the last record.
  var lastSequence: UInt64
  var open: OpenSegment?
  /// What is to be written to the open segment, and its size.
  var buffer: WritableBytes?
  var filled = 0
  /// Bytes that are written directly from their memory: each after this many bytes of the buffer.
  var gathered: [(after: Int, bytes: Bytes)] = []
  var gatheredBytes = 0
  /// The records that can be found once this is written.
  var pending: [PendingRecord] = []
  /// The bytes written since files were last made durable.
  var unsyncedBytes = 0
  /// The files of segments that were given up and are not fully durable yet.
  var unsyncedFiles: [any SpillFile] = []
  /// Whether names in the directory must be made durable.
  var hasUnsyncedNames = false
  /// The current call to the disk, as the watch knows it.
  var call: DiskWatch.Call?
  /// Bytes of the open segment that copied records must not use.
  var reserved = 0
  /// Whether the last batch failed because readers hold the segments to free.
  var awaitsReaders = false
  /// The limit shared with other processes, if it is shared.
  var quota: SpillQuota?

  init(
    _ configuration: SpillStore.Configuration, _ directory: any SpillDirectory, _ ledger: SpillLedger,
    files: SpillFiles, root: SpillRoot, lastSegment: UInt64, lastSequence: UInt64
  ) {
    self.configuration = configuration
    self.directory = directory
    self.ledger = ledger
    self.files = files
    self.root = root
    self.lastSegment = lastSegment
    self.lastSequence = lastSequence
  }

  func belongs(to store: SpillStore) {
    self.store = store
    ledger.onRoom { [weak self] in self?.roomMayBeFree() }
  }

  /// How many bytes of chunks are written at once.
  static let batchBytes = 1 << 20

  /// The largest record that fits into a segment with everything it needs.
  ///
  /// - Parameter count: the size of its source's identity.
  func largestRecord(identity count: Int) -> Int {
    configuration.segmentBytes - SpillFormat.headerCount - OpenSegment.emptyClosingCount - SpillFooter.growth
      - SpillFormat.recordCount(payload: count) - 8 - SpillFormat.padded(count)
  }

  /// Whether the oldest are dropped when there is no room.
  var dropsOldest: Bool { configuration.whenFull == .dropOldest && !root.refusesWhenFull }

  // MARK: starting

  /// Notes that there may be something to write. Starts now if there is enough, otherwise after a while.
  ///
  /// - Parameter isUrgent: whether to write at once, however little there is.
  func wake(isUrgent: Bool = false) {
    guard let store else { return }
    let (starts, lingers) = store.state.withLock { state -> (Bool, Bool) in
      guard !state.isWriting, !state.isGivenUp, state.staging.hasWork else { return (false, false) }
      let isEnough =
        isUrgent || state.staging.waitingBytes >= min(Self.batchBytes, state.staging.limit / 2)
        || !state.flushes.isEmpty
      if isEnough {
        state.isWriting = true
        return (true, false)
      }
      defer { state.isLingering = true }
      return (false, !state.isLingering)
    }
    if starts { start() }
    if lingers {
      configuration.background.startElsewhere { [weak self, configuration] in
        try? await configuration.time.sleep(for: configuration.writeDelay)
        self?.store?.state.withLock { $0.isLingering = false }
        self?.wake(isUrgent: true)
      }
    }
  }

  private func start() { store?.lanes.writes.start { [self] in run() } }

  /// Starts a run for a caller that waits for its end.
  func startForWaiters() {
    guard let store else { return }
    let starts = store.state.withLock { state -> Bool in
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if starts { start() }
  }

  private enum Step {
    case again
    case flushed([Promise<Void>], failed: [Promise<Void>], ReadError?)
    case close(Promise<Void>)
    case done(retryAt: ReadInstant?)
  }

  /// Writes until nothing is left.
  private func run() {
    guard let store else { return }
    while true {
      while writeBatch(store) {}
      buffer = nil
      switch nextStep(store) {
      case .again: break
      case .flushed(let answers, let failed, let failure):
        if let failure { for answer in failed { answer.fail(failure) } }
        let result = Result { () throws(Trouble) in if configuration.durability != .none { try syncWatched(store) } }
        for answer in answers { answer.resolve(result.mapError { store.error(for: $0) as any Error }) }
      case .close(let answer):
        shutDown(store)
        answer.resolve(.success(()))
      case .done(let instant):
        if let instant { retry(at: instant) }
        return
      }
    }
  }

  private func nextStep(_ store: SpillStore) -> Step {
    let now = store.now
    return store.state.withLock { state in
      if canWrite(state, now) { return .again }
      if let step = takeFlushes(&state) { return step }
      if let closing = state.closing {
        state.closing = nil
        // What comes from now on is not for this directory.
        state.isGivenUp = true
        return .close(closing)
      }
      state.isWriting = false
      guard state.staging.hasRemovals, !state.isGivenUp, !state.isRetrying else { return .done(retryAt: nil) }
      state.isRetrying = true
      return .done(retryAt: state.nextTry(after: now))
    }
  }

  /// The flushes that can be answered now, with their errors; `nil` if there are none.
  private func takeFlushes(_ state: inout SpillState) -> Step? {
    let oldest = state.isGivenUp ? nil : state.staging.oldestRemoval
    var done: [Promise<Void>] = []
    var failed: [Promise<Void>] = []
    for flush in state.flushes {
      if oldest.map({ $0 > flush.lastRemoval }) ?? true {
        done.append(flush.answer)
      } else {
        failed.append(flush.answer)
      }
    }
    state.flushes = []
    guard !done.isEmpty || !failed.isEmpty else { return nil }
    var failure: ReadError?
    if !failed.isEmpty {
      let reason = state.breaker.isClosed ? state.writeFailure : state.lastFailure
      failure = reason ?? .noSpillRoom(configuration.directory)
    }
    if state.mayReturn {
      state.mayReturn = false
      failure = failure ?? .mayReturn(configuration.directory)
      failed += done
      done = []
    }
    return .flushed(done, failed: failed, failure)
  }

  /// Call when segments that readers held may be free.
  func roomMayBeFree() {
    store?.lanes.writes.start { [weak self] in
      guard let self, let store else { return }
      store.state.withLock { state in
        guard state.isHeldUp else { return }
        (state.isHeldUp, state.writesPausedUntil) = (false, nil)
      }
      wake(isUrgent: true)
    }
  }

  private func canWrite(_ state: borrowing SpillState, _ now: ReadInstant) -> Bool {
    state.staging.hasWork && !state.isGivenUp && state.breaker.lets(now: now)
      && (state.writesPausedUntil.map { now >= $0 } ?? true)
  }

  /// Retries removals that could not be written down, even if nothing else comes to be written.
  private func retry(at instant: ReadInstant) {
    configuration.background.startElsewhere { [weak self, time = configuration.time] in
      try? await time.sleep(until: instant)
      self?.store?.state.withLock { $0.isRetrying = false }
      self?.wake(isUrgent: true)
    }
  }

  /// Seals the last segment and closes the directory.
  private func shutDown(_ store: SpillStore) {
    do throws(Trouble) {
      try seal(store)
      if configuration.durability != .none { try sync(store) }
    } catch {
      // The segment is scanned at the next opening.
      abandon(store)
    }
    var (places, staging) = store.state.withLock { $0.forgetAll() }
    while var place = places.popLast() {
      if place != nil, isKnownUniquelyReferenced(&place!.segment) { place!.segment.end() }
    }
    withExtendedLifetime(staging) {}
    unlock()
  }

  /// Releases the lock.
  func unlock() {
    if let quota { quota.leave(directory) }
    // Unlocked explicitly: the code that opened the directory for us may hold the file a moment longer.
    try? (lockFile ?? (directory as? SpillAbsentDirectory)?.lock)?.unlock()
    lockFile = nil
  }
}
