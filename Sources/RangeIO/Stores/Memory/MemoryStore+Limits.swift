import Synchronization

extension MemoryStore {
  // MARK: room

  /// Changes the limit. It binds from now on; returns when no more is held.
  ///
  /// - Parameter blocks: the blocks that may be held. Default: as before.
  /// - Throws: `CancellationError`, with the limit changed; `ReadError.Code.limitExceeded` if more than that is pinned
  ///   or kept as metadata, with the limit changed.
  public func resize(to limit: ByteCount, blocks: Int? = nil) async throws {
    if let blocks { ledger.blockLimit = max(0, blocks) }
    setLimit(limit.bytes)
    // Others may wait for a limit that is higher now.
    roomIsFree()
    while true {
      // Entered before looking: room that comes free in between is not missed.
      let answer = Promise<Void>()
      waitingForRoom.withLock { waiting in
        waiting.append(answer)
        isRoomAwaited.store(true, ordering: .sequentiallyConsistent)
      }
      defer { waitingForRoom.withLock { waiting in waiting.removeAll { $0 === answer } } }
      try await shrink { self.ledger.missing(bytes: 0, blocks: 0) }
      let excess = ledger.missing(bytes: 0, blocks: 0)
      guard excess.bytes > 0 || excess.blocks > 0 else { return }
      let held = statistics()
      let unmovable = held.pinnedBytes + ledger.metadataBytes
      let isToCome = held.reservedBytes > 0 || held.removedBytes > 0 || shards.fullest() != nil
      guard isToCome, ledger.canHold(unmovable) else {
        // With nothing here that stays, others of the budget hold the rest, and see to it themselves.
        guard unmovable > 0 else { return }
        throw ReadError(
          .limitExceeded,
          "\(unmovable) bytes are pinned or metadata, more than the new limit leaves room for: unpin some")
      }
      // What is left is reserved by reads under way, which give it back when they end.
      try await answer.value()
    }
  }

  /// Changes the limit for what comes from now on.
  func setLimit(_ bytes: Int) {
    ledger.ownLimit = bytes
    setPolicyCapacity(ledger.present)
  }

  /// Evicts until at most so much is held. The limit stays as it is.
  ///
  /// Pinned chunks and what reads under way have reserved stay.
  ///
  /// - Throws: `CancellationError`.
  public func trim(to size: ByteCount) async throws { try await shrink { (self.ledger.bytes - size.bytes, 0) } }

  /// Evicts until at most so many blocks are held. The limit stays as it is.
  ///
  /// - Throws: `CancellationError`.
  public func trim(toBlocks count: Int) async throws {
    try await shrink { (0, self.ledger.blocks - max(0, count)) }
  }

  /// Evicts in steps, in which others get their turn, as long as there is an excess and something can be evicted.
  private func shrink(_ excess: () -> (bytes: Int, blocks: Int)) async throws {
    var empty: Set<Int> = []
    var missing = excess()
    while missing.bytes > 0 || missing.blocks > 0 {
      try Task.checkCancellation()
      if removals.step() == nil {
        guard let shard = shards.fullest(except: empty) else { return }
        evictSome(missing.bytes, missing.blocks, from: shard, &empty, to: outlet)
      }
      await Task.yield()
      missing = excess()
    }
  }

  /// - Parameter outlet: takes what leaves.
  /// - Returns: the bytes that left.
  @discardableResult private func evictSome(
    _ bytes: Int, _ blocks: Int = 0, from shard: Int, _ empty: inout Set<Int>, to outlet: (any EvictionSink)?
  ) -> Int {
    var gone = EvictedChunks()
    shards.change(shard) { $0.evict(bytes: bytes, blocks: blocks, most: 64, &gone, to: outlet) }
    if gone.blocks == 0 { empty.insert(shard) }
    release(gone)
    outlet?.proceed()
    return gone.bytes
  }

