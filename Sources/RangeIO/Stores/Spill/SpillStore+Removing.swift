extension SpillStore {
  /// Erases the blocks that hold bytes of `range`, on the disk, too, as soon as may be.
  public func erase(_ range: ByteRange, of token: ChunkToken) {
    guard !range.isEmpty, let slot = slot(of: token) else { return }
    erase(token.grid.blocks(covering: range), slot, of: token.source.id)
  }

  /// Forgets a version that was replaced. Its records die with their segments.
  public func eraseRetired(_ token: ChunkToken) {
    guard let slot = state.withLock({ $0.sources.unbind(token.number) }) else { return }
    if state.withLock({ $0.sources[slot].bindings == 0 }) { forget(slot) }
  }

  /// Erases all that is here of a source, in all its versions, those included that nobody has read in this process.
  public func erase(source id: String) {
    let blocks = 0..<Int(SpillTable.largestBlock) + 1
    for slot in state.withLock({ $0.sources.slots(ofID: id) }) { erase(blocks, slot, of: id) }
  }

  /// Whether removals are written down: not in a directory that is only read, or was given up.
  private func changesDirectory(_ state: borrowing SpillState) -> Bool {
    !configuration.isReadOnly && !state.isClosed
  }

  private func erase(_ blocks: Range<Int>, _ slot: Int, of id: String) {
    let staged = state.withLock { state -> [SpillStaging.Entry] in
      // Forgotten meanwhile: then nothing of it is here.
      guard state.sources.slots(ofID: id).contains(slot) else { return [] }
      // Written down if anything of it can be on the disk, or is on its way there.
      let mayBeOnDisk = state.oldestSegment.map { $0 <= state.sources[slot].newestSegment } ?? false
      if changesDirectory(state), mayBeOnDisk || state.isWriting || state.hasUnread {
        let identity = state.sources[slot].identity
        state.staging.note(.init(identity: identity, blocks: UInt64(blocks.lowerBound)..<UInt64(blocks.upperBound)))
      }
      let removed = state.unstage { _, entry in entry.slot == slot && blocks.contains(entry.chunk.block) }
      if blocks.count <= 4096 {
        for block in blocks {
          let found = state.table.find(source: slot, block: block)
          if found != 0 { state.remove(found) }
        }
      }
      return removed
    }
    withExtendedLifetime(staged) {}
    if blocks.count > 4096 { sweep { $0.source == slot && blocks.contains($0.block) } }
    writer.wake(isUrgent: true)
  }

  /// Removes everything. Nothing can be found from now on, and after a restart once ``flush()`` has returned.
  ///
  /// Whoever composes tiers raises the generations; alone, this does.
  public func removeAll() {
    for token in sources.all { token.raiseGeneration() }
    eraseAll()
  }

  /// Erases everything, that of sources included which nobody has read in this process.
  public func eraseAll() {
    let staged = state.withLock { state -> [SpillStaging.Entry] in
      let all = state.unstage { _, _ in true }
      if changesDirectory(state) { state.staging.noteClearing() }
      state.isFull = false
      return all
    }
    withExtendedLifetime(staged) {}
    sweep { _ in true }
    writer.wake(isUrgent: true)
  }
}
