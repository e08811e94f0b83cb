import RangeIO
import SystemPackage

/// Freeing segments: does what ``SpillReclaimer`` decides.
extension SpillWriter {
  /// Frees a segment, and if `copying` copies blocks that were read to the open one. Returns whether there was one. Its
  /// space is available when its last reader releases it.
  func freeSegment(copying: Bool) throws(SpillTrouble) -> Bool {
    // What is of no use goes first.
    if dropOutdated() || dropLeftOut() { return true }
    guard let victim = chooseVictim() else { return false }
    try free(victim, copying: copying)
    return true
  }

  /// Merges the smallest segments into the open one while there are too many.
  func mergeSmallest() throws(SpillTrouble) {
    while !isBehind, let victim = chooseVictimToMerge() {
      guard try free(victim, copying: true) else { return }
    }
  }

  /// Frees the segments that could not be made durable, so that a flush that succeeds holds for all that the index has.
  func freeLost() throws(SpillTrouble) {
    for number in appender.unsynced.lost {
      let (victim, isBeingFreed) = core.state.withLock { state -> (SpillReclaimer.Victim?, Bool) in
        guard let place = state.places.firstIndex(where: { $0?.segment.number == number }) else { return (nil, false) }
        guard !state.places[place]!.isDraining else { return (nil, true) }
        return (state.begin(SpillReclaimer.Victim(place: UInt32(place))), false)
      }
      // Its own freeing has come here.
      if isBeingFreed { continue }
      // Before it is freed, which comes here as well.
      appender.unsynced.lost.remove(number)
      guard let victim else { continue }
      do throws(SpillTrouble) {
        try free(victim, copying: false)
      } catch {
        appender.unsynced.lost.insert(number)
        throw error
      }
    }
  }

  // MARK: choosing

  private func chooseVictim() -> SpillReclaimer.Victim? {
    let room = reclaimer.roomForTombstones(free: appender.freeBytes - reserved)
    let fitting = segmentsToCarry(upTo: room)
    return core.state.withLock { state in
      core.hits.tellAll(&state)
      let candidates = state.places.indices.compactMap { index -> SpillReclaimer.Candidate? in
        guard let candidate = state.candidate(index), fitting.contains(candidate.place),
          // A segment in use by a reader gives no room now. A read takes its reference under this lock.
          isKnownUniquelyReferenced(&state.places[index]!.segment)
        else { return nil }
        return candidate
      }
      return state.begin(reclaimer.victim(among: candidates))
    }
  }

  private func chooseVictimToMerge() -> SpillReclaimer.Victim? {
    guard appender.open != nil else { return nil }
    let free = appender.freeBytes - reserved
    return core.state.withLock { state in
      core.hits.tellAll(&state)
      let count = state.places.count { $0 != nil }
      guard count > reclaimer.maxSegments else { return nil }
      let candidates = state.places.indices.compactMap { state.candidate($0) }
      return state.begin(reclaimer.victimToMerge(among: candidates, of: count, free: free))
    }
  }

  /// So much waits to be written that it is more urgent than copying.
  private var isBehind: Bool { core.state.withLock { $0.staging.waitingBytes > $0.staging.limit / 2 } }

  // MARK: freeing

  /// Returns false if it stays, since the open segment has no room for what must not be lost.
  @discardableResult
  private func free(_ victim: SpillReclaimer.Victim, copying: Bool) throws(SpillTrouble) -> Bool {
    var segment = core.state.withLock { $0.places[Int(victim.place)]!.segment }
    var isFreed = false
    defer { if !isFreed { core.state.withLock { $0.places[Int(victim.place)]?.isDraining = false } } }
    let tombstones = neededTombstones()[victim.place] ?? []
    guard try copyOn(victim, segment, copying: copying, beside: spaceToCarry(tombstones)) else { return false }
    try carry(tombstones)
    if core.configuration.syncsEvery != nil {
      // Copies before their originals go, also those that were made when this was tried before. Names, since tombstones go here
      // that are not needed once other files are gone.
      if appender.unsynced.hasCopies {
        try freeLost()
        try appender.sync()
      }
      if appender.unsynced.hasNames { try appender.syncNames() }
    }
    // Unlinked before it is forgotten: a file that cannot be removed will be found again later, and must stay known
    // until then.
    try unlink(segment)
    // Durable before another segment goes: a power loss must not bring this one back after its tombstones are gone.
    if core.configuration.syncsEvery != nil { try appender.syncNames() }
    isFreed = true
    forget(victim)
    // Its room is available at once, unless a reader holds it.
    if isKnownUniquelyReferenced(&segment) { segment.end() }
    return true
  }

