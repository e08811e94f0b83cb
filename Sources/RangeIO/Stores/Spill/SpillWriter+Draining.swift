import SystemPackage

/// Freeing segments: which one, and which of its records are copied. The rules and their numbers are in
/// `Docs/Decisions/0017-spill-eviction.md`.
extension SpillWriter {
  /// A segment with a live share below this is freed before all others.
  static let emptyBelow = 0.2
  /// A segment is spared, once, if this share of it was read since it was written. This needs no copying.
  static let sparedFrom = 0.5
  /// The share of the segments that may be spared before one is freed.
  static let mostSpared = 0.125
  /// Records that were read this often are copied.
  static let hitsToCopy = 2
  /// The share of a segment that may be copied when one is freed.
  static let mostCopied = 0.25

  struct Victim {
    let place: UInt32
    /// Segments that would have been freed before it, but were spared.
    var spared: Set<UInt32> = []
    /// Whether all its live records are copied, so that nothing is evicted.
    var isMerged = false
  }

  /// Frees a segment. Its space is available when its last reader releases it.
  ///
  /// - Parameter copying: whether blocks that were read are copied to the open segment.
  /// - Returns: whether there was one.
  func drainSegment(copying: Bool, _ store: SpillStore) throws(Trouble) -> Bool {
    guard let victim = chooseVictim(store) else { return try dropLeftOut(store) }
    try drain(victim, copying, store)
    return true
  }

  /// Removes the oldest segment if it is one that could not be read: no other segment may go that is needed for it.
  ///
  /// - Returns: whether there was one.
  private func dropLeftOut(_ store: SpillStore) throws(Trouble) -> Bool {
    let oldest = store.state.withLock { state -> UInt64? in
      guard let oldest = state.unread.keys.min(), oldest < state.oldestSegment ?? .max else { return nil }
      return oldest
    }
    guard let oldest else { return false }
    do throws(Errno) {
      goOn(store)
      try directory.remove(SpillFormat.segmentName(oldest))
      hasUnsyncedNames = true
    } catch {
      // A file that cannot be read may also not be removable.
      guard error == .noSuchFileOrDirectory else { return false }
    }
    ledger.give(store.state.withLock { $0.unread.removeValue(forKey: oldest) ?? 0 })
    return true
  }

  /// - Returns: false if it stays, since the open segment has no room for what must not be lost.
  @discardableResult func drain(_ victim: Victim, _ copying: Bool, _ store: SpillStore) throws(Trouble) -> Bool {
    var segment = store.state.withLock { $0.places[Int(victim.place)]!.segment }
    do throws(Trouble) {
      let locals = open?.locals ?? [:]
      let carried = store.state.withLock { $0.spaceToCarry(victim.place, beside: locals) }
      // Copied records leave room for it.
      reserved += carried
      defer { reserved -= carried }
      guard try copyOn(victim, segment, copying, store) else {
        store.state.withLock { $0.places[Int(victim.place)]?.isDraining = false }
        return false
      }
      reserved -= carried
      defer { reserved += carried }
      try carryTombstones(of: victim, store)
      // Unlinked before it is forgotten: a file that cannot be removed will be found again later, and must stay known
      // until then.
      try unlink(segment, store)
      // Durable before another segment goes: a power loss must not bring this one back after its tombstones are gone.
      if configuration.durability != .none { try syncNames(store) }
    } catch {
      store.state.withLock { $0.places[Int(victim.place)]?.isDraining = false }
      throw error
    }
    var evicted = 0
    var next: Int? = 1
    while let first = next {
      let step = store.state.withLock { state in
        let step = state.sweep(from: first) { $0.segment == victim.place }
        if step.next == nil {
          state.places[Int(victim.place)] = nil
          state.counts.segmentsFreed += 1
          state.isFull = state.isFull || !victim.isMerged
        }
        return step
      }
      evicted += step.removed
      next = step.next
    }
    store.state.withLock { $0.counts.evictions += evicted }
    store.sweepSources()
    // Its room is available at once, unless a reader holds it.
    if isKnownUniquelyReferenced(&segment) { segment.end() }
    return true
  }

  /// Removes the file of a segment. Its space is available when its last reader releases it.
  func unlink(_ segment: SpillSegment, _ store: SpillStore) throws(Trouble) {
    do throws(Errno) {
      goOn(store)
      try directory.remove(SpillFormat.segmentName(segment.number))
      hasUnsyncedNames = true
      segment.isGone()
    } catch {
      // Another process may have removed it.
      guard error == .noSuchFileOrDirectory else { throw .failed(error) }
    }
  }

