import Synchronization

/// The reaction of a reader to changes of its source, depending on its ``RangeReader/ChangePolicy``.
extension ReaderCore {
  /// The most switches of one read to another version before it gives up: fewer where each look takes a round trip, and what seems
  /// to change all the time is a server whose dates move.
  private var maxSwitches: Int { isFar ? 3 : 16 }

  /// True if the reader switches to another version after `error`.
  func switchesVersion(at error: any Error) -> Bool {
    onChange.refreshes && (error as? ReadError)?.code == .sourceChanged
  }

  /// Runs `body`. If the version changes and the policy is to switch to the new one, switches and runs it again.
  @inline(__always) func switchingVersions<Value>(
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var switchCount = 0
    while true {
      do {
        return try await body()
      } catch {
        guard switchesVersion(at: error), switchCount < maxSwitches else { throw failed(error) }
      }
      switchCount += 1
      do {
        try Task.checkCancellation()
        _ = try await switchVersion()
      } catch {
        throw failed(error)
      }
    }
  }

  /// A source that is further away is not asked again within the poll interval.
  private static let quickAnswer = Duration.milliseconds(1)
  /// Each look costs a round trip.
  private var isFar: Bool { source.cost.latency > Self.quickAnswer }

  /// The version that a new stream reads: as for a read, what was found within the poll interval is current where asking
  /// takes long, and a source that cannot be asked just now may still be read, out of a cache at least.
  func current() async throws -> SourceDescription {
    let known = source
    let asked = ReadClock.Instant(nanoseconds: lastRenewal.load(ordering: .relaxed))
    if isFar, time.now < asked.advanced(by: pollInterval) { return known }
    do { return try await switchVersion() } catch let error as ReadError where error.isTransient { return source }
  }

  /// Pins the version that the name of the source leads to now.
  func switchVersion() async throws -> SourceDescription {
    let began = time.now
    while true {
      let seen = source
      let now = pipeline.describe(try await link.renew(after: seen))
      lastRenewal.store(began.nanoseconds, ordering: .relaxed)
      enum Verdict {
        case same, other(SourceDescription), outrun
      }
      let verdict = pinned.withLock { pinned -> Verdict in
        if pinned.isEquivalent(to: now) { return .same }
        // Another call has pinned a version in between, which may be newer than the one found here.
        guard pinned === seen else { return .outrun }
        defer { pinned = now }
        hasMoved.store(true, ordering: .releasing)
        return .other(pinned)
      }
      switch verdict {
      case .same: return now
      case .outrun: continue
      case .other(let before):
        // If the new version only extends the old one, cached blocks of the old one may still be valid.
        if before.change(to: now) == .other { pipeline.endReading(before) }
        return now
      }
    }
  }

  /// The shortest time between two checks by the reader, and by each follower, of a source that changes all the time.
  /// All that came in between is read in one go.
  private static let minPause = Duration.milliseconds(20)
  /// A source that reports changes is checked only once in this many intervals, for changes that it cannot report, such
  /// as another directory on the path to it.
  private static let intervalsWhereTold = 16

  /// The shortest time from one check to the next.
  private var pause: Duration { min(Self.minPause, pollInterval) }

  /// The time from one check to the next of a source that does not report changes. Of a far one that grows it doubles with
  /// each check that finds nothing.
  private var interval: Duration { following.withLock { $0.interval(pollInterval) } }

  /// Notes a check of the recording. Those of the reader count for its streams too where each costs a round trip.
  private func looked(begun start: ReadClock.Instant, at now: SourceDescription, after before: SourceDescription) {
    let isFar = isFar
    following.withLock {
      $0.ended(begun: start)
      if isFar { $0.found(now.byteCount > before.byteCount, pollInterval) }
    }
  }

  func watch(from below: SourceDescription) {
    let task = background.start { [weak self, link, time, pollInterval, pause] in
      var seen = below
      var nextLook = time.now
      while true {
        do {
          guard let interval = self?.interval else { return }
          try await link.waitForChange(
            after: seen, within: interval, ifTold: pollInterval * Self.intervalsWhereTold, time)
          // After a quiet time, checks at once.
          if time.now < nextLook { try await time.sleep(until: nextLook) }
          nextLook = time.now.advanced(by: pause)
          guard let looked = await self?.look() else { return }
          switch looked {
          case .over: return
          case .saw(let now): seen = now
          // The source may report the same change again at once: wait before the next check.
          case .failed: try await time.sleep(for: pollInterval)
          }
        } catch {
          return
        }
      }
    }
    watcher.withLock { $0 = task }
  }

  private enum Looked {
    /// The source's current description of itself.
    case saw(SourceDescription)
    /// This check failed; a later one may succeed.
    case failed
    /// Stop checking.
    case over
  }

