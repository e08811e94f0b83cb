import RangeIO

/// How memory and compressed memory share a budget, how well the data compresses, and which tier is below.
struct ReplayTiers: Equatable {
  /// The share of the budget that the compressed tier may use, from 0 to 1.
  let compressedShare: Double
  /// The size to which LZ4 compresses the data, as a fraction from 0 to 1.
  let fraction: Double
  /// The disk tier.
  var spill: ReplaySpill?

  /// - Parameter compressedPercent: `nil` for no compressed tier.
  init(compressedPercent: Int?, shrinkPercent: Int) throws(ToolFailure) {
    if let compressedPercent, !(1...90).contains(compressedPercent) {
      throw .usage("--compressed-share: '\(compressedPercent)' is not from 1 to 90 percent")
    }
    guard (1...100).contains(shrinkPercent) else {
      throw .usage("--shrinks-to: '\(shrinkPercent)' is not from 1 to 100 percent")
    }
    compressedShare = Double(compressedPercent ?? 0) / 100
    fraction = Double(shrinkPercent) / 100
  }

  /// The tiers in words. Appended to the name of a policy.
  var name: String {
    guard spill != nil else { return " + tiers" }
    return compressedShare > 0 ? " + compressed + spill" : " + spill"
  }

  /// An empty store, whose background work `executor` does.
  func store(
    _ budget: ByteCount, _ options: ReplayOptions, _ policy: EvictionPolicyFactory, _ executor: SteppingExecutor
  ) async throws -> TieredChunkStore {
    let compressed = Int(Double(budget.bytes) * compressedShare)
    var configuration = TieredChunkStore.Configuration(
      memory: .bytes(budget.bytes - compressed), compressed: .bytes(compressed))
    configuration.memory.policy = policy
    configuration.memory.typicalBlockSize = .bytes(options.grid.blockSize)
    configuration.memory.shards = options.shards
    configuration.compressed.shards = options.shards
    configuration.background = BackgroundWork(executor: executor)
    guard let spill else { return TieredChunkStore(configuration) }
    // Adds room for blocks that are being moved, so that memory still holds as many blocks as requested. At most a
    // third, because a store allows a quarter of the sum.
    let way = min(max(256 << 10, burst(compressed)), configuration.memory.limit.bytes / 3)
    configuration.queueLimit = .bytes(way)
    configuration.memory.limit = .bytes(configuration.memory.limit.bytes + way * (compressed > 0 ? 3 : 2))
    configuration.time = TimeSource(SteppingClock())
    let opening = Task(executorPreference: executor) { [configuration] in
      try await TieredChunkStore(
        configuration, disk: spill.configuration(staging: way, configuration.background))
    }
    executor.run()
    return try await opening.value
  }

  /// How many bytes a compressed tier of this size evicts at once: a few segments, each 1/32 of it, decompressed.
  private func burst(_ compressed: Int) -> Int { Int(Double(compressed) / 32 / fraction * 4) }
}
