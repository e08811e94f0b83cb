import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A disk below memory and compressed memory, however they are composed.
@Suite(.simulated) struct ComposedDiskTests {
  private struct Tiers {
    let store: TieredStore
    let disk: SpillStore
    let memory: MemoryStore
    let compressed: CompressedStore
  }

  private func open(_ spill: SpillOnSimulatedDisk, fromBelow: Bool) async throws -> Tiers {
    var configuration = spill.configuration
    configuration.disk = spill.disk.newProcess()
    let sources = ChunkSources()
    let disk = try await SpillStore.open(configuration, sources: sources)
    let memory = MemoryStore(.init(limit: .kibibytes(256)), sources: sources)
    var below = CompressedStore.Configuration(limit: .kibibytes(256))
    below.codec = FillCodec()
    let compressed = CompressedStore(below, sources: sources)
    let store =
      fromBelow
      ? TieredStore(memory, TieredStore(compressed, disk))
      : TieredStore(TieredStore(memory, compressed), disk)
    return Tiers(store: store, disk: disk, memory: memory, compressed: compressed)
  }

  @Test(arguments: [false, true]) func `what an earlier process left is found, and can be removed`(
    fromBelow: Bool
  ) async throws {
    let spill = SpillOnSimulatedDisk(segment: 64 << 10)
    let first = try await spill.open()
    let old = FillSource(first.sources)
    for block in 0..<8 { old.put(block, in: first) }
    try await first.close()
    let tiers = try await open(spill, fromBelow: fromBelow)
    #expect(tiers.store.spill === tiers.disk)
    #expect(tiers.store.contains(0..<4096 * 8, of: old.source))
    tiers.store.remove(0..<4096 * 4, of: old.source)
    #expect(tiers.disk.counts().blocks == 4)
    try await tiers.store.flush()
    #expect(tiers.store.counts().disk?.tombstones == 1)
    try await tiers.store.close()
    // The directory was given back.
    let again = try await spill.open()
    #expect(FillSource(again.sources).served(0..<8, by: again) == Set(4..<8))
    try await again.close()
  }

  @Test(arguments: [false, true]) func `closing writes what memory and compressed memory hold`(
    fromBelow: Bool
  ) async throws {
    let spill = SpillOnSimulatedDisk(segment: 64 << 10)
    let tiers = try await open(spill, fromBelow: fromBelow)
    let source = FillSource(tiers.store.sources)
    for block in 0..<4 { source.put(block, in: tiers.memory) }
    for block in 4..<8 { source.put(block, in: tiers.compressed) }
    try await tiers.store.close()
    let again = try await spill.open()
    #expect(FillSource(again.sources).served(0..<8, by: again) == Set(0..<8))
    try await again.close()
  }

  @Test(arguments: [false, true]) func `both tiers in memory are resized`(fromBelow: Bool) async throws {
    let tiers = try await open(SpillOnSimulatedDisk(segment: 64 << 10), fromBelow: fromBelow)
    try await tiers.store.resize(memory: .kibibytes(128), compressed: .kibibytes(64))
    #expect(tiers.memory.counts().limit == 128 << 10 && tiers.compressed.counts().limit == 64 << 10)
    try await tiers.store.close()
  }
}
