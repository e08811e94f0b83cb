import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Removals, limits, pins and time.
extension SpilledModel {
  func removeRange() {
    let index = anyKept()
    let version = kept[index].version
    let range = anyRange(of: kept[index])
    life!.store.remove(range, of: versions[version].description)
    for other in kept.indices where kept[other].version == version {
      forget(kept[other].grid.outward(range, in: kept[other].births.count * Self.unit), other)
    }
    tally.removals += 1
  }

  func removeSource() {
    let source = random.below(3)
    life!.store.remove(source: "source \(source)")
    for index in kept.indices where versions[kept[index].version].source == source { forgetAll(index) }
    tally.removals += 1
  }

  func removeAll() {
    let removal = life!.store.remove(.everything)
    if random.below(2) == 0 { life!.removals.append(removal) }
    for index in kept.indices { forgetAll(index) }
    tally.removals += 1
  }

  func forgetAll(_ index: Int) { forget(0..<kept[index].births.count * Self.unit, index) }

  /// What is removed is not found from now on, unless a process ends before that is on the disk.
  private func forget(_ range: ByteRange, _ index: Int) {
    for unit in units(range) {
      let fetchedAt = kept[index].births[unit]
      kept[index].births[unit] = Self.none
      kept[index].afterKill[unit] = max(kept[index].afterKill[unit], fetchedAt)
      kept[index].afterPowerLoss[unit] = max(kept[index].afterPowerLoss[unit], fetchedAt)
    }
  }

  /// A version that nobody reads gives way to another. What is on the disk of it may be found by who reads it again.
  func retire(_ token: ChunkToken) {
    life!.store.erase(.retired(token))
    tally.retired += 1
  }

  // MARK: limits

  func resize() {
    guard resizing == nil, !isNested else { return }
    let memory = ByteCount.bytes(24_000 + random.below(16_000))
    let compressed = ByteCount.bytes(12_000 + random.below(20_000))
    life!.highestLimit = max(life!.highestLimit, memory.bytes + compressed.bytes)
    resizing = start("resizing") { [store = life!.store] in
      do {
        try await store.resize(memory: memory, compressed: compressed)
      } catch let error as ReadError where error.code == .limitExceeded {}
    }
    tally.resized += 1
  }

  /// Seldom for long: else the store would soon be full of pinned blocks.
  func pin() throws(Mismatch) {
    let index = anyKept()
    let description = versions[kept[index].version].description
    guard random.below(3) == 0, life!.store.sources.tokens(of: description).isEmpty == false else {
      life!.store.unpin(0..<description.byteCount, of: description)
      return
    }
    do { try life!.store.pin(anyRange(of: kept[index]), of: description) } catch {
      throw Mismatch(description: "pinning: \(error)")
    }
  }

  func handleMemoryPressure() {
    life!.store.handleMemoryPressure([.normal, .normal, .warning, .critical][random.below(4)])
  }

  // MARK: time

  func letTimePass() {
    let isSick = life!.spill.counts().breaker != .closed
    switch random.below(20) {
    case _ where isSick: clock.advance(by: .milliseconds(random.below(20_000)))
    case 0: clock.advance(by: .milliseconds(random.below(40_000)))
    case 1: if let age { clock.advance(by: .nanoseconds(Int64(random.below(Int(age))))) }
    default: clock.advance(by: .milliseconds(random.below(5)))
    }
    if random.below(4) == 0 { life!.store.change(.expire) }
  }

  func stepWallClock() {
    let step = Int64(random.below(4000) - 2000) * 1_000_000
    wallShift += step
    if step < 0 { slack -= step }
  }

  func changeAge() {
    guard isTimed else { return }
    age = random.below(3) == 0 ? nil : Int64(1 + random.below(30)) * 100_000_000
    life!.store.setTimeLimits(age: age.map { .nanoseconds($0) }, idle: nil)
  }
}
