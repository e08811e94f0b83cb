import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct SizeModelsTests {
  @Test func `small caches are sampled in full where time does not matter, large ones by a fraction`() {
    let thorough: [(Int, Double)] = [(0, 1), (1, 1), (4096, 1), (8192, 0.5), (1 << 20, 1 / 256), (1 << 40, 1 / 256)]
    for (blocks, share) in thorough { #expect(SizeSampling.thorough.share(ofBlocks: blocks) == share) }
    let live: [(Int, Double)] = [
      (0, 0), (127, 0), (128, 1 / 16), (4096, 1 / 16), (8192, 1 / 32), (1 << 16, 1 / 256), (1 << 40, 1 / 256),
    ]
    for (blocks, share) in live { #expect(SizeSampling.live.share(ofBlocks: blocks) == share) }
    #expect(SizeSampling.none.share(ofBlocks: 1) == 0)
  }

  /// Keys of a store have their low bits in order: the sample must not take or leave whole extents.
  @Test(arguments: [1.0 / 32, 0.25, 0.5])
  func `a sample has its share of the keys of each source, spread over its blocks`(share: Double) {
    let sample = SizeModels.Sample(share: share)
    for token in [1, 2, 77] as [UInt64] {
      let chosen = (0..<1 << 16).filter { sample.contains(ChunkTable.hash(token: token, block: $0)) }
      #expect(abs(Double(chosen.count) / 65_536 - share) < 0.01)
      let extents = Set(chosen.map { $0 >> 4 })
      // At least as many extents as if each block were chosen by itself.
      let alone = (1 - Double.powerOf16(1 - share)) * 4096
      #expect(Double(extents.count) > alone * 0.9, "\(token): \(extents.count) of \(alone)")
    }
    #expect(!SizeModels.Sample(share: 0).contains(1))
    #expect(SizeModels.Sample(share: 1).contains(.max))
  }

  @Test func `with all keys the estimates are right to a fifth of a point`() {
    let accesses = BlockAccesses(MixedTrace.make(seed: 7), BlockGrid(blockSize: 4096)!)
    for policy in Eviction.all {
      var models = SizeModels(capacity: 64, policy: policy, share: 1, tunes: true)
      for access in accesses.accesses { models.access(accesses.blocks[Int(access)], weight: 1) }
      let hits = [32, 64, 128, 256].map {
        Double(accesses.hits(policy, capacity: $0)) / Double(accesses.accesses.count)
      }
      for (estimate, truth) in zip(models.hitRatios(hits[1]), hits) { #expect(abs(estimate - truth) < 0.002) }
    }
  }

  @Test func `nothing sampled is no estimate, and hits only are hits at any size`() {
    var models = SizeModels(capacity: 64, policy: .lru, share: 0.5, tunes: false)
    #expect(models.hitRatios(0.3).isEmpty)
    models.access(1, weight: 1)
    models.access(1, weight: 1)
    #expect(models.hitRatios(0.5) == [0.5, 0.5, 0.5, 0.5])
    models.setCapacity(.max)
    models.setCapacity(0)
    models.access(1, weight: 1)
  }

  @Test func `a key that no cache keeps is a miss, unless a model has it from before`() {
    var models = SizeModels(capacity: 64, policy: .lru, share: 1, tunes: false)
    for _ in 0..<2 { models.accessWithoutStoring(1) }
    // Two misses at any size: it was not stored.
    #expect(models.hitRatios(0) == [0, 0, 0, 0])
    for key in 2..<102 as Range<UInt64> { models.access(key &* 0x9E37_79B9_7F4A_7C15, weight: 1) }
    let before = models.hitRatios(0)
    for key in 2..<102 as Range<UInt64> { models.accessWithoutStoring(key &* 0x9E37_79B9_7F4A_7C15) }
    // The two larger ones have all hundred; the smaller ones the last 32 and 64.
    #expect(before == [0, 0, 0, 0])
    let after = models.hitRatios(64.0 / 202)
    for (ratio, hits) in zip(after, [32.0, 64, 100, 100]) { #expect(abs(ratio - hits / 202) < 0.001) }
  }

  @Test func `a store in use tells what other limits would bring`() async throws {
    var configuration = MemoryStore.Configuration(blocks: 64, of: .kibibytes(4))
    configuration.eviction = .lru
    configuration.sampling = .thorough
    configuration.shards = 1
    let store = MemoryStore(configuration)
    #expect(store.estimates().isEmpty)
    let reader = try await RangeReader(SyntheticSource(byteCount: 1 << 20), [.caching(store, blockSize: .kibibytes(4))])
    // A loop of 100 blocks never hits in 64 of LRU, and nearly always in 128; by one block and by several.
    for round in 0..<20 {
      for block in 0..<(round % 2 == 0 ? 100 : 50) {
        let range = round % 2 == 0 ? block * 4096..<(block + 1) * 4096 : 2 * block * 4096..<2 * (block + 1) * 4096
        _ = try await reader.read(range)
      }
    }
    let estimates = store.estimates()
    #expect(estimates.map(\.limit) == [32, 64, 128, 256].map { $0 * MemoryStore.charge(of: 4096) })
    #expect(estimates.map(\.hitRatio) == [0, 0, 0.95, 0.95])
    try await store.resize(to: .bytes(128 * MemoryStore.charge(of: 4096)), blocks: 128)
    #expect(store.estimates().map(\.limit).last == 512 * MemoryStore.charge(of: 4096))
    await reader.close()
  }
}

extension Double {
  fileprivate static func powerOf16(_ base: Double) -> Double {
    let square = base * base
    let fourth = square * square
    return fourth * fourth * fourth * fourth
  }
}
