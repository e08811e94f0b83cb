import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Disks that are full, or nearly so.
@Suite struct SpillRoomTests {
  static let limit = 1 << 20

  @Test func `a disk of exactly the limit never runs out`() async throws {
    let spill = spill(SimulatedDisk(capacity: Self.limit))
    let store = try spill.open()
    try await churn(store)
    #expect(spill.disk.allocatedByteCount <= Self.limit)
    #expect(store.miscounts() == [])
    try await store.close()
  }

  @Test(.enabled(if: MountedDisk.isPossible))
  func `a file system of exactly the limit never runs out`() async throws {
    let disk = try MountedDisk(byteCount: Self.limit)
    let store = try await SpillStore.open(configuration(disk))
    try await churn(store)
    try await store.close()
  }

  @Test(.enabled(if: MountedDisk.isPossible))
  func `a file system that is smaller than the limit is used as it is`() async throws {
    let disk = try MountedDisk(byteCount: Self.limit / 2)
    let store = try await SpillStore.open(configuration(disk))
    let source = FillSource(store.sources)
    try await write(0..<400, source, store)
    #expect(store.lastFailure == nil)
    #expect(store.counts().dropped == 0)
    let kept = try #require(await source.fetched(0..<400, by: store))
    #expect(kept.count >= 75 && kept.contains(399))
    try await store.close()
  }

  @Test func `a disk without room stops writes, not reads, until there is some`() async throws {
    let clock = ManualClock()
    let told = Locked<[String]>([])
    let spill = spill {
      $0.time = ReadClock(clock)
      $0.onLackOfFreeSpace = { error in told.withLock { $0.append(error.message) } }
    }
    let store = try spill.open()
    let source = FillSource(store.sources)
    try await write(0..<64, source, store)
    spill.disk.faults = .always(.allocate, .fail(.noSpace))
    try await write(64..<128, source, store)
    try await expectPause(source, store)
    #expect(told.withLock { $0.count == 1 && $0[0].contains("no space left") })
    spill.disk.faults = .none
    clock.advance(by: .seconds(6))
    try await expectWrites(source, store)
  }

  @Test(.enabled(if: MountedDisk.isPossible))
  func `a file system without room stops writes, not reads, until there is some`() async throws {
    // Files run out before bytes do, of which the system tells how many there are.
    let disk = try MountedDisk(byteCount: Self.limit * 2, options: "mode=0700,nr_inodes=10")
    let clock = ManualClock()
    var configuration = configuration(disk)
    configuration.time = ReadClock(clock)
    let store = try await SpillStore.open(configuration)
    let source = FillSource(store.sources)
    try await write(0..<128, source, store)
    try await expectPause(source, store)
    try disk.remount("nr_inodes=100")
    clock.advance(by: .seconds(6))
    try await expectWrites(source, store)
    try await store.close()
  }

