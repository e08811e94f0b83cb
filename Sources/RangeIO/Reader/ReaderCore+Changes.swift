import Synchronization

/// What becomes of a reader when its source changes, by its ``ChangePolicy``.
extension ReaderCore {
  /// How often a read turns to another version before it gives up.
  private static let mostTurns = 16

  /// Whether a reader that meets `error` turns to another version.
  func switchesVersion(at error: any Error) -> Bool {
    onChange == .refresh && (error as? ReadError)?.code == .sourceChanged
  }

  /// Does `body`, again as often as the version changes under it and the policy is to turn to the new one.
  @inline(__always) func switchingVersions<Value>(
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var turnCount = 0
    while true {
      do {
        return try await body()
      } catch {
        guard switchesVersion(at: error), turnCount < Self.mostTurns else { throw failed(error) }
      }
      turnCount += 1
      do {
        try Task.checkCancellation()
        _ = try await turn()
      } catch {
        throw failed(error)
      }
    }
  }

  /// Pins what the name of the source leads to now.
  func turn() async throws -> SourceDescription {
    while true {
      let seen = source
      let now = pipeline.describe(try await link.renew())
      enum Verdict {
        case same, other(SourceDescription), outrun
      }
      let verdict = pinned.withLock { pinned -> Verdict in
        if pinned.isEquivalent(to: now) { return .same }
        // Somebody else's look came back meanwhile, and may be later than this one.
        guard pinned === seen else { return .outrun }
        defer { pinned = now }
        hasMoved.store(true, ordering: .releasing)
        return .other(pinned)
      }
      switch verdict {
      case .same: return now
      case .outrun: continue
      case .other(let before):
        // What is cached of a longer version's beginning may be good still.
        if before.change(to: now) == .other { pipeline.endReading(before) }
        return now
      }
    }
  }

  /// A source that changes all the time is looked at so often at most by its reader, and each of its followers: what comes
  /// meanwhile is read at once.
  private static let leastPause = Duration.milliseconds(20)
  /// One that tells of changes is looked at in so many intervals, for what no watch tells of, such as another directory on
  /// the way to it.
  private static let intervalsWhereTold = 16

  /// The time from one look to the next, at least.
  private var pause: Duration { min(Self.leastPause, pollInterval) }

  /// Begins to look for changes.
  func watch(from below: SourceDescription) {
    let task = background.start { [weak self, link, time, pollInterval, pause] in
      var seen = below
      var nextLook = time.now
      while true {
        do {
          try await link.waitForChange(
            after: seen, within: pollInterval, ifTold: pollInterval * Self.intervalsWhereTold, time)
          // At once after a while of quiet.
          if time.now < nextLook { try await time.sleep(until: nextLook) }
          nextLook = time.now.advanced(by: pause)
          guard let looked = await self?.look() else { return }
          switch looked {
          case .over: return
          case .saw(let now): seen = now
          // It may be told of the same change at once, and again: not before it is time for another look.
          case .failed: try await time.sleep(for: pollInterval)
          }
        } catch {
          return
        }
      }
    }
    watcher.withLock { $0 = task }
  }

  /// What came of a look.
  private enum Looked {
    /// What the source is, as it describes itself.
    case saw(SourceDescription)
    /// It could not be told this time.
    case failed
    /// There is nothing more to look for.
    case over
  }

  /// Looks whether the source has changed, and tells those who wait for that.
  private func look() async -> Looked {
    guard gate.enter() else { return .over }
    defer { gate.leave() }
    do {
      let before = source
      // The object that is read may be the same while its name leads to another.
      let now = try await onChange == .refresh ? turn() : repin()
      if now !== before { growth.notify() }
      var base = now
      while let below = base.base { base = below }
      return .saw(base)
    } catch {
      let code = (error as? ReadError)?.code
      if error is CancellationError || code == .closed { return .over }
      // Those who wait look for themselves, and are told what is wrong.
      growth.notify()
      if code == .sourceChanged, !switchesVersion(at: error) { return .over }
      // Its name may lead nowhere for a while, and what is open be there all the same.
      guard let now = try? await link.describe() else { return .failed }
      return .saw(now)
    }
  }

