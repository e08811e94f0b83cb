import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// Limits, pins, metadata, and what the store says of its contents.
extension MemoryModel {
  mutating func trim() async throws(Mismatch) {
    let size = random.below(limit)
    let before = store.counts()
    do { try await store.trim(to: .bytes(size)) } catch { throw Mismatch(description: "trimming: \(error)") }
    try takeEvictions(since: before.evictions)
    let after = store.counts().bytes
    try expect(after <= size || after == before.pinnedBytes + metadataBytes + outstanding.bytes, "\(after) left")
    tally.shrunk += 1
  }

  mutating func resize() async throws(Mismatch) {
    let new = (500 + random.below(4000)) * scale
    let before = store.counts()
    let stays = before.pinnedBytes + metadataBytes
    let fits = stays + outstanding.bytes <= new
    // It would wait for what is reserved, and nobody else is here to give it back.
    if !fits, stays <= new { return }
    var code: ReadError.Code?
    do { try await store.resize(to: .bytes(new)) } catch { code = (error as? ReadError)?.code }
    try expect(code == (fits ? nil : .limitExceeded), "resizing to \(new) with \(stays) pinned: \(code as Any)")
    try takeEvictions(since: before.evictions)
    tally.shrunk += 1
    if fits {
      limit = new
      highestLimit = max(highestLimit, new)
      isOverLimit = false
    } else {
      // The limit is as it was.
      tally.overPinned += 1
    }
  }

  mutating func handleMemoryPressure() throws(Mismatch) {
    let pressure = [MemoryPressure.normal, .warning, .critical][random.below(3)]
    let before = store.counts()
    store.handleMemoryPressure(pressure)
    try takeEvictions(since: before.evictions)
    let after = store.counts()
    let stays = after.pinnedBytes + metadataBytes + outstanding.bytes
    switch pressure {
    case .normal: try expect(after == before, "something went without pressure")
    case .warning: try expect(after.bytes <= max(before.bytes / 2, stays), "\(after.bytes) left of \(before.bytes)")
    case .critical: try expect(after.bytes == stays, "\(after.bytes) left, though \(stays) must stay")
    }
  }

  // MARK: what is evicted

  /// Takes what the store says it evicted out of the model.
  mutating func take(_ evicted: [Chunk]) throws(Mismatch) {
    for chunk in evicted {
      let index = Int(chunk.token.number) - 1
      try expect(!isPinned(index, chunk.block), "pinned block \(chunk.block) was evicted")
      var bits: UInt64 = 0
      for piece in chunk.pieces {
        for part in parts(of: piece.range, chunk.token.grid) { bits |= part.bits }
        try expect(piece.bytes == content(piece.range, index), "a wrong byte in what was evicted")
      }
      try expect(bits == kept[index].blocks[chunk.block], "evicted \(bits) of \(kept[index].blocks[chunk.block])")
      kept[index].blocks[chunk.block] = 0
    }
    tally.evicted += evicted.count
  }

  /// Takes out of the model what is not there any more, where the store says only how many chunks it evicted.
  mutating func takeEvictions(since before: Int) throws(Mismatch) {
    let entries = MemoryRecount(store).entries
    var missing = 0
    for index in kept.indices {
      for block in kept[index].blocks.indices where kept[index].blocks[block] != 0 {
        let isThere = entries.contains { $0.token === kept[index].token && $0.block == block }
        guard !isThere else { continue }
        try expect(!isPinned(index, block), "pinned block \(block) was evicted")
        kept[index].blocks[block] = 0
        missing += 1
      }
    }
    let evictions = store.counts().evictions - before
    try expect(missing == evictions, "\(evictions) were evicted, but \(missing) are missing")
    tally.evicted += missing
  }

  // MARK: pins and metadata

  mutating func pin() throws(Mismatch) {
    // Often nothing: else the store would soon be full of pinned blocks.
    guard random.below(3) == 0 else { return try unpinAll() }
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let range = anyRange(of: kept[index])
    let version = kept[index].version
    do { try store.pin(range, of: versions[version].description) } catch {
      throw Mismatch(description: "pinning: \(error)")
    }
    for place in units(range) { versions[version].isPinned[place] = true }
  }

  mutating func unpin() throws(Mismatch) {
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let range = anyRange(of: kept[index])
    store.unpin(range, of: versions[kept[index].version].description)
    for place in units(range) { versions[kept[index].version].isPinned[place] = false }
  }

  private mutating func unpinAll() throws(Mismatch) {
    let version = current[random.below(3)]
    store.unpin(0..<versions[version].description.byteCount, of: versions[version].description)
    for place in versions[version].isPinned.indices { versions[version].isPinned[place] = false }
  }

  private func units(_ range: ByteRange) -> Range<Int> { range.lowerBound / unit..<range.upperBound / unit }

  mutating func setMetadata() throws(Mismatch) {
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let version = kept[index].version
    let metadata = random.below(3) == 0 ? nil : Bytes(random.array(random.below(random.below(8) == 0 ? limit : 100)))
    let charge = metadata.map { MemoryStore.charge(of: $0.count) } ?? 0
    let pinned = MemoryRecount(store).pinnedBytes
    let fits = charge == 0 || charge <= limit / 2 && pinned + metadataBytes + outstanding.bytes + charge <= limit
    let before = store.counts().evictions
    var code: ReadError.Code?
    do { try store.setMetadata(metadata, of: versions[version].description) } catch {
      code = (error as? ReadError)?.code
    }
    try expect(code == (fits ? nil : .limitExceeded), "\(charge) bytes of metadata: \(code as Any)")
    try takeEvictions(since: before)
    if fits { (versions[version].metadata, versions[version].metadataCharge) = (metadata, charge) }
  }

  // MARK: asking

  mutating func askForContents() throws(Mismatch) {
    let version = kept[anyKept()].version
    let description = versions[version].description
    let range = random.range(within: versions[version].units)
    var isThere = Array(repeating: false, count: versions[version].units)
    // On one grid: no reader finds the parts of two together.
    var isAll = false
    for index in tokens(of: version) {
      var isHere = isThere.map { _ in false }
      let perBlock = kept[index].token.grid.blockSize / unit
      for (block, bits) in kept[index].blocks.enumerated() where bits != 0 && !isExpired(index, block) {
        for place in 0..<min(perBlock, isThere.count - block * perBlock) where bits >> UInt64(place) & 1 == 1 {
          isHere[block * perBlock + place] = true
        }
      }
      isThere = zip(isThere, isHere).map { $0 || $1 }
      isAll = isAll || range.allSatisfy { isHere[$0] }
    }
    let expected = ByteRanges.normalize(
      range.lazy.filter { isThere[$0] }.map { $0 * unit..<($0 + 1) * unit } as [ByteRange])
    let bytes = range.lowerBound * unit..<range.upperBound * unit
    let found = store.cachedRanges(of: description, within: bytes)
    try expect(found == expected, "\(found) are cached, not \(expected)")
    try expect(store.contains(bytes, of: description) == isAll || range.isEmpty, "\(range) is there: \(!isAll)")
    try expect(store.metadata(of: description) == versions[version].metadata, "other metadata")
  }
}
