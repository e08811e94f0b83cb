public import RangeIO

extension TieredStore {
  /// Changes the limits of a store of memory and compressed memory. The new limits apply at once; the call returns when
  /// the store holds no more than that.
  ///
  /// - Parameters:
  ///   - limit: the most that plain memory may take.
  ///   - compressed: `.bytes(0)`, if no part is compressed memory.
  /// - Throws: `CancellationError`, or `ReadError.Code.limitExceeded` if more is pinned or kept as metadata than the
  ///   limit leaves room for. In both cases the limits are as they were before. What was evicted stays so.
  ///   `invalidConfiguration` if the store was made from other stores than one of memory and at most one of compressed
  ///   memory: resize those stores instead.
  public func resize(memory limit: ByteCount, compressed: ByteCount) async throws {
    guard let tiers = memory else { return try await resizeParts(memory: limit, compressed: compressed) }
    let limits = Limits(memory: limit, compressed: compressed)
    try await limitChanges.change { _ in
      limits
    } apply: {
      set($0, tiers)
    } reach: {
      // The lower tier first: it need not evict if the memory tier only has to give up what it borrowed.
      try await tiers.compressed?.reachLimit()
      try await tiers.memory.reachLimits()
    }
    // Again: there is room now for ways that had none.
    limitChanges.set { set($0, tiers) }
  }

  /// Sets the limits for what comes from now on. If what is pinned or reserved leaves no room for it, less may be moving.
  private func set(_ limits: Limits, _ tiers: MemoryTiers) {
    let ways = ways(of: limits.memory.bytes, tiers)
    for way in ways where way.limit < way.present() { set(way, tiers.budget) }
    tiers.budget.setLimit(Configuration.sum(limits.memory, limits.compressed))
    tiers.compressed?.ledger.limit = limits.compressed.bytes
    tiers.memory.setLimit(limits.memory.bytes - ways.reduce(0) { $0 + $1.limit })
    for way in ways { set(way, tiers.budget) }
    // Others may be waiting for a limit that is higher now.
    tiers.memory.roomIsFree()
  }

  /// A queue that chunks pass through on their way down from memory. Its limit is taken from the budget in advance.
  private struct Way {
    let limit: Int
    let present: () -> Int
    /// Changes the limit and returns the previous one.
    let change: (Int) -> Int
  }

  /// The ways for a memory limit, the same as when the store was made.
  private func ways(of limit: Int, _ tiers: MemoryTiers) -> [Way] {
    func way(_ mover: DemotionQueue, of limit: Int) -> Way {
      Way(
        limit: Configuration.queueBytes(tiers.queueLimit, of: limit), present: { mover.counts().limit },
        change: mover.setLimit)
    }
    var ways: [Way] = []
    var left = limit
    if let spill {
      ways.append(way(mover, of: limit))
      ways.append(
        Way(
          limit: Configuration.stagingBytes(tiers.stagingBytes, of: limit),
          present: { spill.state.withLock { $0.staging.limit } }, change: spill.setStagingLimit))
      left -= ways.reduce(0) { $0 + $1.limit }
    }
    if tiers.compressed != nil { ways.append(way((inner ?? self).mover, of: left)) }
    return ways
  }

  private func set(_ way: Way, _ budget: MemoryBudget) {
    let growth = max(0, way.limit - way.present())
    // Not while more is held than the budget: all of that would be evicted here, in one go.
    guard growth == 0 || budget.missing(0) <= 0 && budget.takeBack(growth) else { return }
    let before = way.change(way.limit)
    // Zero, unless two resizes run at the same time.
    budget.charge(way.limit - before - growth)
  }

  /// The stores among the parts that have limits. Stores that share a limit count as one.
  private var limited: [any FullChunkStore] {
    memory != nil ? [self] : [upper, lower].flatMap { ($0 as? TieredStore)?.limited ?? [$0] }
  }

  /// Like ``resize(memory:compressed:)``, for parts that the caller made.
  private func resizeParts(memory limit: ByteCount, compressed: ByteCount) async throws {
    let all = limited
    let made = all.compactMap { $0 as? TieredStore }
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
    let memory = memories[0]
    guard let lower = compresseds.first else { return try await memory.resize(to: limit) }
    // One within the other: if either limit is not reached, both are as they were.
    try await memory.changeLimits(to: limit) {
      try await lower.changeLimit(to: compressed) {
        try await lower.reachLimit()
        try await memory.reachLimits()
      }
    }
  }

  @discardableResult package func change(_ order: StoreOrder) -> StoreOrder.Outcome {
    switch order {
    case .relieve(let pressure):
      relieveMemory(pressure, sparing: spill)
      return .done
    case .keep:
      // In the topmost part that can.
      let outcome = upper.change(order)
      if case .notHere = outcome { return lower.change(order) }
      return outcome
    case .limitTime, .expire, .pin, .unpin: return upper.change(order) && lower.change(order)
    }
  }

  /// - Parameter disk: chunks that it has copies of are dropped before others.
  private func relieveMemory(_ pressure: MemoryPressure, sparing disk: SpillStore?) {
    guard pressure != .normal else {
      mover.resume()
      for part in [lower, upper] { (part as? TieredStore)?.relieveMemory(pressure, sparing: disk) }
      return
    }
    mover.pause(for: .seconds(60))
    if let inner { return inner.relieveMemory(pressure, sparing: disk) }
    guard let tiers = memory else { return relieveParts(pressure, sparing: disk) }
    let held = tiers.memory.ledger.bytes + (tiers.compressed?.ledger.bytes ?? 0)
    let target = pressure == .critical ? 0 : held / 2
    tiers.compressed?.drop(to: max(0, target - tiers.memory.ledger.bytes))
    let left = max(0, target - (tiers.compressed?.ledger.bytes ?? 0))
    if let disk { tiers.memory.shed(to: left, havingCopiesIn: disk) }
    tiers.memory.shed(to: left)
  }

  /// The same for parts that the caller made: each handles its own memory. The lower one goes first.
  private func relieveParts(_ pressure: MemoryPressure, sparing disk: SpillStore?) {
    for part in [lower, upper] {
      if let part = part as? TieredStore {
        part.relieveMemory(pressure, sparing: disk)
        continue
      }
      if let disk, let part = part as? MemoryStore {
        part.shed(to: pressure == .critical ? 0 : part.ledger.bytes / 2, havingCopiesIn: disk)
      }
      part.change(.relieve(pressure))
    }
  }
}

extension MemoryStore {
  /// Evicts chunks that `disk` has, until at most this many bytes are held.
  fileprivate func shed(to bytes: Int, havingCopiesIn disk: SpillStore) {
    let residents = residents()
    while ledger.bytes > bytes, let chunks = residents.next() {
      for chunk in chunks where ledger.bytes > bytes && !chunk.token.entry.pins(chunk.range) {
        let range = chunk.range
        if disk.holds(range, token: chunk.token.number, grid: chunk.token.grid) { erase(range, of: chunk.token) }
      }
    }
  }
}
