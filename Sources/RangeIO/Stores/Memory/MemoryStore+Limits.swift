import Synchronization

extension MemoryStore {
  @discardableResult package func change(_ order: StoreOrder) -> StoreOrder.Outcome {
    switch order {
    case .limitTime(let age, let idle): limitTime(age: age, idle: idle)
    case .expire: removeExpired()
    case .relieve(let pressure): relieveMemory(pressure)
    case .pin(let range, let source): return pin(range, of: source)
    case .unpin(let range, let source):
      for token in sources.tokens(of: source) { token.entry.unpin(range) }
      setPins(of: source)
    case .keep(let metadata, let source): return keep(metadata, of: source)
    }
    return .done
  }

  // MARK: room

  /// Changes the limit. The new limit applies at once; the call returns when the store holds no more than that.
  ///
  /// - Parameters:
  ///   - limit: the most that the store may hold.
  ///   - blocks: the number of blocks that may be held. Default: unchanged.
  /// - Throws: `CancellationError`, or `ReadError.Code.limitExceeded` if more than that is pinned or kept as metadata.
  ///   In both cases the limit is as it was before. What was evicted stays so.
  public func resize(to limit: ByteCount, blocks: Int? = nil) async throws {
    try await changeLimits(to: limit, blocks: blocks, reach: reachLimits)
  }

  struct Limits: Sendable {
    var bytes: Int
    var blocks: Int
  }

  /// Changes the limits as ``resize(to:blocks:)`` does. `reach` returns when they are reached.
  package func changeLimits(to limit: ByteCount, blocks: Int? = nil, reach: () async throws -> Void) async throws {
    try await limitChanges.change {
      Limits(bytes: limit.bytes, blocks: blocks.map { max(0, $0) } ?? $0.blocks)
    } apply: { limits in
      ledger.blockLimit = limits.blocks
      setLimit(limits.bytes)
      // Others may be waiting for a limit that is higher now.
      roomIsFree()
    } reach: {
      try await reach()
    }
  }

  /// Returns when the store holds no more than its limits.
  ///
  /// - Throws: as ``resize(to:blocks:)``, with the limits as they are.
  package func reachLimits() async throws {
    while true {
      // Added before looking, so that room that becomes free in between is not missed.
      let answer = roomFreed.listen()
      defer { roomFreed.leave(answer) }
      try await shrink { self.ledger.missing(bytes: 0, blocks: 0) }
      let excess = ledger.missing(bytes: 0, blocks: 0)
      guard excess.bytes > 0 || excess.blocks > 0 else { return }
      let held = counts()
      let unmovable = held.pinnedBytes + ledger.metadataBytes
      // What was read ahead stays until the read that passes it has its bytes. The rest of it stays no longer, whatever it was
      // that made room for less: a tier below may have lent it.
      let isAhead = (0..<shards.count).contains { shards.withLock($0) { $0.aheadBytes > 0 } }
      if isAhead { ahead.giveUpAll() }
      let isToCome = isAhead || held.reservedBytes > 0 || held.removedBytes > 0 || shards.fullest() != nil
      // Nothing here has to stay or is to come, so other tiers of the budget hold the rest, and handle it themselves.
      if unmovable == 0, !isToCome { return }
      guard isToCome, unmovable == 0 || ledger.canHold(unmovable) else {
        // Given back since the first look: nothing can take it beyond the limit any more.
        let left = ledger.missing(bytes: 0, blocks: 0)
        guard left.bytes > 0 || left.blocks > 0 else { return }
        throw ReadError(
          .limitExceeded,
          "\(unmovable) bytes are pinned or metadata, more than the new limit leaves room for: unpin some")
      }
      // The rest is reserved by reads in flight, which give it back when they end.
      try await answer.value()
    }
  }

  /// Changes the limit for later insertions.
  package func setLimit(_ bytes: Int) {
    let isLess = bytes < ledger.ownLimit
    ledger.ownLimit = bytes
    if isLess { ahead.giveUpAll() }
    setPolicyCapacity(ledger.present)
  }

  /// Evicts until the store holds at most `size`. The limit does not change.
  ///
  /// Pinned chunks, blocks that `.readAhead` has prefetched for reads to come, and reservations of reads in flight stay.
  ///
  /// - Parameters:
  ///   - size: the most that it then holds.
  ///   - blocks: the number of blocks to keep at most. Default: any number.
  /// - Throws: `CancellationError`.
  public func trim(to size: ByteCount, blocks: Int? = nil) async throws {
    try await shrink { (self.ledger.bytes - size.bytes, blocks.map { self.ledger.blocks - max(0, $0) } ?? 0) }
  }

  func trim(toBlocks count: Int) async throws { try await trim(to: .bytes(.max), blocks: count) }

  /// Evicts in steps while there is an excess and something can be evicted. Yields to other tasks between steps.
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

  /// Evicts a few chunks of a shard, and notes in `empty` if it has none. Returns the number of bytes evicted.
  @discardableResult func evictSome(
    _ bytes: Int, _ blocks: Int = 0, from shard: Int, _ empty: inout Set<Int>, to outlet: (any EvictionSink)?
  ) -> Int {
    var gone = EvictedChunks()
    shards.change(shard) { $0.evict(bytes: bytes, blocks: blocks, most: 64, &gone, to: outlet) }
    if gone.blocks == 0 { empty.insert(shard) }
    release(gone)
    outlet?.proceed()
    return gone.bytes
  }

