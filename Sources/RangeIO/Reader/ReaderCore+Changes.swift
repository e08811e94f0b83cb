import Synchronization

/// What becomes of a reader when its source changes, by its ``ChangePolicy``.
extension ReaderCore {
  /// How often a read turns to another version before it gives up.
  private static let mostTurns = 16

  /// Whether a reader that meets `error` turns to another version.
  func turns(at error: any Error) -> Bool {
    onChange == .refresh && (error as? ReadError)?.code == .sourceChanged
  }

  /// Does `body`, anew as often as the version changes under it and the policy is to turn to the new one.
  @inline(__always) func turning<Value>(
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var turnCount = 0
    while true {
      do { return try await body() } catch {
        guard turns(at: error) else { throw error }
        guard turnCount < Self.mostTurns else {
          counters.failed(error)
          throw error
        }
      }
      turnCount += 1
      try Task.checkCancellation()
      _ = try await turn()
    }
  }

  /// Pins what the name of the source leads to now.
  func turn() async throws -> SourceDescription {
    let now = pipeline.describe(try await link.renew())
    let before = pinned.withLock { pinned -> SourceDescription? in
      if pinned.says(now) { return nil }
      defer { pinned = now }
      hasMoved.store(true, ordering: .releasing)
      return pinned
    }
    // What is cached of a longer version's beginning may be good still.
    if let before, before.change(to: now) == .other { pipeline.endReading(before) }
    return now
  }

  /// Begins to look for changes.
  func watch(from below: SourceDescription) {
    let task = background.start { [weak self, link, time, lookInterval] in
      var seen = below
      while true {
        do { try await link.waitForChange(after: seen, within: lookInterval, time) } catch { return }
        guard let now = await self?.look() else { return }
        seen = now
      }
    }
    watcher.withLock { $0 = task }
  }

  /// Looks whether the source has changed, and tells those who wait for that.
  ///
  /// - Returns: what it is now, as the source describes it; `nil` if there is nothing more to look for.
  private func look() async -> SourceDescription? {
    guard gate.enter() else { return nil }
    defer { gate.leave() }
    do {
      let before = source
      // The object that is read may be the same while its name leads to another.
      let now = try await onChange == .refresh ? turn() : repin()
      if now !== before { growth.ring() }
      var base = now
      while let below = base.base { base = below }
      return base
    } catch {
      if error is CancellationError || (error as? ReadError)?.code == .closed { return nil }
      // Those who wait look for themselves, and are told what is wrong.
      growth.ring()
      guard (error as? ReadError)?.code == .sourceChanged else { return try? await link.describe() }
      return nil
    }
  }

  /// Waits until the source may hold bytes from `offset` on.
  ///
  /// - Parameter isOver: asked when it does not: whether to wait no longer.
  /// - Returns: the version that does; `nil` if it is over.
  func more(from offset: Int, isOver: (@Sendable () async throws -> Bool)?) async throws -> SourceDescription? {
    while true {
      // Before the look: what comes after it is told of.
      let answer = growth.listen()
      defer { growth.leave(answer) }
      if let now = try await version(beyond: offset) { return now }
      if let isOver, try await isOver() {
        // What was added before it was over belongs to it.
        return try await version(beyond: offset)
      }
      // Also now and then, for the sake of whoever decides whether it is over.
      let timer = background.start { [time, lookInterval] in
        try? await time.sleep(for: lookInterval)
        answer.resolve(.success(()))
      }
      defer { timer.cancel() }
      try await link.waiting.wait(for: answer)
    }
  }

  private func version(beyond offset: Int) async throws -> SourceDescription? {
    try enter()
    defer { gate.leave() }
    let now = try await repin()
    return now.byteCount > offset ? now : nil
  }
}