  /// Waits until `source` holds bytes from `offset` on.
  ///
  /// - Parameter isOver: asked when it does not: whether to wait no longer.
  /// - Returns: the longer version that does; `nil` if it is over.
  /// - Throws: `sourceChanged` if it did anything but grow, whatever the policy: a stream is of one source to its end.
  func more(
    of source: SourceDescription, from offset: Int, isOver: (@Sendable () async throws -> Bool)?
  ) async throws -> SourceDescription? {
    // The last look when this one began to wait: one that came later is as good as its own.
    var seen: Int?
    while true {
      // Before the look: what comes after it is told of.
      let answer = growth.listen()
      defer { growth.leave(answer) }
      if let now = try known(of: source, beyond: offset) { return now }
      let before = following.withLock { $0 }
      let isLooked = seen.map { $0 < before.count } ?? false
      let mayLook = !isLooked && following.withLock { $0.begins(at: time.now, pause) }
      guard isLooked || mayLook else {
        seen = seen ?? before.count
        try await wait(for: answer, until: following.withLock { $0.next }, orLater: nil)
        continue
      }
      if mayLook, let now = try await version(of: source, beyond: offset) { return now }
      if let isOver, try await isOver() {
        // What was added before it was over belongs to it.
        return try await version(of: source, beyond: offset)
      }
      // Also now and then: for the sake of whoever decides whether it is over, and where nobody else looks.
      let isToldHere = isOver == nil && onChange.watches && link.source.tellsOfChanges
      let looks = following.withLock { $0 }
      seen = looks.count
      let soon = max(looks.last.advanced(by: pollInterval), time.now.advanced(by: pause))
      let later = isToldHere ? soon.advanced(by: pollInterval * (Self.intervalsWhereTold - 1)) : nil
      try await wait(for: answer, until: soon, orLater: later)
    }
  }

  /// Waits until a follower is told of something, or for so long; until `later` where the source tells of changes then,
  /// which it may only find out meanwhile.
  private func wait(for answer: Promise<Void>, until soon: ReadInstant, orLater later: ReadInstant?) async throws {
    let timer = background.start { [time, link] in
      // A cancelled timer is one that is not needed any more.
      guard (try? await time.sleep(until: soon)) != nil else { return }
      if let later, link.source.tellsOfChanges { guard (try? await time.sleep(until: later)) != nil else { return } }
      answer.resolve(.success(()))
    }
    defer { timer.cancel() }
    try await link.waiting.wait(for: answer)
  }

  /// The longer version that is known already.
  private func known(of source: SourceDescription, beyond offset: Int) throws -> SourceDescription? {
    let now = self.source
    guard now.byteCount > offset else { return nil }
    guard source.change(to: now) != .other else { throw ReadError.another(now, than: source) }
    return now
  }

  private func version(of source: SourceDescription, beyond offset: Int) async throws -> SourceDescription? {
    try enter()
    defer { gate.leave() }
    let start = time.now
    let now = try await repin()
    following.withLock { $0.ended(begun: start) }
    guard source.change(to: now) != .other else { throw ReadError.another(now, than: source) }
    return now.byteCount > offset ? now : nil
  }
}

/// When streams that follow a reader's source look at it: each look is for all of them.
struct FollowingLooks {
  /// When one may begin again.
  var next: ReadInstant
  /// When the last one began that was answered.
  var last: ReadInstant
  /// How many were answered.
  var count = 0

  /// Whether a look may begin now; the next one then waits for `pause`.
  mutating func begins(at now: ReadInstant, _ pause: Duration) -> Bool {
    guard now >= next else { return false }
    next = now.advanced(by: pause)
    return true
  }

  /// A look was answered.
  mutating func ended(begun start: ReadInstant) {
    count += 1
    last = max(last, start)
  }
}