  /// Frees half of it at a warning, otherwise all that is not pinned.
  private func relieveMemory(_ pressure: MemoryPressure) {
    switch pressure {
    case .normal: return
    case .warning: shed(to: ledger.bytes / 2)
    case .critical: shed(to: 0)
    }
  }

  /// Evicts what exceeds `target` bytes, except pinned chunks. What is read ahead is held no longer: memory is short.
  package func shed(to target: Int) {
    ahead.giveUpAll()
    // Not sent to a lower tier: bytes dropped because memory is short must not take other memory.
    _ = evict(ledger.bytes - target, to: nil) { self.ledger.bytes > target }
  }

  /// Evicts `bytes`, if there is that much to evict: other tiers of the budget need them.
  package func giveUp(_ bytes: Int) {
    _ = evict(bytes, to: outlet)
  }

  /// Evicts this many bytes and no more, whatever is added at the same time. Otherwise readers that fill the free room
  /// would keep this going and empty the store. Returns how many.
  func evict(_ bytes: Int, to outlet: (any EvictionSink)?, while isTooMuch: () -> Bool = { true }) -> Int {
    var empty: Set<Int> = []
    var left = bytes
    while left > 0, isTooMuch() {
      if let bytes = removals.step() {
        left -= bytes
        continue
      }
      guard let shard = shards.fullest(except: empty) else { break }
      left -= evictSome(left, from: shard, &empty, to: outlet)
    }
    return bytes - left
  }

  /// Forgets sources whose last chunk has left, and wakes the tasks that wait for the limit to be reached.
  package func roomIsFree() {
    // A tier below may still be taking chunks of them.
    sources.settle(forgetting: outlet == nil)
    roomFreed.notify()
  }

  // MARK: time

  func limitTime(age: Duration?, idle: Duration?) {
    // Under this lock, because two changes at once could leave each with some of the shards.
    limitsAreChanging.withLock { _ in
      let now = now.nanoseconds
      for shard in 0..<shards.count {
        shards.withLock(shard) { $0.limit(age: age?.nanoseconds ?? .max, idle: idle?.nanoseconds ?? .max, now: now) }
      }
      hasTimeLimits.store(age != nil || idle != nil, ordering: .relaxed)
      expiryTimer.restart(age: age, idle: idle, configuration.time, configuration.background) { [weak self] in
        guard let self else { return false }
        self.removeExpired()
        return true
      }
    }
  }

  private func removeExpired() {
    guard presentForLimits != .min else { return }
    // The time of each step: with an earlier time, newer chunks would seem to come from the future, and be removed.
    sweep { $0.sweep(from: $1, now: now.nanoseconds, &$2) }
  }

  // MARK: pinning and metadata

  private func pin(_ range: ByteRange, of source: SourceDescription) -> StoreOrder.Outcome {
    guard range.lowerBound >= 0, range.upperBound <= source.byteCount else {
      return .failed(.rangeNotSatisfiable("\(range)", range, byteCount: source.byteCount, source: source.name))
    }
    guard !range.isEmpty else { return .done }
    // Tries again if the version is being retired right now.
    while !entry(of: source).pin(range) {}
    setPins(of: source)
    return .done
  }

  /// Sets the pins of the resident chunks to what the entry says. Includes expired chunks, since the limit may be
  /// raised.
  private func setPins(of source: SourceDescription) {
    for token in sources.tokens(of: source) {
      for range in ranges(of: token, within: 0..<source.byteCount, now: .min) {
        for block in token.grid.blocks(covering: range) {
          let hash = ChunkTable.hash(token: token.number, block: block)
          shards.change(shards.index(of: hash)) { state in
            let slot = state.table.find(token: token.number, block: block, hash: hash)
            guard slot != 0 else { return }
            let isPinned = token.entry.pins(token.grid.range(of: block, in: source.byteCount))
            state.pin(slot, state.table[slot].pins.subtracting(.user).union(isPinned ? .user : []))
          }
        }
      }
    }
  }

  private func keep(_ metadata: Bytes?, of source: SourceDescription) -> StoreOrder.Outcome {
    guard let copy = metadata.map({ Bytes(Array($0)) }) else {
      for token in sources.tokens(of: source) { token.entry.forgetMetadata() }
      return .done
    }
    let charge = Self.charge(of: copy.count)
    var gone = EvictedChunks()
    defer { handOn(gone) }
    guard charge <= ledger.ownLimit / 2, makeRoom(bytes: charge, blocks: 0, &gone) else {
      roomIsFree()
      return .failed(
        ReadError(
          .limitExceeded, "no room for \(charge) bytes of metadata: keep less, or raise the limit",
          context: .init(source: source.name)))
    }
    ledger.noteMetadata(charge)
    let kept = SourceEntry.Metadata(bytes: copy) { [ledger, weak self] in
      ledger.noteMetadata(-charge)
      ledger.give(bytes: charge, blocks: 0)
      self?.roomIsFree()
    }
    // Tries again if the version is being retired right now: metadata kept with it would never be freed.
    while !entry(of: source).keep(kept) {}
    return .done
  }

  private func entry(of source: SourceDescription) -> SourceEntry {
    if let known = sources.tokens(of: source).first { return known.entry }
    let grid = BlockGrid(blockSize: source.preferredBlockSize.bytes) ?? BlockGrid(blockSize: 65_536)!
    return token(of: source, on: grid, reading: false).entry
  }
}
