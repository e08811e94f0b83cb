extension TieredChunkStore {
  /// Changes the limits of a store of memory and compressed memory. They bind from now on; returns when no more is held.
  ///
  /// - Throws: `CancellationError`, with the limits changed; `ReadError.Code.limitExceeded` if more is pinned or kept as
  ///   metadata than the limit leaves room for, with the limits changed.
  public func resize(memory limit: ByteCount, compressed: ByteCount) async throws {
    if let inner { return try await inner.resize(memory: limit, compressed: compressed) }
    guard let tiers = memory else { return }
    let queue = Configuration.queueBytes(tiers.queueLimit, of: limit.bytes)
    if queue < mover.statistics().limit { setQueueLimit(queue, tiers) }
    tiers.budget.setLimit(Configuration.sum(limit, compressed))
    // Before anything is waited for, which can be cancelled.
    tiers.memory.setLimit(limit.bytes - queue)
    // What is below first: it need not go where the memory tier only has to give up what it had borrowed.
    try await tiers.compressed?.resize(to: compressed)
    try await tiers.memory.resize(to: .bytes(limit.bytes - queue))
    // Last, when there is room for it. Where the rest is pinned or reserved, less may be on its way.
    setQueueLimit(queue, tiers)
  }

  /// Changes the bytes that may be on their way down, which are taken from the budget in advance.
  private func setQueueLimit(_ limit: Int, _ tiers: MemoryTiers) {
    let growth = max(0, limit - mover.statistics().limit)
    guard tiers.budget.takeBack(growth) else { return }
    let before = mover.setLimit(limit)
    // Nothing, unless two resizes meet here.
    tiers.budget.charge(limit - before - growth)
  }

  /// Lets go of memory because the system is short of it: at a warning of half of what is held, else of all that is not
  /// pinned. What is below goes first. Nothing is compressed until the pressure is over, or for a minute.
  public func relieve(_ pressure: MemoryPressure) { relieve(pressure, sparing: spill) }

  /// - Parameter disk: what it has copies of goes before what it has not.
  private func relieve(_ pressure: MemoryPressure, sparing disk: SpillStore?) {
    guard pressure != .normal else {
      mover.resume()
      inner?.relieve(pressure, sparing: disk)
      return
    }
    mover.pause(for: .seconds(60))
    if let inner { return inner.relieve(pressure, sparing: disk) }
    guard let tiers = memory else { return }
    let held = tiers.memory.ledger.bytes + (tiers.compressed?.ledger.bytes ?? 0)
    let target = pressure == .critical ? 0 : held / 2
    tiers.compressed?.drop(to: max(0, target - tiers.memory.ledger.bytes))
    let left = max(0, target - (tiers.compressed?.ledger.bytes ?? 0))
    if let disk { tiers.memory.shed(to: left, havingCopiesIn: disk) }
    tiers.memory.shed(to: left)
  }

  /// Does as ``relieve(_:)`` for each signal, until they end or the store is gone.
  ///
  /// ```swift
  /// store.relieve(on: MemoryPressureSignals())
  /// ```
  ///
  /// - Returns: the task that listens: cancel it to stop.
  @discardableResult public func relieve<Signals: AsyncSequence & Sendable>(on signals: Signals) -> Task<Void, Never>
  where Signals.Element == MemoryPressure {
    mover.background.start { [weak self] in
      do {
        for try await pressure in signals {
          guard let self else { return }
          self.relieve(pressure)
        }
      } catch {
        // Signals that end badly have ended.
      }
    }
  }

  /// Changes how long chunks are kept, in all tiers: after they were asked for from the source, and after they
  /// were last read, which a disk does not watch. `nil`: for as long as there is room.
  public func limit(age: Duration?, idle: Duration?) {
    memory?.memory.limit(age: age, idle: idle)
    memory?.compressed?.limit(age: age, idle: idle)
    spill?.limit(age: age)
  }

  /// Removes what is older or has been idle for longer than the limits allow. A timer does this.
  public func removeExpired() {
    memory?.memory.removeExpired()
    memory?.compressed?.removeExpired()
    spill?.removeExpired()
  }
}

extension MemoryStore {
  /// Lets go of chunks that `disk` has, until at most so much is held.
  fileprivate func shed(to bytes: Int, havingCopiesIn disk: SpillStore) {
    var cursor: Int? = 0
    while ledger.bytes > bytes, let place = cursor {
      let (chunks, next) = residents(from: place)
      for chunk in chunks where ledger.bytes > bytes && !chunk.token.entry.pins(chunk.piece.range) {
        let range = chunk.piece.range
        if disk.holds(range, token: chunk.token.number, grid: chunk.token.grid) { erase(range, of: chunk.token) }
      }
      cursor = next
    }
  }
}
