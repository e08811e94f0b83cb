import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What counts against a disk, and what does not.
struct SpillQueuedReadsTests {
  private let jobs = JobCount()

  private func pass(_ clock: ManualClock, _ milliseconds: Int) {
    jobs.run()
    for _ in 0..<milliseconds / 50 {
      clock.advance(by: .milliseconds(50))
      jobs.run()
    }
  }

  @Test func `the time in which a read waits for a thread does not make a disk a sick one`() async throws {
    let (queue, disk) = (Gate(), Gate())
    let spill = SpillOnSimulatedDisk {
      $0.work = .threads(IOThreads(limit: 1))
      $0.background = BackgroundWork(executor: jobs)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    source.put(1, in: store)
    try await store.flush()
    spill.disk.faults = .always(.read, .delay { disk.pass() })
    store.lanes.reads.start(isUrgent: true) { queue.pass() }
    await queue.arrival()
    let isLate = Tally()
    let piece = source.held(source.block(1), in: store)[0]
    let waiting = Task(executorPreference: jobs) { await piece.loader.load { isLate.change(by: 1) } }
    pass(spill.clock, 900)
    #expect(isLate.now == 1)
    queue.open()
    await disk.arrival()
    pass(spill.clock, 900)
    #expect(store.counts().breaker == .closed)
    // Now it is the disk.
    pass(spill.clock, 200)
    #expect(store.counts().breaker == .open)
    #expect(await waiting.value == nil)
    disk.open()
    spill.disk.faults = .none
    try? await store.close()
  }

  @Test func `a segment that is gone when it is to be read is a miss`() async throws {
    let spill = SpillOnSimulatedDisk { $0.maxOpenFiles = 1 }
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    for block in 0..<18 {
      source.put(block, in: store)
      try await store.flush()
    }
    spill.disk.residency = .unknown
    let directory = try process.openDirectory("/cache/spill")
    let names = try directory.names().filter { SpillFormat.segmentNumber($0) != nil }.sorted()
    #expect(names.count > 4)
    for name in names.dropLast() { try directory.remove(name) }
    for block in 0..<9 { #expect(await source.load(block, in: store) == nil) }
    let statistics = store.counts()
    #expect(statistics.readErrors == 0 && statistics.breaker == .closed && statistics.breakerOpenings == 0)
    #expect(!source.isIn(store, 0))
    try? await store.close()
  }
}
