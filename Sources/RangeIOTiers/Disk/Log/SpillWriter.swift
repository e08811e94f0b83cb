import RangeIO
import SystemPackage

/// Writes what waits to be written, one batch after the other. Only the writer changes the directory while a store is
/// open. It runs on one thread at a time, and only while there is something to do.
///
/// It runs two parts: ``SpillAppender`` fills the open segment, and ``SpillReclaimer`` decides which segments make
/// room.
final class SpillWriter: @unchecked Sendable {
  // Unchecked: all mutable state is used only by the run, and there is one run at a time: the caller that sets
  // `isWriting` under the store's lock starts it, and only after the last run has unset it.
  let core: SpillCore
  let calls: SpillWatchedCalls
  var appender: SpillAppender
  let reclaimer: SpillReclaimer
  /// Kept open: the lock is held for as long as this is.
  private var lockFile: (any SpillFile)?
  /// The limit, which other processes may share.
  let quota: SpillQuota
  var root: SpillRoot
  /// `store` on the disk equals `root`. Not yet, if the disk was full when the directory was opened.
  var isRootWritten: Bool
  var lastSegment: UInt64
  /// Bytes of the open segment that copied records must not use.
  var reserved = 0
  /// The last batch failed because readers hold the segments to free.
  var awaitsReaders = false

  /// - Parameters:
  ///   - isFoundDurable: the segments that are there need not be made durable.
  ///   - hasUnsyncedNames: nor are the names of files.
  ///   - lost: the segments of which some bytes may not be on the disk, and cannot be made durable.
  init(
    _ core: SpillCore, in folder: SpillFolder, root: SpillRoot, isRootWritten: Bool, lastSegment: UInt64,
    lastSequence: UInt64, isFoundDurable: Bool, hasUnsyncedNames: Bool, lost: Set<UInt64>
  ) {
    self.core = core
    self.root = root
    self.isRootWritten = isRootWritten
    self.lastSegment = lastSegment
    let configuration = core.configuration
    calls = SpillWatchedCalls(core)
    appender = SpillAppender(core, calls, lastSequence: lastSequence)
    (appender.unsynced.hasNames, appender.unsynced.lost) = (hasUnsyncedNames, lost)
    if !isFoundDurable {
      appender.unsynced.found = core.state.withLock { $0.places.compactMap { $0?.segment.number } }
      // The process before may have copied some of it, and its originals are still there.
      appender.unsynced.hasCopies = !appender.unsynced.found.isEmpty
    }
    reclaimer = SpillReclaimer(segmentBytes: configuration.segmentBytes, limit: configuration.limit.bytes)
    lockFile = folder.lock
    quota = SpillQuota(
      shared: SpillFolder(folder.shared ?? core.directory, on: folder.disk, folder.context),
      privateName: folder.privateName, limit: configuration.limit.bytes, tries: configuration.quotaTries)
    core.ledger.onRoom { [weak self] in self?.roomMayBeFree() }
  }

  /// The bytes of chunks that are written at once.
  static let batchBytes = 1 << 20

  // MARK: starting

  /// Notes that there may be something to write. Starts now if there is enough or it is urgent, otherwise after a while.
  func wake(isUrgent: Bool = false) {
    let (starts, lingers) = core.state.withLock { state -> (Bool, Bool) in
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
      core.configuration.background.startElsewhere { [weak self, configuration = core.configuration] in
        try? await configuration.time.sleep(for: configuration.writeDelay)
        self?.core.state.withLock { $0.isLingering = false }
        self?.wake(isUrgent: true)
      }
    }
  }

  private func start() { core.lanes.writes.start { [weak self] in self?.run() } }

