import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// The store on a disk, used alone, keeps what every store has to.
struct SpillConformanceTests {
  /// Writes what waits. A thread that has read keeps its segment for a moment after the reader was answered, and if all
  /// segments are kept there is no room for the moment, and a pause begins: so again, with the pause over.
  private static func flush(_ store: any ChunkStore, _ clock: ManualClock) async throws {
    guard let store = store as? SpillStore else { return }
    for _ in 0..<10_000 {
      clock.advance(by: .seconds(600))
      do {
        try await store.flush()
        // What readers held up may have begun another one.
        return clock.advance(by: .seconds(600))
      } catch let error as ReadError where error.code == .limitExceeded && error.isTransient {
        await Task.yield()
      }
    }
    try await store.flush()
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a store on a disk keeps the contract`(seed: UInt64) async throws {
    let spill = SpillOnSimulatedDisk(segment: 16 << 10, segments: 8) { configuration in
      configuration.writeDelay = .zero
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
    let statistics = store.counts()
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
      configuration.keepsFirstReads = true
      configuration.writeDelay = .zero
      configuration.time = ReadClock(clock)
    }
    try await StoreConformance.check(seed: seed, settle: { try await Self.flush($0, clock) }) { sources, limit in
      var configuration = spill.configuration
      configuration.limit = limit
      return try await SpillStore.open(configuration, sources: sources)
    }
  }
}
