import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Processes that share a directory, one of which is slow or stopped while it holds the lock to make a file.
@Suite struct SpillNeighbourTests {
  private let clock = ManualClock()

  private func spill() -> SimulatedSpill {
    SimulatedSpill {
      $0.isShared = true
      $0.time = ReadClock(clock)
      $0.quotaTries = 3
    }
  }

  /// The file whose lock a process holds while it makes a file, as another process opens it.
  private func quotaFile(_ spill: SimulatedSpill) throws -> any SpillFile {
    let directory = try spill.disk.newProcess().openDirectory(SimulatedSpill.directory)
    return try directory.open(SpillFolder.quotaName, writing: true)
  }

  @Test func `a neighbour that is stopped while it holds the lock costs only writes`() async throws {
    let spill = spill()
    let stores = [try spill.open(), try spill.open()]
    let source = FillSource(stores[1].sources)
    try await source.fill(0..<60, in: stores[1])
    let stopped = try quotaFile(spill)
    #expect(try stopped.lock(exclusively: true))
    try await source.fill(60..<120, in: stores[1])
    let statistics = stores[1].counts()
    #expect(statistics.segmentsFreed == 0 && statistics.evictions == 0 && statistics.dropped > 0)
    #expect(statistics.breakerOpenings == 0)
    #expect(stores[1].lastFailure?.code == .inUse && stores[1].lastFailure?.isTransient == true)
    #expect(source.served(0..<60, by: stores[1]) == Set(0..<60))
    try stopped.unlock()
    clock.advance(by: .seconds(6))
    try await source.fill(120..<130, in: stores[1])
    #expect(source.served(120..<130, by: stores[1]) == Set(120..<130))
    for store in stores { try await store.close() }
  }

  @Test func `while segments are let go of, others can take the lock`() async throws {
    let spill = spill()
    let store = try spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<8, in: store)
    let quota = try quotaFile(spill)
    let (freed, refused) = (Tally(), Tally())
    spill.disk.faults = DiskFaults { call in
      guard call.kind == .remove else { return nil }
      return .delay {
        // Nothing but the lock is asked for.
        guard (try? quota.lock(exclusively: true)) == true else { return refused.change(by: 1) }
        try? quota.unlock()
        freed.change(by: 1)
      }
    }
    try await source.fill(8..<400, in: store)
    #expect(freed.now > 3 && refused.now == 0)
    spill.disk.faults = .none
    try await store.close()
  }
}