  /// Starts a run for a caller that waits for its end.
  func startForWaiters() {
    let starts = core.state.withLock { state -> Bool in
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if starts { start() }
  }

  private enum Step {
    case again
    case flushed([Promise<Void>], failed: [Promise<Void>], ReadError?)
    case close([Promise<Void>])
    case done(retryAt: ReadClock.Instant?)
  }

  /// Writes until nothing is left.
  private func run() {
    while true {
      while !core.state.withLock({ $0.hasFlushDue }), writeBatch() {}
      appender.buffer.release()
      switch nextStep() {
      case .again: break
      case .flushed(let answers, let failed, let failure):
        if let failure { for answer in failed { answer.fail(failure) } }
        let result = sync()
        for answer in answers {
          answer.resolve(result.mapError { $0.error(for: core.configuration) as any Error })
        }
      case .close(let answers):
        if !core.state.withLock({ $0.isForgotten }) { shutDown() }
        for answer in answers { answer.resolve(.success(())) }
      case .done(let instant):
        if let instant { retry(at: instant) }
        return
      }
    }
  }

  private func nextStep() -> Step {
    let now = core.now
    return core.state.withLock { state in
      // A reader has released a segment since it was found to be held: there may be room now.
      if state.isHeldUp, !core.ledger.isAwaited { (state.isHeldUp, state.writesPausedUntil) = (false, nil) }
      let hasFlushDue = state.hasFlushDue
      if !hasFlushDue, canWrite(state, now) { return .again }
      // What waits beside a due one is written next, or dropped.
      if let step = takeFlushes(&state, ifDue: hasFlushDue) { return step }
      if !state.closings.isEmpty {
        defer { state.closings = [] }
        // What comes from now on is not for this directory.
        state.isGivenUp = true
        return .close(state.closings)
      }
      state.isWriting = false
      guard state.staging.hasRemovals, !state.isGivenUp, !state.isRetrying else { return .done(retryAt: nil) }
      state.isRetrying = true
      return .done(retryAt: state.nextTry(after: now))
    }
  }

  /// The flushes that can be answered now, with their errors; `nil` if there are none.
  ///
  /// - Parameter ifDue: only those of which all is written; else all of them.
  private func takeFlushes(_ state: inout SpillState, ifDue: Bool) -> Step? {
    guard !state.flushes.isEmpty else { return nil }
    let oldest = state.isGivenUp ? nil : state.staging.oldestRemoval
    var done: [Promise<Void>] = []
    var failed: [Promise<Void>] = []
    let flushes = state.flushes
    state.flushes = ifDue ? flushes.filter { !state.isDue($0) } : []
    for flush in flushes where !ifDue || state.isDue(flush) {
      if let oldest, oldest <= flush.lastRemoval { failed.append(flush.answer) } else { done.append(flush.answer) }
    }
    var failure: ReadError?
    if !failed.isEmpty {
      let reason = state.breaker.isClosed ? state.writeFailure : state.lastFailure
      failure = reason ?? .noSpillRoom(core.configuration.directory)
    }
    if state.mayReturn {
      state.mayReturn = false
      failure = failure ?? .mayReturn(core.configuration.directory)
      (failed, done) = (failed + done, [])
    }
    return .flushed(done, failed: failed, failure)
  }

  /// Call when segments that readers held may be free.
  func roomMayBeFree() {
    core.lanes.writes.start { [weak self] in
      guard let self else { return }
      core.state.withLock { state in
        guard state.isHeldUp else { return }
        (state.isHeldUp, state.writesPausedUntil) = (false, nil)
      }
      wake(isUrgent: true)
    }
  }

  private func canWrite(_ state: borrowing SpillState, _ now: ReadClock.Instant) -> Bool {
    state.staging.hasWork && !state.isGivenUp && state.breaker.lets(now: now)
      && (state.writesPausedUntil.map { now >= $0 } ?? true)
  }

  private func retry(at instant: ReadClock.Instant) {
    core.configuration.background.startElsewhere { [weak self, time = core.configuration.time] in
      try? await time.sleep(until: instant)
      self?.core.state.withLock { $0.isRetrying = false }
      self?.wake(isUrgent: true)
    }
  }

  /// Makes what is written durable, if the user wants that.
  private func sync() -> Result<Void, SpillTrouble> {
    guard core.configuration.syncsEvery != nil, !core.state.withLock({ $0.isForgotten }) else { return .success(()) }
    var result = Result<Void, SpillTrouble>.success(())
    calls.run(.go) {
      result = Result { () throws(SpillTrouble) in
        repeat {
          try freeLost()
          try appender.sync()
        } while !appender.unsynced.lost.isEmpty
      }
    }
    if case .failure(let trouble) = result {
      // What comes next goes to another file: this one is freed before a flush succeeds.
      // So does what could not be written: the buffer is released after this.
      if let open = appender.open, appender.buffer.count > 0 || appender.unsynced.lost.contains(open.segment.number) {
        appender.abandon()
      }
      if case .failed(let errno) = trouble {
        core.note(errno, "sync a cache file", isWrite: true, trouble.concernsWritesOnly ? nil : .go)
      }
    }
    return result
  }

  /// Seals the last segment and closes the directory.
  private func shutDown() {
    do throws(SpillTrouble) {
      try appender.seal()
      if core.configuration.syncsEvery != nil { try appender.sync() }
    } catch {
      // The segment is scanned at the next opening.
      appender.abandon()
    }
    var (places, staging) = core.state.withLock { state in
      core.hits.tellAll(&state)
      return state.forgetAll(core.ledger)
    }
    while var place = places.popLast() {
      if place != nil, isKnownUniquelyReferenced(&place!.segment) { place!.segment.end() }
    }
    withExtendedLifetime(staging) {}
    unlock()
  }

  func unlock() {
    quota.leave(core.directory)
    // Unlocked explicitly: the code that opened the directory for us may hold the file a moment longer.
    try? (lockFile ?? (core.directory as? SpillAbsentDirectory)?.lock)?.unlock()
    lockFile = nil
  }
}
