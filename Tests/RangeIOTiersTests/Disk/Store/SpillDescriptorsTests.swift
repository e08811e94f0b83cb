import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Directories of many files, in processes that may open few.
@Suite struct SpillDescriptorsTests {
  private let clock = ManualClock()

  /// Room for 512 segments of three blocks.
  private func spill() -> SimulatedSpill {
    SimulatedSpill(limit: .mebibytes(8)) {
      $0.segmentSize = .kibibytes(16)
      $0.time = ReadClock(clock)
    }
  }

  private func write(_ blocks: Range<Int>, _ source: FillSource, _ store: SpillStore) async throws {
    for block in blocks {
      source.put(block, in: store)
      if block % 32 == 31 { try await store.flush() }
    }
    try await store.flush()
  }

  @Test(arguments: [10, 64, 256]) func `all of 300 files are served by a process that may open fewer`(
    descriptors: Int
  ) async throws {
    let spill = spill()
    var store = try spill.open()
    try await write(0..<900, FillSource(store.sources), store)
    try await store.close()
    #expect(spill.segments.count == 300)
    let process = spill.disk.newProcess(descriptors: descriptors)
    store = try spill.open(in: process)
    let source = FillSource(store.sources)
    #expect(await source.fetched(0..<900, by: store) == Set(0..<900))
    try await write(900..<960, source, store)
    #expect(await source.fetched(0..<960, by: store) == Set(0..<960))
    let statistics = store.counts()
    #expect(statistics.breakerOpenings == 0 && statistics.dropped == 0 && statistics.damaged == 0)
    #expect(process.mostOpenFiles <= descriptors)
    try await store.close()
  }

  @Test func `a process without a descriptor left misses, and loses no block`() async throws {
    let spill = spill()
    var store = try spill.open()
    try await write(0..<300, FillSource(store.sources), store)
    try await store.close()
    let process = spill.disk.newProcess(descriptors: 12)
    store = try spill.open(in: process)
    let source = FillSource(store.sources)
    process.descriptors = 0
    // What is open is read, and nothing else.
    let found = try #require(await source.fetched(0..<300, by: store))
    #expect(found.count < 60)
    try await write(300..<320, source, store)
    #expect(store.counts().breakerOpenings == 0 && store.counts().dropped > 0)
    process.descriptors = 12
    clock.advance(by: .seconds(6))
    try await write(320..<340, source, store)
    #expect(await source.fetched(0..<300, by: store) == Set(0..<300))
    #expect(await source.fetched(320..<340, by: store) == Set(320..<340))
    try await store.close()
  }

  @Test func `what cannot be opened at all is left out and counted, and is there another time`() async throws {
    let spill = spill()
    var store = try spill.open()
    try await write(0..<30, FillSource(store.sources), store)
    try await store.close()
    // The lock takes the only one.
    spill.disk.faults = DiskFaults { call in
      call.kind == .open && SpillFormat.segmentNumber(call.name) ?? 0 > 4 ? .fail(.tooManyOpenFiles) : nil
    }
    store = try spill.open()
    let source = FillSource(store.sources)
    // Older ones could be opened, but what newer ones have removed of them is not known.
    #expect(store.counts().segmentsLeftOut == 10 && store.counts().bytes > 10 * 12 << 10)
    #expect(await source.fetched(0..<30, by: store) == [])
    source.erase(0..<1, in: store)
    source.erase(29..<30, in: store)
    try await store.close()
    spill.disk.faults = .none
    store = try spill.open()
    #expect(store.counts().segmentsLeftOut == 0)
    #expect(await FillSource(store.sources).fetched(0..<30, by: store) == Set(1..<29))
  }

  @Test func `on a real disk, too, files are closed that are not used, and opened when they are`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(4)) {
      $0.segmentSize = .kibibytes(16)
      $0.codec = IdentityCodec()
      $0.maxOpenFiles = 8
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await write(0..<150, source, store)
    #expect(store.counts().segments == 50)
    #expect(await source.fetched(0..<150, by: store) == Set(0..<150))
    #expect(store.core.files.count == 8)
    try await store.close()
    // Those of reads that have just ended are closed by the thread that read.
    #expect(store.core.files.count <= 2)
  }

  // MARK: many runs

  @Test func `runs that each write a little leave no more files than twice what the limit has room for`() async throws {
    // A sixth of a segment each, as 660 KB of 4 MiB.
    let spill = SimulatedSpill(limit: .mebibytes(2))
    let runs = TestScale.runs
    for run in 0..<runs {
      let process = spill.disk.newProcess(descriptors: 64)
      let store = try spill.open(in: process)
      let source = FillSource(store.sources)
      for block in 2 * run..<2 * run + 2 { #expect(source.put(block, in: store)) }
      try await store.close()
      #expect(store.lastFailure == nil && spill.segments.count <= 65)
    }
    let store = try spill.open(in: spill.disk.newProcess(descriptors: 64))
    let kept = max(0, 2 * runs - 240)..<2 * runs
    #expect(await FillSource(store.sources).fetched(kept, by: store) == Set(kept))
    TestScale.report("\(runs) runs of two blocks: \(spill.segments.count) files")
  }
}