  /// Frees memory because the system is short of it: at a warning of half, else of all that is not pinned.
  public func handleMemoryPressure(_ pressure: MemoryPressure) {
    switch pressure {
    case .normal: return
    case .warning: shed(to: ledger.bytes / 2)
    case .critical: shed(to: 0)
    }
  }

  /// Evicts what is more than `target` bytes, as far as it is not pinned.
  func shed(to target: Int) {
    // Not handed on: what is let go for want of memory is not to take other memory.
    evict(ledger.bytes - target, to: nil) { self.ledger.bytes > target }
  }

  /// Evicts `bytes`, if there is so much to evict: others of the budget want them.
  func giveUp(_ bytes: Int) {
    evict(bytes, to: outlet) { true }
  }

  /// Evicts so many bytes and no more, however much comes meanwhile: else readers that fill what comes free would keep
  /// this going, and empty the store.
  private func evict(_ bytes: Int, to outlet: (any EvictionSink)?, while isTooMuch: () -> Bool) {
    var empty: Set<Int> = []
    var left = bytes
    while left > 0, isTooMuch() {
      if let bytes = removals.step() {
        left -= bytes
        continue
      }
      guard let shard = shards.fullest(except: empty) else { return }
      left -= evictSome(left, from: shard, &empty, to: outlet)
    }
  }

  /// Does as ``handleMemoryPressure(_:)`` for each signal, until they end or one comes after the store is gone.
  ///
  /// ```swift
  /// store.handleMemoryPressure(from: MemoryPressureSignals())
  /// ```
  ///
  /// Or any asynchronous sequence of ``MemoryPressure``, such as one that a program feeds itself.
  ///
  /// - Returns: the task that listens: cancel it to stop.
  @discardableResult public func handleMemoryPressure<Signals: AsyncSequence & Sendable>(from signals: Signals) -> Task<
    Void, Never
  >
  where Signals.Element == MemoryPressure {
    configuration.background.start { [weak self] in
      do {
        for try await pressure in signals {
          guard let self else { return }
          self.handleMemoryPressure(pressure)
        }
      } catch {
        // Signals that end badly have ended.
      }
    }
  }

  /// Wakes those who wait for the limit to be reached.
  func roomIsFree() {
    // Nearly always nobody waits. Whoever does notes it first and looks at the accounts then, where this is called after
    // they were changed: one of the two sees the other.
    guard isRoomAwaited.load(ordering: .sequentiallyConsistent) else { return }
    let waiting = waitingForRoom.withLock { waiting in
      isRoomAwaited.store(false, ordering: .sequentiallyConsistent)
      defer { waiting = [] }
      return waiting
    }
    for one in waiting { one.resolve(.success(())) }
  }

  // MARK: time

  /// Changes how long chunks are kept: after they were asked for from the source, and after they were last read. `nil`:
  /// for as long as there is room.
  ///
  /// What is older goes when it is looked up, and by a timer.
  public func limit(age: Duration?, idle: Duration?) {
    // Under this lock, or two changes at once could leave the shards with some of each.
    limitsAreChanging.withLock { _ in
      let now = now.nanoseconds
      for shard in 0..<shards.count {
        shards.withLock(shard) { $0.limit(age: age?.nanoseconds ?? .max, idle: idle?.nanoseconds ?? .max, now: now) }
      }
      setHasTimeLimits(age != nil || idle != nil)
      expiryTimer.restart(age: age, idle: idle, configuration.time, configuration.background) { [weak self] in
        guard let self else { return false }
        self.removeExpired()
        return true
      }
    }
  }

  /// Removes what is older or has been idle for longer than the limits allow. The timer does this.
  public func removeExpired() {
    guard presentForLimits != .min else { return }
    for shard in 0..<shards.count {
      var next: Int? = 0
      while let first = next {
        var gone = EvictedChunks()
        // The time of each step: what came after an earlier one would seem to come from the future, and go.
        next = shards.change(shard) { $0.sweep(from: first, now: now.nanoseconds, &gone) }
        if gone.blocks > 0 { release(gone) }
      }
    }
  }
}
