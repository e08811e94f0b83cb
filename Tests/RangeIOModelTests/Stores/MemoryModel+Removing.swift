import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// Removals, versions and time.
extension MemoryModel {
  mutating func removeRange() throws(Mismatch) {
    let index = anyKept()
    let range = anyRange(of: kept[index])
    store.remove(range, of: versions[kept[index].version].description)
    for other in tokens(of: kept[index].version) {
      kept[other].generation += 1
      for block in kept[other].token.grid.blocks(covering: range) { kept[other].blocks[block] = 0 }
    }
  }

  mutating func removeSource() throws(Mismatch) {
    let source = random.below(3)
    store.remove(source: "source \(source)")
    for version in versions.indices where versions[version].source == source { empty(version) }
  }

  /// Forgets all that is kept of a version that has tokens, and what the user left with it.
  private mutating func empty(_ version: Int) {
    let tokens = tokens(of: version)
    for index in tokens {
      kept[index].generation += 1
      for block in kept[index].blocks.indices { kept[index].blocks[block] = 0 }
    }
    if !tokens.isEmpty { forgetWhatIsKept(version) }
  }

  private mutating func forgetWhatIsKept(_ version: Int) {
    versions[version].isPinned = Array(repeating: false, count: versions[version].units)
    versions[version].metadata = nil
    versions[version].metadataCharge = 0
  }

  mutating func removeAll() async throws(Mismatch) {
    guard removal == nil else { return }
    let recount = MemoryRecount(store)
    let whole = store.remove(.everything)
    for version in versions.indices { empty(version) }
    try expect(store.counts().removedBytes == recount.bytes, "not all of \(recount.bytes) bytes are removed")
    removal = Removal(steps: whole.makeAsyncIterator(), whole: whole)
    if random.below(3) == 0 { removal = nil }
  }

  /// Goes on with a removal, or gives the rest of it back at once.
  mutating func stepRemoval() async throws(Mismatch) {
    guard var current = removal else { return }
    removal = nil
    guard random.below(4) > 0 else { return }
    // Less than it was at first, if others have wanted the room.
    let total = store.counts().removedBytes
    let before = store.counts().bytes
    guard let progress = await current.steps.next(isolation: #isolation) else {
      return try expect(total == 0, "a removal ended with \(total) bytes left")
    }
    let freed = before - store.counts().bytes
    try expect(freed >= 0 && freed <= total && progress.removedBytes <= progress.totalBytes, "\(progress)")
    try expect(progress.totalBytes - progress.removedBytes == total - freed, "\(progress) is not what is left")
    removal = current
    tally.removalSteps += 1
  }

  // MARK: versions

  mutating func addVersion(of source: Int) {
    let units = 40 + random.below(isFragmented ? 100 : unit == 1 ? 300 : 100)
    let description = SourceDescription(
      id: "source \(source)", validator: ModelValidator(number: versions.count), byteCount: units * unit,
      preferredBlockSize: .bytes(64 * unit))
    versions.append(
      Version(
        source: source, description: description,
        content: SyntheticSource.bytes(0..<units * unit, version: UInt64(versions.count)), units: units,
        isPinned: Array(repeating: false, count: units)))
    if source < current.count { current[source] = versions.count - 1 } else { current.append(versions.count - 1) }
    for grid in 0..<(isFragmented ? 1 : 1 + random.below(2)) {
      let isRead = random.below(2) == 0
      let grid = BlockGrid(blockSize: [64, 16][grid] * unit)!
      let (token, retired) = store.sources.token(for: description, grid: grid, reading: isRead)
      let count = (units * unit + grid.blockSize - 1) / grid.blockSize
      kept.append(
        Kept(
          token: token, version: versions.count - 1, isRead: isRead, blocks: Array(repeating: 0, count: count),
          births: Array(repeating: 0, count: count)))
      for token in retired { retire(token) }
    }
  }

  /// A reader of an older version ends, or one of the current version, which stays.
  mutating func endReading() throws(Mismatch) {
    let read = kept.indices.filter { kept[$0].isRead && kept[$0].isAlive }
    guard !read.isEmpty else { return }
    let index = read[random.below(read.count)]
    guard current[versions[kept[index].version].source] != kept[index].version else { return }
    let isRetired = store.sources.endReading(kept[index].token)
    try expect(isRetired, "an old version that nobody reads any more stays")
    retire(kept[index].token)
  }

  private mutating func retire(_ token: ChunkToken) {
    let index = Int(token.number) - 1
    kept[index].isAlive = false
    kept[index].generation += 1
    store.erase(.retired(token))
    for block in kept[index].blocks.indices { kept[index].blocks[block] = 0 }
    // What the user left belongs to the version, which may have another grid that is still read.
    if tokens(of: kept[index].version).isEmpty { forgetWhatIsKept(kept[index].version) }
  }

  /// The tokens of a version that are alive.
  func tokens(of version: Int) -> [Int] { kept.indices.filter { kept[$0].version == version && kept[$0].isAlive } }

  // MARK: time

  mutating func letTimePass() throws(Mismatch) {
    guard let age else { return }
    clock.advance(by: .nanoseconds(random.below(Int(age) + 1)))
    // Else what has expired stays until it is looked up.
    guard random.below(2) == 0 else { return }
    store.change(.expire)
    for index in kept.indices {
      for block in kept[index].blocks.indices where isExpired(index, block) {
        kept[index].blocks[block] = 0
        tally.expired += 1
      }
    }
  }
}
