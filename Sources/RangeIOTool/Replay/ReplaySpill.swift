import RangeIO

/// How many blocks of a trace the disk tier holds, and the limit that this needs. The limit is whole segments,
/// including everything in them besides the bytes, and the segment that a store keeps free.
struct ReplaySpill: Equatable {
  /// The number of blocks that fit on the disk.
  let blocks: Int
  let segments: Int
  let segmentSize: ByteCount
  let limit: ByteCount

  /// The number of segments in the limit, as by default, if the blocks are small enough.
  private static let mostSegments = 256
  /// The store refuses smaller segments.
  private static let smallestSegment = 16 << 10

  init(percent: Int, uniqueBlocks: Int, of source: SourceDescription, on grid: BlockGrid) throws(ToolFailure) {
    guard (1...100).contains(percent) else { throw .usage("--spill-share: '\(percent)' is not from 1 to 100 percent") }
    let wanted = (uniqueBlocks * percent + 50) / 100
    let perSegment = max(4, Self.smallestSegment / grid.blockSize, wanted / Self.mostSegments)
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
    configuration.time = TimeSource(SteppingClock())
    configuration.background = background
    configuration.disk = MemoryDisk()
    configuration.work = .tasks(background)
    configuration.wallClock = { 1_000_000_000 }
    configuration.random = { 1 }
    return configuration
  }
}
