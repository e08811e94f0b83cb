import RangeIO

/// How a budget is shared between memory and compressed memory, what there is to compress, and what lies below.
struct ReplayTiers: Equatable {
  /// The part of the budget that the compressed tier may take, from 0 to 1.
  let compressedShare: Double
  /// What LZ4 makes of the data, from 0 to 1.
  let fraction: Double
  /// The tier on a disk.
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

  /// The tiers in words, to be put behind the name of a policy.
  var name: String {
    guard spill != nil else { return " + tiers" }
    return compressedShare > 0 ? " + compressed + spill" : " + spill"
  }

  /// An empty store, whose work `executor` does.
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
    // What is on its way comes on top, so that memory holds as many blocks as were asked for; a third of them at most,
    // of which a store allows a quarter of the sum.
    let way = min(max(256 << 10, burst(compressed)), configuration.memory.limit.bytes / 3)
    configuration.queueLimit = .bytes(way)
    configuration.memory.limit = .bytes(configuration.memory.limit.bytes + way * (compressed > 0 ? 3 : 2))
    configuration.time = TimeSource(SteppingClock())
    let opening = Task(executorPreference: executor) { [configuration] in
      try await TieredChunkStore(
        configuration, spill: spill.configuration(staging: way, configuration.background))
    }
    executor.run()
    return try await opening.value
  }

  /// What compressed memory of so many bytes evicts at once: a few segments, each a 32nd of it, decompressed.
  private func burst(_ compressed: Int) -> Int { Int(Double(compressed) / 32 / fraction * 4) }
}
