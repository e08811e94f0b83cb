import RangeIO

/// How a budget is shared between memory and compressed memory, and what there is to compress.
struct ReplayTiers: Equatable {
  /// The part of the budget that the compressed tier may take, from 0 to 1.
  let compressedShare: Double
  /// What LZ4 makes of the data, from 0 to 1.
  let fraction: Double

  init(compressedPercent: Int, shrinkPercent: Int) throws(ToolFailure) {
    guard (1...90).contains(compressedPercent) else {
      throw .usage("--compressed-share: '\(compressedPercent)' is not from 1 to 90 percent")
    }
    guard (1...100).contains(shrinkPercent) else {
      throw .usage("--shrinks-to: '\(shrinkPercent)' is not from 1 to 100 percent")
    }
    compressedShare = Double(compressedPercent) / 100
    fraction = Double(shrinkPercent) / 100
  }

  /// An empty store.
  func store(
    _ budget: ByteCount, _ options: ReplayOptions, _ policy: EvictionPolicyFactory, _ background: BackgroundWork
  ) -> TieredChunkStore {
    let compressed = Int(Double(budget.bytes) * compressedShare)
    var configuration = TieredChunkStore.Configuration(
      memory: .bytes(budget.bytes - compressed), compressed: .bytes(compressed))
    configuration.memory.policy = policy
    configuration.memory.typicalBlockSize = .bytes(options.grid.blockSize)
    configuration.memory.shards = options.shards
    configuration.compressed.shards = options.shards
    configuration.background = background
    return TieredChunkStore(configuration)
  }
}