  @Test func `a disk that becomes read-only stops writes, not reads`() async throws {
    let clock = ManualClock()
    let spill = spill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    try await write(0..<64, source, store)
    spill.disk.faults = DiskFaults { $0.kind.isChange ? .fail(.readOnlyFileSystem) : nil }
    try await write(64..<128, source, store)
    #expect(store.counts().breaker == .closed && store.counts().dropped > 0)
    #expect(source.served(0..<64, by: store) == Set(0..<64))
    // What is removed is not found, and whoever waits for it to be written down is told.
    source.erase(0..<2, in: store)
    await #expect(throws: ReadError.self) { try await store.flush() }
    #expect(source.served(0..<64, by: store) == Set(2..<64))
    spill.disk.faults = .none
    clock.advance(by: .seconds(600))
    try await store.close()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<64, by: again) == Set(2..<64))
  }

  @Test(.enabled(if: MountedDisk.isPossible))
  func `a read-only file system can only be read`() async throws {
    let disk = try MountedDisk(byteCount: Self.limit * 2)
    var configuration = configuration(disk)
    var writing: SpillStore? = try await SpillStore.open(configuration)
    try await write(0..<20, FillSource(writing!.sources), writing!)
    try await writing!.close()
    writing = nil
    try disk.remount(isReadOnly: true)
    let error = await #expect(throws: ReadError.self) { _ = try await SpillStore.open(configuration) }
    #expect(error?.message.contains("mounted read-only") == true && error?.message.contains("isReadOnly") == true)
    configuration.isReadOnly = true
    let store = try await SpillStore.open(configuration)
    #expect(await FillSource(store.sources).fetched(0..<20, by: store) == Set(0..<20))
  }

  @Test func `the floor of free space is kept`() async throws {
    let spill = spill(SimulatedDisk(capacity: Self.limit * 2)) {
      $0.freeSpaceFloor = .kibibytes(1536)
    }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<400 {
      source.put(block, in: store)
      if block % 16 == 15 { try await store.flush() }
      #expect(spill.disk.allocatedByteCount <= Self.limit / 2)
    }
    let kept = try #require(source.served(0..<400, by: store))
    #expect(kept.count > 80 && kept.contains(399))
    #expect(store.counts().dropped == 0)
    #expect(store.miscounts() == [])
  }

  @Test func `a disk that cannot have enough free keeps what is there, and says so`() async throws {
    let clock = ManualClock()
    let told = Locked<[String]>([])
    let spill = spill(SimulatedDisk(capacity: Self.limit * 4)) {
      $0.time = ReadClock(clock)
      $0.freeSpaceFloor = .mebibytes(1)
      $0.onLackOfFreeSpace = { error in told.withLock { $0.append(error.message) } }
    }
    let store = try spill.open()
    let source = FillSource(store.sources)
    try await write(0..<128, source, store)
    let freed = store.counts().segmentsFreed
    #expect(!store.counts().lacksFreeSpace)
    // Another program takes the rest. What is here is less than what must stay free.
    spill.disk.capacity = spill.disk.allocatedByteCount
    for round in 0..<4 {
      try await write(200 + round * 64..<264 + round * 64, source, store)
      clock.advance(by: .seconds(600))
    }
    #expect(source.served(0..<128, by: store) == Set(0..<128))
    #expect(store.counts().segmentsFreed == freed && store.counts().lacksFreeSpace)
    #expect(store.statistics()["disk"]?["lacksFreeSpace"] == 1)
    let parts = store.explain(source.block(999), token: source.token.number, grid: source.token.grid)
    #expect(parts.flatMap(\.notes).joined().contains("freeSpaceFloor"))
    #expect(told.withLock { $0.count } == 1)
    spill.disk.capacity = Self.limit * 4
    try await write(500..<501, source, store)
    #expect(source.served(500..<501, by: store) == [500] && !store.counts().lacksFreeSpace)
    #expect(store.miscounts() == [])
    try await store.close()
  }

  @Test func `all can be removed from a disk that is too full to write to, at once and for good`() async throws {
    let clock = ManualClock()
    let spill = spill(SimulatedDisk(capacity: Self.limit * 4)) {
      $0.time = ReadClock(clock)
      $0.freeSpaceFloor = .mebibytes(1)
    }
    var store = try spill.open()
    try await write(0..<64, FillSource(store.sources), store)
    spill.disk.capacity = spill.disk.allocatedByteCount
    try await write(100..<164, FillSource(store.sources), store)
    #expect(store.counts().lacksFreeSpace && store.state.withLock { $0.writesPausedUntil != nil })
    store.removeAll()
    try await store.flush()
    #expect(spill.segments == [])
    try await store.close()
    store = try spill.open()
    #expect(FillSource(store.sources).served(0..<164, by: store) == [])
    try await store.close()
  }

  @Test func `a file that the disk can never hold drops none of those that are there`() async throws {
    let clock = ManualClock()
    let spill = spill(SimulatedDisk(capacity: Self.limit / 2)) { $0.time = ReadClock(clock) }
    var store = try spill.open()
    try await write(0..<64, FillSource(store.sources), store)
    try await store.close()
    store = try spill.open { ($0.limit, $0.segmentSize) = (.mebibytes(8), .mebibytes(1)) }
    let source = FillSource(store.sources)
    try await write(100..<164, source, store)
    #expect(source.served(0..<64, by: store) == Set(0..<64))
    #expect(store.counts().lacksFreeSpace && store.counts().segmentsFreed == 0)
    #expect(store.lastFailure?.message.contains("segmentSize") == true)
    try await store.close()
  }

  @Test func `a disk that tells late of freed space does not cost everything`() async throws {
    let disk = SimulatedDisk(capacity: Self.limit)
    let spill = spill(disk)
    let store = try spill.open()
    let source = FillSource(store.sources)
    try await write(0..<128, source, store)
    // Others take the rest, and go on taking what is freed.
    disk.faults = DiskFaults { call in
      call.kind == .freeByteCount ? .delay { disk.capacity = disk.allocatedByteCount } : nil
    }
    try await write(128..<192, source, store)
    #expect(store.counts().dropped > 0 && store.counts().segmentsFreed <= 2)
    let kept = try #require(source.served(0..<192, by: store))
    #expect(kept.count >= 90)
  }

  @Test func `a limit that is lower than it was holds from the opening on`() async throws {
    var spill = spill()
    var store = try spill.open()
    for block in 0..<200 {
      FillSource(store.sources).put(block, in: store)
      if block % 16 == 15 { try await store.flush() }
    }
    try await store.close()
    spill.configuration.limit = .kibibytes(512)
    store = try spill.open()
    #expect(spill.disk.allocatedByteCount <= 512 << 10 && store.counts().bytes <= 512 << 10)
    let kept = try #require(FillSource(store.sources).served(0..<200, by: store))
    #expect(kept.contains(199) && !kept.contains(0) && kept.count > 90)
  }

  // MARK: steps

  /// A directory whose time stands still: a pause of the writer lasts until the test lets it pass.
  private func spill(
    _ disk: SimulatedDisk = SimulatedDisk(), _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) -> SimulatedSpill {
    SimulatedSpill(disk) {
      $0.time = ReadClock(ManualClock())
      change(&$0)
    }
  }

  private func configuration(_ disk: MountedDisk) -> SpillStore.Configuration {
    var configuration = spill().configuration
    configuration.directory = disk.path + "/spill"
    return configuration
  }

  private func write(_ blocks: Range<Int>, _ source: FillSource, _ store: SpillStore) async throws {
    for block in blocks {
      source.put(block, in: store)
      if block % 16 == 15 { try await store.flush() }
    }
    try await store.flush()
  }

  /// Writes fifty times the limit, and reads some of it twice, which is copied on.
  private func churn(_ store: SpillStore) async throws {
    let source = FillSource(store.sources)
    var random = TestRandom(1)
    let count = Self.limit * 50 / 4096
    for block in 0..<count {
      #expect(source.put(block, in: store))
      if block % 16 == 15 { try await store.flush() }
      let known = max(0, block - random.below(150))
      for _ in 0..<random.below(3) { #expect(await source.fetched(known..<known + 1, by: store) != nil) }
    }
    try await store.flush()
    let statistics = store.counts()
    #expect(statistics.written == count && statistics.dropped == 0 && statistics.writeErrors == 0)
    #expect(store.lastFailure == nil)
    #expect(statistics.peakBytes <= Self.limit)
    #expect(statistics.reinsertions > 0)
    // A quarter of what is written at most is copied on.
    #expect(statistics.writeAmplification <= 4.0 / 3)
    TestScale.report(
      "churn of 50 limits: \(statistics.written) written, \(statistics.dropped) dropped, write amplification "
        + "\(statistics.writeAmplification), peak \(statistics.peakBytes) of \(Self.limit)")
  }

  private func expectPause(_ source: FillSource, _ store: SpillStore) async throws {
    #expect(store.lastFailure?.code == .resourcesExhausted)
    #expect(store.counts().writeErrors == 1 && store.counts().breaker == .closed)
    #expect(store.counts().lacksFreeSpace)
    #expect(store.counts().dropped > 0 && !source.put(1000, in: store))
    let kept = try #require(await source.fetched(0..<128, by: store))
    #expect(kept.isSuperset(of: 0..<60))
    #expect(store.miscounts() == [])
  }

  private func expectWrites(_ source: FillSource, _ store: SpillStore) async throws {
    #expect(source.put(1001, in: store))
    try await store.flush()
    #expect(await source.fetched(1001..<1002, by: store) == [1001] && !store.counts().lacksFreeSpace)
    #expect(store.miscounts() == [])
  }
}