  /// Checks whether the source has changed, and notifies the waiters.
  private func look() async -> Looked {
    guard gate.enter() else { return .over }
    defer { gate.leave() }
    do {
      let before = source
      let start = time.now
      // The object being read may be unchanged while its name leads to another one.
      let now = try await onChange.refreshes ? switchVersion() : repin()
      if onChange.follows, isFar { looked(begun: start, at: now, after: before) }
      if now !== before { growth.notify() }
      var base = now
      while let below = base.base { base = below }
      return .saw(base)
    } catch {
      let code = (error as? ReadError)?.code
      if error is CancellationError || code == .closed { return .over }
      // The waiters check for themselves and then see the error.
      growth.notify()
      if code == .sourceChanged, !switchesVersion(at: error) { return .over }
      // For a while the name may lead nowhere while the open file is still readable.
      // `try?`: why it cannot be described does not matter, the next look asks again.
      guard let now = try? await link.describe(after: source) else { return .failed }
      return .saw(now)
    }
  }

  /// Waits until `source` has bytes from `offset` on.
  ///
  /// - Parameter isOver: called when it has none; returns whether to stop waiting.
  /// - Returns: the longer version that has them, `nil` if there is none; and whether `isOver` has said so.
  /// - Throws: `sourceChanged` for any change other than growth, whatever the policy: a stream stays on one source to
  ///   its end. What is transient is thrown when it has failed ``FollowingLooks/maxFailures`` checks of a far source in a row.
  func more(
    of source: SourceDescription, from offset: Int, isOver: (@Sendable () async throws -> Bool)?
  ) async throws -> (version: SourceDescription?, isOver: Bool) {
    // The number of completed checks when this call began to wait. A later check by another follower counts as its own.
    var seen: Int?
    while true {
      // Listens before it checks, so that it is notified of every later change.
      let answer = growth.listen()
      defer { growth.leave(answer) }
      if let now = try known(of: source, beyond: offset) { return (now, false) }
      let before = following.withLock { $0 }
      let isLooked = seen.map { $0 < before.count } ?? false
      let mayLook = !isLooked && following.withLock { $0.begins(at: time.now, pause) }
      // A far source is looked at seldom, and `isOver` asked meanwhile.
      guard isLooked || mayLook || isFar else {
        seen = seen ?? before.count
        try await link.wait(for: answer, until: following.withLock { $0.next }, orLater: nil, time)
        continue
      }
      if mayLook, let now = try await look(for: source, beyond: offset) { return (now, false) }
      if let isOver, try await isOver() {
        // Bytes added before `isOver` returned `true` still belong to the stream.
        return (try await version(of: source, beyond: offset), true)
      }
      // Also checks from time to time: because `isOver` must be called again, and because nothing else may be checking.
      let isToldHere = isOver == nil && onChange.watches && link.isTold.load(ordering: .relaxed)
      let looks = following.withLock { $0 }
      seen = looks.count
      if isFar {
        let latest = isOver == nil ? looks.next : min(looks.next, time.now.advanced(by: pollInterval))
        try await link.wait(for: answer, until: max(latest, time.now.advanced(by: pause)), orLater: nil, time)
        continue
      }
      let soon = max(looks.last.advanced(by: pollInterval), time.now.advanced(by: pause))
      let later = isToldHere ? soon.advanced(by: pollInterval * (Self.intervalsWhereTold - 1)) : nil
      try await link.wait(for: answer, until: soon, orLater: later, time)
    }
  }

  /// The longer version, if the reader already knows one.
  private func known(of source: SourceDescription, beyond offset: Int) throws -> SourceDescription? {
    let now = self.source
    guard now.byteCount > offset else { return nil }
    guard source.change(to: now) != .other else { throw ReadError.another(now, than: source) }
    return now
  }

  /// As ``version(of:beyond:)``. A server that is away for a while does not end a stream that waits.
  private func look(for source: SourceDescription, beyond offset: Int) async throws -> SourceDescription? {
    do { return try await version(of: source, beyond: offset) } catch let error as ReadError {
      guard error.isTransient, isFar, following.withLock({ $0.failed(at: time.now, pollInterval) }) else { throw error }
      return nil
    }
  }

  /// The version there is now, if it has bytes from `offset` on.
  func version(of source: SourceDescription, beyond offset: Int) async throws -> SourceDescription? {
    try enter()
    defer { gate.leave() }
    let start = time.now
    let before = self.source
    let now = try await repin()
    looked(begun: start, at: now, after: before)
    guard source.change(to: now) != .other else { throw ReadError.another(now, than: source) }
    return now.byteCount > offset ? now : nil
  }
}
