extension TieredChunkStore {
  /// Changes the limits of a store of memory and compressed memory. The new limits apply at once; the call returns when
  /// the store holds no more than that.
  ///
  /// - Parameter compressed: zero, if no part is compressed memory.
  /// - Throws: `CancellationError`, or `ReadError.Code.limitExceeded` if more is pinned or kept as metadata than the
  ///   limit leaves room for. In both cases the limits are changed. `invalidConfiguration` if the store was made from
  ///   other stores than one of memory and at most one of compressed memory: resize those stores instead.
  public func resize(memory limit: ByteCount, compressed: ByteCount) async throws {
    guard let tiers = memory else { return try await resizeParts(memory: limit, compressed: compressed) }
    let ways = ways(of: limit.bytes, tiers)
    let own = limit.bytes - ways.reduce(0) { $0 + $1.limit }
    for way in ways where way.limit < way.present() { set(way, tiers.budget) }
    tiers.budget.setLimit(Configuration.sum(limit, compressed))
    // Before anything waits, since a wait can be cancelled.
    tiers.memory.setLimit(own)
    // The lower tier first: it need not evict if the memory tier only has to give up what it borrowed.
    try await tiers.compressed?.resize(to: compressed)
    try await tiers.memory.resize(to: .bytes(own))
    // Last, when there is room for it. If the rest is pinned or reserved, less may be moving.
    for way in ways { set(way, tiers.budget) }
  }

  /// What chunks pass through on their way down from memory. Its limit is taken from the budget in advance.
  private struct Way {
    /// The number of bytes that may be on it.
    let limit: Int
    let present: () -> Int
    /// Changes the limit and returns the previous one.
    let change: (Int) -> Int

    init(_ limit: Int, _ mover: DemotionQueue) {
      self.limit = limit
      present = { mover.statistics().limit }
      change = mover.setLimit
    }

    init(_ limit: Int, waitingFor disk: SpillStore) {
      self.limit = limit
      present = { disk.state.withLock { $0.staging.limit } }
      change = disk.setStagingLimit
    }
  }

  /// The ways for a memory limit, the same as when the store was made.
  private func ways(of limit: Int, _ tiers: MemoryTiers) -> [Way] {
    var ways: [Way] = []
    var left = limit
    if let spill {
      ways.append(Way(Configuration.queueBytes(tiers.queueLimit, of: limit), mover))
      ways.append(Way(Configuration.stagingBytes(tiers.stagingBytes, of: limit), waitingFor: spill))
      left -= ways.reduce(0) { $0 + $1.limit }
    }
    if tiers.compressed != nil {
      ways.append(Way(Configuration.queueBytes(tiers.queueLimit, of: left), (inner ?? self).mover))
    }
    return ways
  }

  private func set(_ way: Way, _ budget: MemoryBudget) {
    let growth = max(0, way.limit - way.present())
    guard budget.takeBack(growth) else { return }
    let before = way.change(way.limit)
    // Zero, unless two resizes run at the same time.
    budget.charge(way.limit - before - growth)
  }

  /// The stores among the parts that have limits. Stores that share a limit count as one.
  private var limited: [any FullChunkStore] {
    memory != nil ? [self] : [upper, lower].flatMap { ($0 as? TieredChunkStore)?.limited ?? [$0] }
  }

  /// Like ``resize(memory:compressed:)``, for parts that the caller made.
  private func resizeParts(memory limit: ByteCount, compressed: ByteCount) async throws {
    let all = limited
    let made = all.compactMap { $0 as? TieredChunkStore }
    let memories = all.compactMap { $0 as? MemoryStore }
    let compresseds = all.compactMap { $0 as? CompressedStore }
    if made.count == 1, memories.isEmpty, compresseds.isEmpty {
      return try await made[0].resize(memory: limit, compressed: compressed)
    }
    guard made.isEmpty, memories.count == 1, compresseds.count == 1 || compressed.bytes == 0 else {
      throw ReadError(
        .invalidConfiguration,
        "this store is not one of memory and compressed memory: resize the stores that it is composed of")
    }
    try await compresseds.first?.resize(to: compressed)
    try await memories[0].resize(to: limit)
  }

