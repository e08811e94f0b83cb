import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Limits, pins, metadata, and what the store says of its contents.
extension TieredModel {
  /// A resize that other operations happen in the midst of.
  final class Resizing: Sendable {
    let ended = Locked<Result<Void, any Error>?>(nil)
  }

  func resize() {
    guard resizing == nil else { return }
    let memory = ByteCount.bytes(8000 + random.below(25_000))
    let compressed = ByteCount.bytes(random.below(8) == 0 ? random.below(5000) : 10_000 + random.below(55_000))
    highestLimit = max(highestLimit, memory.bytes + compressed.bytes)
    let resizing = Resizing()
    self.resizing = resizing
    Task(executorPreference: executor) { [store] in
      do {
        try await store.resize(memory: memory, compressed: compressed)
        resizing.ended.withLock { $0 = .success(()) }
      } catch {
        resizing.ended.withLock { $0 = .failure(error) }
      }
    }
  }

  /// Looks at whether a resize has ended, and how.
  func noteResize() throws(Mismatch) {
    guard let result = resizing?.ended.withLock({ $0 }) else { return }
    resizing = nil
    tally.resized += 1
    let (bytes, limit) = (tiers.budget.bytes, tiers.budget.limit.bytes)
    switch result {
    case .success:
      isOverLimit = false
      try expect(bytes <= limit, "a resize ended with \(bytes) bytes of \(limit)")
    case .failure(let error):
      try expect((error as? ReadError)?.code == .limitExceeded, "resizing: \(error)")
      isOverLimit = bytes > limit
      tally.overPinned += 1
    }
  }

  func handleMemoryPressure() throws(Mismatch) {
    try handleMemoryPressure([MemoryPressure.normal, .warning, .critical][random.below(3)])
  }

  func handleMemoryPressure(_ pressure: MemoryPressure) throws(Mismatch) {
    let before = tiers.memory.ledger.bytes + tiers.compressed!.ledger.bytes
    store.handleMemoryPressure(pressure)
    tally.relieved += 1
    guard pressure != .normal else {
      pausedUntil = nil
      return
    }
    pausedUntil = now + Duration.seconds(60).nanoseconds
    try expect(store.mover.queue.waitingCount == 0, "chunks wait to be moved under pressure")
    // Segments of what was found are still read from.
    guard holdings.isEmpty, loading.isEmpty, !isNested else { return }
    let statistics = tiers.memory.counts()
    // Pinned pieces stay below, too, in segments of their own.
    let stays =
      statistics.pinnedBytes + tiers.memory.ledger.metadataBytes + statistics.reservedBytes
      + (pressure == .critical && tiers.compressed!.counts().blocks > 0 ? tiers.compressed!.ledger.bytes : 0)
    let below = store.sources.all.contains { !$0.entry.pinned.isEmpty }
    try expect(
      pressure != .critical || below || tiers.compressed!.counts().blocks == 0,
      "pieces are left under pressure, though nothing is pinned")
    let after = statistics.bytes + tiers.compressed!.ledger.bytes
    if pressure == .critical {
      try expect(after == stays, "\(after) bytes are left under pressure, though \(stays) must stay")
    } else {
      // What is pinned below stays whatever the pressure is.
      let pinnedBelow = below ? tiers.compressed!.ledger.bytes : 0
      try expect(
        after <= max(before / 2, stays + pinnedBelow), "\(after) bytes are left of \(before) under pressure")
    }
  }

  // MARK: pins and metadata

  func pin() throws(Mismatch) {
    // Seldom: else the store would soon be full of pinned blocks.
    guard random.below(3) == 0 else { return unpinAll() }
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let range = anyRange(of: kept[index])
    let version = kept[index].version
    do { try store.pin(range, of: versions[version].description) } catch {
      throw Mismatch(description: "pinning: \(error)")
    }
    for unit in units(range) { versions[version].isPinned[unit] = true }
  }

  func unpin() {
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let range = anyRange(of: kept[index])
    store.unpin(range, of: versions[kept[index].version].description)
    for unit in units(range) { versions[kept[index].version].isPinned[unit] = false }
  }

  private func unpinAll() {
    let version = current[random.below(3)]
    store.unpin(0..<versions[version].description.byteCount, of: versions[version].description)
    for unit in versions[version].isPinned.indices { versions[version].isPinned[unit] = false }
  }

  func isPinned(_ index: Int, _ block: Int) -> Bool {
    let isPinned = versions[kept[index].version].isPinned
    return units(kept[index].token.grid.range(of: block, in: isPinned.count * Self.unit)).contains { isPinned[$0] }
  }

  func setMetadata() throws(Mismatch) {
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let version = kept[index].version
    let metadata = random.below(2) == 0 ? nil : Bytes(random.array(random.below(random.below(8) == 0 ? 9000 : 200)))
    do {
      try store.setMetadata(metadata, of: versions[version].description)
      versions[version].metadata = metadata
    } catch {
      try expect((error as? ReadError)?.code == .limitExceeded, "metadata: \(error)")
    }
  }

  // MARK: asking

  func askForContents() throws(Mismatch) {
    let index = anyKept()
    let version = kept[index].version
    let description = versions[version].description
    if kept[index].isAlive {
      try expect(store.metadata(of: description) == versions[version].metadata, "other metadata")
    }
    let range = anyRange(of: kept[index])
    let hits = store.mover.counts().hits
    let isThere = store.contains(range, of: description)
    var isFound = false
    for other in tokens(of: version) where !isFound {
      let found = try lookUp(range, other)
      touch(range, other)
      isFound = found.gaps.isEmpty
    }
    // What is taken back up on its way may push others out, and those down.
    guard store.mover.counts().hits == hits else { return }
    try expect(isThere == isFound, "\(range) is said to be here: \(isThere), but is not")
  }
}
