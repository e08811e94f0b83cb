package import RangeIO

extension SpillStore {
  /// Leaves what is promoted: this tier keeps copies.
  @discardableResult package func erase(_ scope: ChunkScope) -> ChunkRemoval {
    switch scope {
    case .range(let range, let token): erase(range, of: token)
    case .promoted: break
    case .retired(let token): eraseRetired(token)
    case .version(let source, let range):
      eraseTokens(of: scope)
      let whole = 0..<source.byteCount
      if range.overlaps(whole) { erase(range.clamped(to: whole), ofVersion: source) }
    // Versions read in this process first: of those it is written down, even if files could not be read.
    case .source: eraseTokens(of: scope)
    case .everything: eraseAll()
    }
    return ChunkRemoval()
  }

  /// Erases the blocks that hold bytes of `range`, as soon as possible also on the disk.
  package func erase(_ range: ByteRange, of token: ChunkToken) {
    guard !range.isEmpty, binding(of: token) != nil else { return }
    let slot = state.withLock { state -> Int? in
      // A file that could not be read may hold some of it, even if nothing of it is known.
      let isNeeded = !state.unread.isEmpty && mayChangeFiles
      let known = state.sources.binding(of: token.number)?.slot
      guard let slot = known ?? (isNeeded ? state.sources.enter(sourceOf: token.number) : nil) else { return nil }
      state.sources[slot].removals += 1
      return slot
    }
    if let slot { erase(token.grid.blocks(covering: range), slot) }
  }

  /// Erases a version's blocks that hold bytes of `range`, on every grid. Includes blocks that were not read in this
  /// process.
  func erase(_ range: ByteRange, ofVersion source: SourceDescription) {
    guard let any = BlockGrid(blockSize: 1), let version = SpillIdentity(source, any) else { return }
    let preferred = BlockGrid(blockSize: source.preferredBlockSize.bytes).flatMap { SpillIdentity(source, $0) }
    let slots = state.withLock { state in
      // A file that could not be read may hold some of it: on the grid on which the source is read, unless the user
      // chooses another.
      if let preferred, !state.unread.isEmpty, mayChangeFiles, !state.isGivenUp {
        _ = state.sources.enter(preferred)
      }
      let slots = state.sources.slots(ofID: source.id).filter { state.sources[$0].identity.isVersion(of: version) }
      for slot in slots { state.sources[slot].removals += 1 }
      return slots.map { ($0, state.sources[$0].identity.shift) }
    }
    for (slot, shift) in slots { erase(range.lowerBound >> shift..<(range.upperBound - 1) >> shift + 1, slot) }
  }

  /// Forgets a version that was replaced. Its records are removed together with their segments.
  private func eraseRetired(_ token: ChunkToken) {
    let (staged, sweeps) = state.withLock { state -> ([SpillStaging.Entry], Bool) in
      guard let slot = state.sources.unbind(token.number), state.sources[slot].bindings == 0 else { return ([], false) }
      return (state.outdate(slot), state.beginSweepingOutdated())
    }
    withExtendedLifetime(staged) {}
    if sweeps { sweepOutdated() }
  }

  /// Erases all versions of a source, or of all sources, also versions that this process has not read.
  ///
  /// If a file could not be read when the directory was opened, the versions in it are not known: the next ``flush()``
  /// throws.
  package func erase(source id: String?) {
    guard let id else { return eraseAll() }
    let slots = state.withLock { state in
      if !state.unread.isEmpty, mayChangeFiles, !state.isGivenUp { state.mayReturn = true }
      let slots = state.sources.slots(ofID: id)
      for slot in slots { state.sources[slot].removals += 1 }
      return slots
    }
    for slot in slots { erase(0..<Int(SpillTable.maxBlock) + 1, slot) }
  }

  /// - Parameter slot: already counts this removal, so that it is not forgotten in between, unless the store is closed.
  func erase(_ blocks: Range<Int>, _ slot: Int) {
    let staged = state.withLock { state -> [SpillStaging.Entry] in
      // Closed since it was counted: nothing is known any more.
      guard state.sources.has(slot) else { return [] }
      let removed = state.unstage(slot, blocks)
      state.counts.stale += removed.count
      if blocks.count <= 4096 {
        for block in blocks {
          let found = state.table.find(source: slot, block: block)
          if found != 0 { state.remove(found) }
        }
      }
      return removed
    }
    withExtendedLifetime(staged) {}
    if blocks.count > 4096 { core.sweep { $0.source == slot && blocks.contains($0.block) } }
    let isNoted = state.withLock { state -> Bool in
      // Closed in between: the source then has another slot, or none.
      guard !state.isGivenUp else { return false }
      defer { state.sources[slot].removals -= 1 }
      guard mayChangeFiles else { return false }
      // Written down if any of it may be on the disk, or on its way there. Only when nothing of it can be found any
      // more: records copied until then come before this removal, so it removes them too.
      let mayBeOnDisk = state.oldestSegment.map { $0 <= state.sources[slot].newestSegment } ?? false
      guard mayBeOnDisk || state.isWriting || !state.unread.isEmpty else { return false }
      state.note(.init(slot: slot, blocks: UInt64(blocks.lowerBound)..<UInt64(blocks.upperBound)))
      return true
    }
    if isNoted { writer.wake(isUrgent: true) }
  }

  /// Erases everything, including sources that were not read in this process.
  private func eraseAll() {
    let (staged, isNoted) = state.withLock { state -> ([SpillStaging.Entry], Bool) in
      let all = state.unstage { _, _ in true }
      state.counts.stale += all.count
      guard !state.isGivenUp, mayChangeFiles else { return (all, false) }
      state.noteClearing()
      state.isFull = false
      // It needs no room, and makes some: whatever writing waits for, this does not.
      (state.isHeldUp, state.writesPausedUntil) = (false, nil)
      return (all, true)
    }
    withExtendedLifetime(staged) {}
    core.sweep { _ in true }
    if isNoted { writer.wake(isUrgent: true) }
  }

  /// Removals are written down, unless the configuration says that the directory is only read.
  var mayChangeFiles: Bool { readOnlyReason != .configured }

  /// Removes the blocks of all outdated versions from the index, in one walk in the background.
  func sweepOutdated() {
    configuration.background.startElsewhere(.utility) { [weak self] in
      var next: Int? = 1
      while let self, let first = next {
        next = state.withLock { $0.sweepOutdated(from: first) }
        await Task.yield()
      }
    }
  }

  // MARK: time

  @discardableResult package func change(_ order: StoreOrder) -> StoreOrder.Outcome {
    switch order {
    // It does not track when chunks were read.
    case .limitTime(let age, _): limit(age: age)
    case .expire: removeExpired()
    case .relieve, .pin, .unpin, .keep: return .notHere
    }
    return .done
  }

  /// Changes how long chunks are kept after they were requested from the source. Older chunks can no longer be found.
  /// They are removed together with their segment, or by ``removeExpired()``.
  private func limit(age: Duration?) {
    state.withLock { $0.ageLimit = age?.nanoseconds ?? .max }
  }

  /// Removes what is older than the limit from the index.
  private func removeExpired() {
    let now = configuration.wallClock()
    let limit = state.withLock { $0.ageLimit }
    guard limit != .max else { return }
    let count = core.sweep { $0.fetchedAt > now || now - $0.fetchedAt >= limit }
    state.withLock { $0.counts.expirations += count }
  }
}