  /// Removes the records of a segment from the index, and then its place.
  private func forget(_ victim: SpillReclaimer.Victim) {
    core.walk { state, slots, isLast in
      state.counts.evictions += state.remove(from: slots) { $0.segment == victim.place }
      guard isLast else { return }
      state.places[Int(victim.place)] = nil
      state.counts.segmentsFreed += 1
    }
    core.sweepSources()
  }

  /// Removes the file of a segment. Its space is available when its last reader releases it.
  func unlink(_ segment: SpillSegment) throws(SpillTrouble) {
    do throws(Errno) {
      if try removeFile(segment.number) { segment.isGone() }
      // There is nothing to make durable any more. Open for longer, it would keep its space if it cannot be cut.
      appender.unsynced.files.removeAll { $0.segment == segment.number }
    } catch {
      throw .failed(error)
    }
  }

  /// Returns false if there is no such file: another process may have removed it.
  private func removeFile(_ number: UInt64) throws(Errno) -> Bool {
    do throws(Errno) {
      calls.goOn()
      try core.directory.remove(SpillFormat.segmentName(number))
      appender.unsynced.hasNames = true
      return true
    } catch .noSuchFileOrDirectory {
      return false
    }
  }

  /// Removes the oldest segment if it is one that could not be read: no other segment may go that is needed for it.
  /// Returns whether there was one.
  private func dropLeftOut() -> Bool {
    let oldest = core.state.withLock { state -> UInt64? in
      guard let oldest = state.unread.keys.min(), oldest < state.oldestSegment ?? .max else { return nil }
      return oldest
    }
    // `try?`: a file that cannot be read may also not be removable.
    guard let oldest, (try? removeAlone(oldest)) != nil else { return false }
    core.ledger.give(core.state.withLock { $0.unread.removeValue(forKey: oldest) ?? 0 })
    return true
  }

  /// Removes files of an older epoch that have stayed, from the oldest on. Returns whether one has gone.
  ///
  /// - Parameter areValid: the epoch is not raised yet, or not on the disk. Then none may go after one that stays.
  @discardableResult
  func dropOutdated(areValid: Bool = false) -> Bool {
    let areValid = areValid || !isRootWritten
    var hasGone = false
    for (number, charge) in core.state.withLock({ $0.outdated }).sorted(by: { $0.key < $1.key }) {
      // `try?`: a file that stays counts, and is tried again when room is needed.
      guard (try? removeAlone(number)) != nil else {
        if areValid { break }
        continue
      }
      core.state.withLock { $0.outdated[number] = nil }
      core.ledger.give(charge)
      hasGone = true
    }
    return hasGone
  }

  /// Removes a file after what has gone before, and before what goes next: a loss of power must not change that order.
  private func removeAlone(_ number: UInt64) throws(SpillTrouble) {
    let isSyncing = core.configuration.syncsEvery != nil
    if isSyncing, appender.unsynced.hasNames { try appender.syncNames() }
    do throws(Errno) { _ = try removeFile(number) } catch { throw .failed(error) }
    if isSyncing { try appender.syncNames() }
  }

  // MARK: copying on

