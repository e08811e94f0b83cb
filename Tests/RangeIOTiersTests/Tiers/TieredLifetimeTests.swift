import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Stores that nobody uses any more are freed, closed or not.
@Suite(.simulated) struct TieredLifetimeTests {
  private final class Watched {
    weak var store: TieredStore?
    weak var spill: SpillStore?
  }

  enum Shape: CaseIterable {
    case memory, memoryAndCompressed, memoryAndDisk, all, fromAbove, fromBelow
  }

  private func make(_ shape: Shape) async throws -> TieredStore {
    let spill = SpillOnSimulatedDisk(segment: 64 << 10)
    var configuration = spill.configuration
    configuration.disk = spill.disk.newProcess()
    let sources = ChunkSources()
    let memory = MemoryStore(.init(limit: .mebibytes(1)), sources: sources)
    let compressed = CompressedStore(.init(limit: .mebibytes(1)), sources: sources)
    switch shape {
    case .memory: return TieredStore(memory, MemoryStore(.init(limit: .mebibytes(1)), sources: sources))
    case .memoryAndCompressed: return TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1))
    case .memoryAndDisk: return try await TieredStore(memory: .mebibytes(1), disk: configuration)
    case .all:
      return try await TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1), disk: configuration)
    case .fromAbove:
      let disk = try await SpillStore.open(configuration, sources: sources)
      return TieredStore(TieredStore(memory, compressed), disk)
    case .fromBelow:
      let disk = try await SpillStore.open(configuration, sources: sources)
      return TieredStore(memory, TieredStore(compressed, disk))
    }
  }

  @Test(arguments: Shape.allCases, [false, true]) func `a store is freed`(shape: Shape, isClosed: Bool) async throws {
    let watched = Watched()
    do {
      let store = try await make(shape)
      (watched.store, watched.spill) = (store, store.spill)
      let source = FillSource(store.sources)
      for block in 0..<4 { source.put(block, in: store) }
      try await store.flush()
      if isClosed { try await store.close() }
    }
    await quiet()
    #expect(watched.store == nil)
    #expect(watched.spill == nil)
  }
}
