#if Tool
import RangeIO
import RangeIOTiers

/// The split of a budget between memory and compressed memory, the size of compressed data, and the tier below.
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
    _ budget: ByteCount, _ options: ReplayOptions, _ policy: Eviction, _ executor: SteppingExecutor
  ) async throws -> TieredStore {
    let compressed = Int(Double(budget.bytes) * compressedShare)
    var configuration = TieredStore.Configuration(
      memory: .bytes(budget.bytes - compressed), compressed: .bytes(compressed))
    configuration.memory.eviction = policy
    configuration.memory.typicalBlockSize = .bytes(options.grid.blockSize)
    configuration.memory.shards = options.shards
    configuration.compressed.shards = options.shards
    configuration.background = BackgroundWork(executor: executor)
    guard let spill else { return TieredStore(configuration) }
    // Adds room for blocks that are being moved, so that memory still holds as many blocks as requested. At most a
    // third, because a store allows a quarter of the sum.
    let way = min(max(256 << 10, burst(compressed)), configuration.memory.limit.bytes / 3)
    configuration.queueLimit = .bytes(way)
    configuration.memory.limit = .bytes(configuration.memory.limit.bytes + way * (compressed > 0 ? 3 : 2))
    configuration.time = ReadClock(SteppingClock())
    let opening = Task(executorPreference: executor) { [configuration] in
      try await TieredStore(
        configuration, disk: spill.configuration(staging: way, configuration.background))
    }
    executor.run()
    return try await opening.value
  }

  /// The bytes that a compressed tier of this size evicts at once: a few segments, each 1/32 of it, decompressed.
  private func burst(_ compressed: Int) -> Int { Int(Double(compressed) / 32 / fraction * 4) }
}

/// The number of blocks of a trace that the disk tier holds, and the limit that this needs. The limit is whole segments,
/// including everything in them besides the bytes, and the segment that a store keeps free.
struct ReplaySpill: Equatable {
  /// The number of blocks that fit on the disk.
  let blocks: Int
  let segments: Int
  let segmentSize: ByteCount
  let limit: ByteCount

  /// The number of segments in the limit, as by default, if the blocks are small enough.
  private static let maxSegments = 256
  /// The store refuses smaller segments.
  private static let minSegmentSize = 16 << 10

  init(percent: Int, uniqueBlocks: Int, of source: SourceDescription, on grid: BlockGrid) throws(ToolFailure) {
    guard (1...100).contains(percent) else { throw .usage("--spill-share: '\(percent)' is not from 1 to 100 percent") }
    let wanted = (uniqueBlocks * percent + 50) / 100
    let perSegment = max(4, Self.minSegmentSize / grid.blockSize, wanted / Self.maxSegments)
    segments = wanted / perSegment
    guard segments >= 4, let size = SpillStore.segmentSize(holding: perSegment, of: source, on: grid) else {
      throw .usage("--spill-share: \(percent)% of the \(uniqueBlocks) blocks that the trace reads are too few")
    }
    blocks = segments * perSegment
    segmentSize = size
    limit = SpillStore.limit(segments: segments, of: size)
  }

  /// A store that behaves the same each time: on a disk in memory, with a clock that stands still, and with all work
  /// done by `background`.
  ///
  /// - Parameter staging: the bytes that one read may evict, which are written before the next read.
  func configuration(staging: Int, _ background: BackgroundWork) -> SpillStore.Configuration {
    var configuration = SpillStore.Configuration(directory: "replay", limit: limit)
    configuration.segmentSize = segmentSize
    configuration.codec = IdentityCodec()
    configuration.keepsFastSources = true
    configuration.freeSpaceFloor = .bytes(0)
    configuration.stagingLimit = .bytes(staging)
    configuration.writeDelay = .zero
    configuration.time = ReadClock(SteppingClock())
    configuration.background = background
    configuration.disk = MemoryDisk()
    configuration.work = .tasks(background)
    configuration.wallClock = { 1_000_000_000 }
    configuration.random = { 1 }
    return configuration
  }
}
#endif