  private func chooseVictim(_ store: SpillStore) -> Victim? {
    // The room for tombstones that must be copied from a segment. Without an open segment there is nowhere to copy them
    // to. They must not fill a new one, or making room would gain nothing. Then an older segment goes, for which they
    // are needed.
    var room = 0
    if let open {
      let left = configuration.segmentBytes - open.position - filled - gatheredBytes - open.closingCount - reserved
      room = max(0, min(left, configuration.segmentBytes / 2))
    }
    let locals = open?.locals ?? [:]
    return store.state.withLock { state in
      var candidates = state.places.indices.filter { index in
        guard state.places[index]?.isSealed == true, !state.places[index]!.isDraining,
          state.spaceToCarry(UInt32(index), beside: locals, upTo: room) <= room
        else { return false }
        // A segment in use by a reader gives no room now. A read takes its reference under this lock.
        return isKnownUniquelyReferenced(&state.places[index]!.segment)
      }
      guard !candidates.isEmpty else { return nil }
      func share(_ bytes: Int, _ index: Int) -> Double { Double(bytes) / Double(max(1, state.places[index]!.length)) }
      let emptiest = candidates.min { a, b in
        share(state.places[a]!.liveBytes, a) < share(state.places[b]!.liveBytes, b)
      }!
      var spared: Set<UInt32> = []
      var chosen = emptiest
      if share(state.places[emptiest]!.liveBytes, emptiest) >= Self.emptyBelow {
        candidates.sort { state.places[$0]!.rank < state.places[$1]!.rank }
        let most = max(1, Int(Double(candidates.count) * Self.mostSpared))
        let worthy = candidates.prefix(most).prefix { share(state.places[$0]!.hitBytes, $0) >= Self.sparedFrom }
        for index in worthy {
          state.lastRank += 1
          state.places[index]!.rank = state.lastRank
          spared.insert(UInt32(index))
        }
        // If all were spared, the oldest of them.
        chosen = worthy.count < candidates.count ? candidates[worthy.count] : candidates[0]
        spared.remove(UInt32(chosen))
      }
      state.places[chosen]!.isDraining = true
      return Victim(place: UInt32(chosen), spared: spared)
    }
  }

  /// Copies blocks that were read often to the open segment, as far as there is room, and takes one hit from each
  /// record of the spared segments. One walk through the index, in parts, each with one lock.
  ///
  /// - Returns: whether everything was copied that must be.
  private func copyOn(
    _ victim: Victim, _ segment: SpillSegment, _ copying: Bool, _ store: SpillStore
  ) throws(Trouble) -> Bool {
    let leastHits = victim.isMerged ? 0 : Self.hitsToCopy
    var survivors: [SpillTable.Record] = []
    var next: Int? = 1
    while let first = next {
      next = store.state.withLock { state -> Int? in
        let end = min(first + SpillState.sweptAtOnce, state.table.slotsUsed)
        for slot in UInt32(first)..<UInt32(max(first, end)) where state.table[slot].isUsed {
          let record = state.table[slot]
          if record.segment == victim.place {
            if record.hits >= leastHits { survivors.append(record) }
          } else if !victim.spared.isEmpty, victim.spared.contains(record.segment) {
            state.spendHit(slot)
          }
        }
        return end < state.table.slotsUsed ? end : nil
      }
    }
    if victim.isMerged { return try copy(survivors.sorted { $0.offset < $1.offset }, from: segment, store) }
    // What waits to be written is more urgent.
    let isBehind = isBehind(store)
    survivors.sort { ($0.hits, $1.offset) > ($1.hits, $0.offset) }
    var room = copying && !isBehind ? Int(Double(configuration.segmentBytes) * Self.mostCopied) : 0
    let chosen = survivors.prefix { record in
      room -= record.span
      return room >= 0
    }
    // Blocks that were read but must go are remembered, for when they come again.
    store.state.withLock { state in
      for record in survivors.dropFirst(chosen.count) {
        let key = SpillTable.ghostKey(check: state.sources[record.source].check, block: record.block)
        state.ghost.insert(Ghost.fingerprint(of: key), limit: max(16, state.table.count))
      }
    }
    _ = try copy(chosen.sorted { $0.offset < $1.offset }, from: segment, store)
    return true
  }

  /// Whether so much waits to be written that it is more urgent than copying.
  func isBehind(_ store: SpillStore) -> Bool {
    store.state.withLock { $0.staging.waitingBytes > $0.staging.limit / 2 }
  }

  /// - Returns: false if the open segment had no room for all of them.
  private func copy(
    _ survivors: [SpillTable.Record], from segment: SpillSegment, _ store: SpillStore
  ) throws(Trouble) -> Bool {
    guard !survivors.isEmpty else { return true }
    var isComplete = true
    var window: SpillWindow?
    for old in survivors {
      let start = SpillFormat.recordHeaderCount
      let bytes: UnsafeRawBufferPointer?
      goOn(store)
      do throws(Errno) {
        if window == nil { window = SpillWindow(try segment.file()) }
        bytes = try window!.bytes(old.offset, start + Int(old.stored))
      } catch {
        if error.isShortageOfDescriptors { throw .failed(error) }
        // One bad place must not keep its segment from being freed, and so block everything that waits to be written.
        let failure = ReadError.errno(error, "read a spill file", .init(source: configuration.directory))
        store.state.withLock { state in
          state.lastFailure = failure
          state.counts.readErrors += 1
        }
        break
      }
      guard let bytes, let header = SpillRecord(bytes, segmentCheck: segment.check), header.kind == .chunk,
        header.stored == old.stored, header.block == UInt64(old.block),
        CRC32C.of(bytes.part(start, Int(old.stored))) == header.payloadCheck,
        store.state.withLock({ header.identityCheck == $0.sources[old.source].check })
      else {
        store.state.withLock { $0.counts.damaged += 1 }
        continue
      }
      isComplete = try append(copyOf: old, header, bytes.part(start, Int(old.stored)), store)
      if !isComplete { break }
    }
    try flush(store)
    return isComplete
  }

