import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Removals, versions and time.
extension TieredModel {
  func removeRange() {
    let index = anyKept()
    guard kept[index].isAlive else { return }
    let range = anyRange(of: kept[index])
    store.remove(range, of: versions[kept[index].version].description)
    for other in tokens(of: kept[index].version) {
      kept[other].generation += 1
      forget(kept[other].token.grid.outward(range, in: kept[other].births.count * Self.unit), other)
    }
    tally.removals += 1
  }

  func removeSource() {
    let source = random.below(3)
    store.remove(source: "source \(source)")
    for version in versions.indices where versions[version].source == source { empty(version) }
    tally.removals += 1
  }

  func removeAll() {
    let removal = store.remove(.everything)
    for version in versions.indices { empty(version) }
    if random.below(2) == 0 { removals.append(removal) }
    tally.removals += 1
  }

  func endRemovals() { removals = [] }

  private func forget(_ range: ByteRange, _ index: Int) {
    for unit in units(range) { kept[index].births[unit] = Self.none }
  }

  /// Forgets all that is kept of a version that has tokens, and what the user left with it.
  private func empty(_ version: Int) {
    let tokens = tokens(of: version)
    for index in tokens {
      kept[index].generation += 1
      forget(0..<kept[index].births.count * Self.unit, index)
    }
    if !tokens.isEmpty { forgetWhatIsKept(version) }
  }

  private func forgetWhatIsKept(_ version: Int) {
    versions[version].isPinned = Array(repeating: false, count: versions[version].isPinned.count)
    versions[version].metadata = nil
  }

  /// The tokens of a version that are alive.
  func tokens(of version: Int) -> [Int] { kept.indices.filter { kept[$0].version == version && kept[$0].isAlive } }

  // MARK: versions

  func addVersion(of source: Int) {
    let units = 600 + random.below(1000)
    let description = SourceDescription(
      id: "source \(source)", validator: ModelValidator(number: versions.count), byteCount: units * Self.unit,
      preferredBlockSize: .bytes(blockSizes[0]))
    versions.append(
      Version(
        source: source, description: description, content: makeContent(units * Self.unit),
        isPinned: Array(repeating: false, count: units)))
    if source < current.count { current[source] = versions.count - 1 } else { current.append(versions.count - 1) }
    for blockSize in blockSizes {
      let isRead = random.below(2) == 0
      let grid = BlockGrid(blockSize: blockSize)!
      let (token, retired) = store.sources.token(for: description, grid: grid, reading: isRead)
      let blocks = (units * Self.unit + blockSize - 1) / blockSize
      kept.append(
        Kept(
          token: token, version: versions.count - 1, isRead: isRead,
          births: Array(repeating: Self.none, count: units), touched: Array(repeating: now, count: blocks)))
      for token in retired { retire(token) }
    }
  }

  /// Stretches of what shrinks not at all, by half, or nearly to nothing.
  private func makeContent(_ count: Int) -> Bytes {
    let number = UInt64(versions.count)
    var parts: [Bytes] = []
    for start in stride(from: 0, to: count, by: 4096) {
      let compressibility = contents == 0 ? 0.9 : [0, 0.5, 0.8, 1][random.below(4)]
      parts.append(
        SyntheticSource.bytes(start..<min(count, start + 4096), version: number, compressibility: compressibility))
    }
    return Bytes(Array(Bytes(concatenating: parts)))
  }

  /// A reader of an older version ends.
  func endReading() throws(Mismatch) {
    let read = kept.indices.filter { kept[$0].isRead && kept[$0].isAlive }
    guard !read.isEmpty else { return }
    let index = read[random.below(read.count)]
    guard current[versions[kept[index].version].source] != kept[index].version else { return }
    let isRetired = store.sources.endReading(kept[index].token)
    try expect(isRetired, "an old version that nobody reads any more stays")
    retire(kept[index].token)
  }

  private func retire(_ token: ChunkToken) {
    let index = Int(token.number) - 1
    kept[index].isAlive = false
    kept[index].generation += 1
    store.erase(.retired(token))
    forget(0..<kept[index].births.count * Self.unit, index)
    if tokens(of: kept[index].version).isEmpty { forgetWhatIsKept(kept[index].version) }
    tally.retired += 1
  }

  // MARK: time

  func letTimePass() {
    guard isTimed else {
      clock.advance(by: random.below(10) == 0 ? .seconds(random.below(50)) : .nanoseconds(1 + random.below(1000)))
      return
    }
    clock.advance(by: .nanoseconds(random.below(Int(min(age ?? .max, idle ?? .max, 2000)) / 3 + 1)))
    if random.below(3) == 0 { store.change(.expire) }
  }

  func changeTimeLimits() {
    guard isTimed else { return }
    let wasIdleLimited = idle != nil
    age = random.below(2) == 0 ? nil : Int64(200 + random.below(3000))
    idle = random.below(2) == 0 ? nil : Int64(200 + random.below(3000))
    store.setTimeLimits(age: age.map { .nanoseconds($0) }, idle: idle.map { .nanoseconds($0) })
    guard !wasIdleLimited, idle != nil else { return }
    // What was never watched begins to be idle now.
    for index in kept.indices {
      for block in kept[index].touched.indices { kept[index].touched[block] = now }
    }
  }
}