  /// Copies blocks that were read often to the open segment, as far as there is room, and takes one hit from each
  /// record of the spared segments. One walk through the index, in parts, each with one lock. Returns whether
  /// everything was copied that must be.
  ///
  /// - Parameter carried: the room to leave for tombstones.
  private func copyOn(
    _ victim: SpillReclaimer.Victim, _ segment: SpillSegment, copying: Bool, beside carried: Int
  ) throws(SpillTrouble) -> Bool {
    reserved += carried
    defer { reserved -= carried }
    var survey = SpillReclaimer.Survey(victim)
    var departure = SpillAdmission.Departure()
    core.walk { state, slots, _ in
      for slot in slots where state.table[slot].isUsed {
        let record = state.table[slot]
        switch survey.see(record) {
        case .spendHit: state.spendHit(slot)
        case .leave: departure.add(record, estimate: state.admission.estimate(state.rememberedKey(of: record)))
        case .stay: break
        }
      }
    }
    let room = reclaimer.roomForCopies(isCopying: copying, isBehind: isBehind)
    let (copied, forgotten) = survey.copies(room: room)
    // Blocks that were read but must go are remembered, for when they come again.
    core.state.withLock { state in
      for record in forgotten { state.admission.evicted(state.rememberedKey(of: record), among: state.table.count) }
      if !victim.isMerged { state.admission.note(departure) }
    }
    let isComplete = try copy(copied, from: segment)
    return isComplete || !victim.isMerged
  }

  /// Returns false if the open segment had no room for all of them.
  private func copy(_ survivors: [SpillTable.Record], from segment: SpillSegment) throws(SpillTrouble) -> Bool {
    guard !survivors.isEmpty else { return true }
    var isComplete = true
    var reader: SpillReader?
    for old in survivors {
      let chunk: SpillReader.Found?
      calls.goOn()
      do throws(Errno) {
        if reader == nil { reader = SpillReader(try segment.file(), check: segment.check, segment.cipher) }
        let identity = core.state.withLock { $0.sources[old.source].identity }
        chunk = try reader!.chunk(at: old.offset, stored: old.stored, of: identity)
      } catch {
        if error.isShortageOfDescriptors { throw .failed(error) }
        // One bad place must not keep its segment from being freed, and so block everything that waits to be written.
        core.note(error, "read a cache file", isWrite: false)
        break
      }
      guard let chunk, chunk.record.block == UInt64(old.block),
        core.state.withLock({ chunk.record.identityCheck == $0.sources[old.source].check })
      else {
        core.state.withLock { $0.counts.damaged += 1 }
        continue
      }
      // A segment says for all its chunks which codec of the user's they are of.
      guard chunk.record.codec < 128 || segment.codec == appender.open?.segment.codec else { continue }
      isComplete = appender.hasRoom(payload: chunk.payload.count, of: old.source, beside: reserved)
      guard isComplete else { break }
      try appender.append(copyOf: old, chunk.record, chunk.payload)
    }
    try appender.flush()
    return isComplete
  }

  private func carry(_ tombstones: [SpillState.Tombstone]) throws(SpillTrouble) {
    guard !tombstones.isEmpty else { return }
    for tombstone in tombstones { try appendTombstone(tombstone.slot, tombstone.blocks, bound: tombstone.bound) }
    try appender.flush()
    // Before the segment with the originals is removed.
    if core.configuration.syncsEvery != nil { try appender.sync() }
  }
}

extension SpillState {
  /// A segment as the reclaimer sees it; `nil` if it cannot be freed.
  fileprivate func candidate(_ index: Int) -> SpillReclaimer.Candidate? {
    // Takes no copy of the place, which would be a reference to its segment.
    guard places[index]?.isSealed == true, !places[index]!.isDraining else { return nil }
    return .init(
      place: UInt32(index), rank: places[index]!.rank, length: places[index]!.length,
      liveBytes: places[index]!.liveBytes, hitBytes: places[index]!.hitBytes)
  }

  /// Notes what was decided about a victim.
  fileprivate mutating func begin(_ victim: SpillReclaimer.Victim?) -> SpillReclaimer.Victim? {
    guard let victim else { return nil }
    for place in victim.spared {
      lastRank += 1
      places[Int(place)]!.rank = lastRank
    }
    places[Int(victim.place)]!.isDraining = true
    return victim
  }
}

extension SpillState {
  /// The key under which a block is remembered when it is evicted.
  fileprivate func rememberedKey(of record: SpillTable.Record) -> UInt64 {
    SpillTable.ghostKey(check: sources[record.source].check, block: record.block)
  }
}
