extension S3FIFO {
  /// Returns the oldest chunk that was not read enough to stay: from main if main exceeds its share, else from the
  /// small queue.
  package mutating func evict() -> Int? { evict(.none) }

  /// - Parameter notes: those of the table whose chunks these are.
  mutating func evict(_ notes: SlotNotes) -> Int? {
    if hasSketch { sketch.fit(count) }
    isFilling = false
    heldWhenFull = held
    looks = 0
    if case .frequency(let lead) = parameters.promotion { return evictRarest(lead, notes) }
    let isClock = parameters.promotion == .always
    let threshold = parameters.threshold
    let mainTarget = mainTarget
    var isMain = mainWeight > mainTarget
    while let slot = oldest(&isMain) {
      looks += 1
      let uses = usesOf(slot, notes)
      let isEnough = isMain ? uses > 0 : uses >= threshold
      countUses(slot, uses, notes)
      guard isEnough, looks < Self.maxLooks else { return leave(slot, notes) }
      moveToMain(slot, uses: isMain && !isClock ? uses - 1 : 0, notes)
      if isClock { isMain = mainWeight > mainTarget }
    }
    return nil
  }

  /// The oldest chunk of the requested queue, or of the other if that one is empty.
  private func oldest(_ isMain: inout Bool) -> Int? {
    if let slot = queues.oldest(in: isMain ? Self.main : Self.small) { return slot }
    isMain.toggle()
    return queues.oldest(in: isMain ? Self.main : Self.small)
  }

  /// Compares the oldest chunk of the small queue with the oldest of main that was not read, and returns the one that
  /// was read less often, or the newcomer unless it leads by more than `lead`. While main has room, what was read more
  /// than once moves there without that.
  private mutating func evictRarest(_ lead: UInt8, _ notes: SlotNotes) -> Int? {
    let mainTarget = mainTarget
    while count > 0 {
      looks += 1
      let isLast = looks == Self.maxLooks
      let oldest = queues.oldest(in: Self.main)
      let newcomer = queues.oldest(in: Self.small)
      let isMainFull = mainWeight + (newcomer.map { Int(facts($0, notes).weight) } ?? 0) > mainTarget
      if let oldest, isMainFull || newcomer == nil {
        let uses = usesOf(oldest, notes)
        if uses > 0, !isLast {
          countUses(oldest, uses, notes)
          moveToMain(oldest, uses: uses - 1, notes)
          continue
        }
        guard let newcomer, mainWeight <= mainTarget else { return leave(oldest, notes) }
        countUses(newcomer, usesOf(newcomer, notes), notes)
        if frequency(newcomer, notes) > frequency(oldest, notes) + Int(lead) {
          moveToMain(newcomer, uses: 0, notes)
          return leave(oldest, notes)
        }
        return leave(newcomer, notes)
      }
      guard let newcomer else { return nil }
      let uses = usesOf(newcomer, notes)
      countUses(newcomer, uses, notes)
      guard uses > 0 || frequency(newcomer, notes) > 1, !isLast else { return leave(newcomer, notes) }
      moveToMain(newcomer, uses: 0, notes)
    }
    return nil
  }

  /// The uses of a chunk, with the uses noted elsewhere since the last call.
  private mutating func usesOf(_ slot: Int, _ notes: SlotNotes) -> UInt8 {
    let uses = min(Mark.uses, marks[slot] & Mark.uses + notes.takeReads(slot))
    marks[slot] = marks[slot] & ~Mark.uses | uses
    return uses
  }

  private func frequency(_ slot: Int, _ notes: SlotNotes) -> Int {
    sketch.frequency(of: facts(slot, notes).fingerprint)
  }

  /// Reads are counted here and when a chunk is stored, not when they happen: several of them count as one.
  private mutating func countUses(_ slot: Int, _ uses: UInt8, _ notes: SlotNotes) {
    if hasSketch, uses > 0 { sketch.add(facts(slot, notes).fingerprint) }
  }

  private mutating func leave(_ slot: Int, _ notes: SlotNotes) -> Int {
    if marks[slot] & Mark.isInMain == 0 { ghost.insert(facts(slot, notes).fingerprint, limit: count * 9 / 10) }
    remove(slot, notes)
    return slot
  }
}