  /// Copies the tombstones that an older segment may need.
  private func carryTombstones(of victim: Victim, _ store: SpillStore) throws(Trouble) {
    let needed = store.state.withLock { $0.neededTombstones(of: victim.place) }
    guard !needed.isEmpty else { return }
    for tombstone in needed {
      try appendTombstone(tombstone.slot, tombstone.blocks, bound: tombstone.bound, store)
    }
    try flush(store)
    // Before the segment with the originals is removed.
    if configuration.durability != .none { try sync(store) }
  }
}

extension SpillState {
  /// The tombstones of a segment that an older one may need.
  fileprivate func neededTombstones(
    of place: UInt32
  ) -> [(slot: Int, blocks: Range<UInt64>, bound: UInt64)] {
    guard let victim = places[Int(place)], !victim.tombstones.isEmpty else { return [] }
    // The contents of a segment that could not be read are not known.
    if unread.keys.contains(where: { $0 < victim.segment.number }) { return victim.tombstones }
    let older = places.compactMap { $0 }.filter { $0.segment.number < victim.segment.number }
    return victim.tombstones.filter { tombstone in older.contains { $0.locals[tombstone.slot] != nil } }
  }
}

extension SpillState {
  /// The space that a segment's tombstones take in another segment to which they are copied.
  ///
  /// - Parameters:
  ///   - locals: the sources that are known there.
  ///   - most: if they take more than this, tombstones that say the same are merged.
  fileprivate mutating func spaceToCarry(
    _ place: UInt32, beside locals: [Int: UInt32], upTo most: Int = .max
  ) -> Int {
    let space = space(of: neededTombstones(of: place), beside: locals)
    guard space > most, mergeTombstones(of: place) else { return space }
    return self.space(of: neededTombstones(of: place), beside: locals)
  }

  private func space(
    of tombstones: [(slot: Int, blocks: Range<UInt64>, bound: UInt64)], beside locals: [Int: UInt32]
  ) -> Int {
    let one = SpillFormat.recordCount(payload: SpillFormat.tombstoneCount) + SpillFooter.tombstoneCount
    let unknown = Set(tombstones.lazy.map(\.slot)).filter { locals[$0] == nil }
    return unknown.reduce(tombstones.count * one) { sum, slot in
      let identity = SpillFormat.padded(sources[slot].identity.bytes.count)
      return sum + SpillFormat.recordHeaderCount + identity + 8 + identity
    }
  }

  /// Merges those of a segment's tombstones that say the same.
  ///
  /// - Returns: whether there are fewer now.
  private mutating func mergeTombstones(of place: UInt32) -> Bool {
    let all = places[Int(place)]!.tombstones
    var bySlot: [Int: SpillRemovedBlocks] = [:]
    for tombstone in all { bySlot[tombstone.slot, default: .init()].add(tombstone.blocks, bound: tombstone.bound) }
    let merged = bySlot.flatMap { slot, removed in
      removed.lists.reduce([]) { SpillRemovedBlocks.merge($0, $1) }
        .map { (slot: slot, blocks: $0.blocks, bound: $0.bound) }
    }
    guard merged.count < all.count else { return false }
    places[Int(place)]!.tombstones = merged
    return true
  }
}

/// Reads a segment from start to end, one megabyte at a time.
struct SpillWindow {
  private let file: any SpillFile
  private var buffer: WritableBytes?
  private var start = 0
  private var count = 0

  init(_ file: any SpillFile) { self.file = file }

  /// This many bytes from an offset; `nil` if the segment ends before. Valid until the next call.
  mutating func bytes(_ offset: Int, _ wanted: Int) throws(Errno) -> UnsafeRawBufferPointer? {
    if offset < start || offset + wanted > start + count {
      let size = max(wanted, 1 << 20)
      if (buffer?.capacity ?? 0) < size {
        buffer = nil
        guard let fresh = try? BufferPool.shared.buffer(size) else { throw .noMemory }
        buffer = fresh
      }
      start = offset
      count = 0
      count = try file.read(into: buffer!.memory.part(0, size), at: offset)
    }
    guard offset + wanted <= start + count else { return nil }
    return UnsafeRawBufferPointer(buffer!.memory.part(offset - start, wanted))
  }
}
