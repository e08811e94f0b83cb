extension S3FIFO {
  /// Returns the oldest chunk that was not read enough to stay: from main if main exceeds its share, else from the
  /// small queue.
  package mutating func evict() -> Int? { evict(.none) }

  /// - Parameter reads: reads that were noted elsewhere.
  mutating func evict(_ reads: SlotReads) -> Int? {
    if hasSketch { sketch.fit(count) }
    isFilling = false
    looks = 0
    if parameters.promotion == .frequency { return evictRarest(reads) }
    let isClock = parameters.promotion == .always
    let threshold = parameters.threshold
    var isMain = mainWeight > mainTarget
    while let slot = oldest(&isMain) {
      looks += 1
      let uses = usesOf(slot, reads)
      let isEnough = isMain ? uses > 0 : uses >= threshold
      countUses(slot, uses)
      guard isEnough, looks < Self.mostLooks else { return leave(slot) }
      moveToMain(slot, uses: isMain && !isClock ? uses - 1 : 0)
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
  /// was read less often. While main has room, what was read more than once moves there without that.
  private mutating func evictRarest(_ reads: SlotReads) -> Int? {
    while count > 0 {
      looks += 1
      let isLast = looks == Self.mostLooks
      let oldest = queues.oldest(in: Self.main)
      let newcomer = queues.oldest(in: Self.small)
      let isMainFull = mainWeight + (newcomer.map { Int(details[$0].weight) } ?? 0) > mainTarget
      if let oldest, isMainFull || newcomer == nil {
        let uses = usesOf(oldest, reads)
        if uses > 0, !isLast {
          countUses(oldest, uses)
          moveToMain(oldest, uses: uses - 1)
          continue
        }
        guard let newcomer, mainWeight <= mainTarget else { return leave(oldest) }
        countUses(newcomer, usesOf(newcomer, reads))
        if frequency(newcomer) > frequency(oldest) {
          moveToMain(newcomer, uses: 0)
          return leave(oldest)
        }
        return leave(newcomer)
      }
      guard let newcomer else { return nil }
      let uses = usesOf(newcomer, reads)
      countUses(newcomer, uses)
      guard uses > 0 || frequency(newcomer) > 1, !isLast else { return leave(newcomer) }
      moveToMain(newcomer, uses: 0)
    }
    return nil
  }

  /// The uses of a chunk, with those that were noted elsewhere since it was last asked.
  private mutating func usesOf(_ slot: Int, _ reads: SlotReads) -> UInt8 {
    let uses = min(Mark.uses, marks[slot] & Mark.uses + reads.take(slot))
    marks[slot] = marks[slot] & ~Mark.uses | uses
    return uses
  }

  private func frequency(_ slot: Int) -> Int { sketch.frequency(of: details[slot].fingerprint) }

  /// Reads are counted here and when a chunk is stored, not when they happen: several of them count as one.
  private mutating func countUses(_ slot: Int, _ uses: UInt8) {
    if hasSketch, uses > 0 { sketch.add(details[slot].fingerprint) }
  }

  private mutating func leave(_ slot: Int) -> Int {
    if marks[slot] & Mark.isInMain == 0 { ghost.insert(details[slot].fingerprint, limit: count * 9 / 10) }
    remove(slot)
    return slot
  }
}
