import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The store on a disk, used alone, keeps what every store has to.
struct SpillConformanceTests {
  /// Writes what waits, at a time at which a pause is over: readers that hold all segments at once begin one.
  private static func flush(_ store: any ChunkStore, _ clock: ManualClock) async throws {
    clock.advance(by: .seconds(600))
    try await (store as? SpillStore)?.flush()
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a store on a disk keeps the contract`(seed: UInt64) async throws {
    let spill = SpillOnSimulatedDisk(segment: 16 << 10, segments: 8) { configuration in
      configuration.lingering = .zero
      configuration.codec = [IdentityCodec(), LZ4Codec()][Int(seed % 2)]
    }
    // At hand, or to be read by a thread.
    spill.disk.residency = [.everything, .nothing, .unknown][Int(seed % 3)]
    let opened = Locked<SpillStore?>(nil)
    try await StoreConformance.check(
      seed: seed, limit: spill.configuration.limit, settle: { try await Self.flush($0, spill.clock) }
    ) { sources, limit in
      var configuration = spill.configuration
      configuration.limit = limit
      configuration.disk = spill.disk.newProcess()
      let store = try await SpillStore.open(configuration, sources: sources)
      opened.withLock { $0 = store }
      return store
    }
    let store = try #require(opened.withLock { $0 })
    let statistics = store.statistics()
    #expect(statistics.peakBytes <= statistics.limit)
    // Of the disk, not only of what waits to be written.
    #expect(statistics.written > 0)
    #expect(statistics.hits > 0, "\(statistics), \(String(describing: store.lastFailure))")
    try await store.close()
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `a store in a directory keeps the contract`(seed: UInt64) async throws {
    let clock = ManualClock()
    let spill = try SpillOnDisk(limit: .kibibytes(256)) { configuration in
      configuration.segmentSize = .kibibytes(16)
      configuration.stagingLimit = .kibibytes(64)
      configuration.admission = .always
      configuration.lingering = .zero
      configuration.time = TimeSource(clock)
    }
    try await StoreConformance.check(seed: seed, settle: { try await Self.flush($0, clock) }) { sources, limit in
      var configuration = spill.configuration
      configuration.limit = limit
      return try await SpillStore.open(configuration, sources: sources)
    }
  }
}