  /// Frees memory because the system is short of it: half of what is held at a warning, otherwise all that is not
  /// pinned. The lower tier goes first. Nothing is compressed until the pressure ends, or for a minute.
  public func handleMemoryPressure(_ pressure: MemoryPressure) { handleMemoryPressure(pressure, sparing: spill) }

  /// - Parameter disk: chunks that it has copies of are dropped before others.
  private func handleMemoryPressure(_ pressure: MemoryPressure, sparing disk: SpillStore?) {
    guard pressure != .normal else {
      mover.resume()
      inner?.handleMemoryPressure(pressure, sparing: disk)
      return
    }
    mover.pause(for: .seconds(60))
    if let inner { return inner.handleMemoryPressure(pressure, sparing: disk) }
    guard let tiers = memory else { return handleMemoryPressureOfParts(pressure, sparing: disk) }
    let held = tiers.memory.ledger.bytes + (tiers.compressed?.ledger.bytes ?? 0)
    let target = pressure == .critical ? 0 : held / 2
    tiers.compressed?.drop(to: max(0, target - tiers.memory.ledger.bytes))
    let left = max(0, target - (tiers.compressed?.ledger.bytes ?? 0))
    if let disk { tiers.memory.shed(to: left, havingCopiesIn: disk) }
    tiers.memory.shed(to: left)
  }

  /// Like ``handleMemoryPressure(_:)``, for parts that the caller made: each handles its own memory.
  private func handleMemoryPressureOfParts(_ pressure: MemoryPressure, sparing disk: SpillStore?) {
    for part in [lower, upper] {
      switch part {
      case let part as TieredChunkStore: part.handleMemoryPressure(pressure, sparing: disk)
      case let part as CompressedStore: part.drop(to: pressure == .critical ? 0 : part.ledger.bytes / 2)
      case let part as MemoryStore:
        if let disk { part.shed(to: pressure == .critical ? 0 : part.ledger.bytes / 2, havingCopiesIn: disk) }
        part.handleMemoryPressure(pressure)
      default: break
      }
    }
  }

  /// Calls ``handleMemoryPressure(_:)`` for each signal, until the signals end or the store is gone.
  ///
  /// ```swift
  /// store.handleMemoryPressure(from: MemoryPressure.signals())
  /// ```
  ///
  /// - Returns: the task that listens. Cancel it to stop.
  @discardableResult public func handleMemoryPressure<Signals: AsyncSequence & Sendable>(from signals: Signals) -> Task<
    Void, Never
  >
  where Signals.Element == MemoryPressure {
    mover.background.start { [weak self] in
      do {
        for try await pressure in signals {
          guard let self else { return }
          self.handleMemoryPressure(pressure)
        }
      } catch {
        // If the signals end with an error, they have ended.
      }
    }
  }

  /// Changes how long chunks are kept, in all tiers: `age` after they were requested from the source, `idle` after they
  /// were last read, which a disk does not track. `nil`: for as long as there is room. Parts that are your own stores
  /// have their own limits.
  public func limit(age: Duration?, idle: Duration?) {
    for part in parts {
      switch part {
      case let part as MemoryStore: part.limit(age: age, idle: idle)
      case let part as CompressedStore: part.limit(age: age, idle: idle)
      case let part as SpillStore: part.limit(age: age)
      default: break
      }
    }
  }

  /// Removes chunks that are older, or have been idle for longer, than the limits allow. A timer calls this.
  package func removeExpired() {
    for part in parts {
      switch part {
      case let part as MemoryStore: part.removeExpired()
      case let part as CompressedStore: part.removeExpired()
      case let part as SpillStore: part.removeExpired()
      default: break
      }
    }
  }
}

extension MemoryStore {
  /// Evicts chunks that `disk` has, until at most this many bytes are held.
  fileprivate func shed(to bytes: Int, havingCopiesIn disk: SpillStore) {
    let residents = residents()
    while ledger.bytes > bytes, let chunks = residents.next() {
      for chunk in chunks where ledger.bytes > bytes && !chunk.token.entry.pins(chunk.piece.range) {
        let range = chunk.piece.range
        if disk.holds(range, token: chunk.token.number, grid: chunk.token.grid) { erase(range, of: chunk.token) }
      }
    }
  }
}
