#if Tool
import RangeIO

/// The combined meaning of the numbers on the command line.
struct ReplayOptions: Equatable {
  /// The size of the cache.
  enum Room: Equatable {
    /// This many whole blocks.
    case blocks(Int)
    /// This many bytes, including the bookkeeping.
    case bytes(ByteCount)

    /// The bytes, if the size was given in bytes; otherwise zero.
    var byteCount: Int { if case .bytes(let count) = self { count.bytes } else { 0 } }
  }

  let grid: BlockGrid
  let room: Room
  let shards: Int?

  private var blockSize: ByteCount { .bytes(grid.blockSize) }
  /// The largest block that a store keeps.
  private static let maxBlockSize = ByteCount.gibibytes(1)

  /// The grid of `--block-size`.
  static func grid(_ blockSize: String) throws(ToolFailure) -> BlockGrid {
    guard let size = ByteCount(blockSize), size <= maxBlockSize, let grid = BlockGrid(blockSize: size.bytes) else {
      throw .usage("--block-size: '\(blockSize)' is not a power of two up to 1 GiB: write 4KiB or 65536")
    }
    return grid
  }

  /// - Parameters: as the user gave them; `nil` for those not given.
  ///   - share: percent of the bytes that the trace reads, each counted once, and a closure that counts them.
  ///   - memoryShare: percent of the blocks that the trace reads. Used if no other option sets the size of the cache.
  init(
    blocks: Int?, capacity: String?, share: Int? = nil, memoryShare: Int? = nil, blockSize: String, shards: Int?,
    uniqueBlocks: (BlockGrid) -> Int = { _ in 0 }
  ) throws(ToolFailure) {
    let grid = try Self.grid(blockSize)
    let size = ByteCount.bytes(grid.blockSize)
    self.grid = grid
    if let memoryShare, blocks == nil, capacity == nil, share == nil {
      room = try Self.room(memoryShare: memoryShare, of: uniqueBlocks(grid), grid)
    } else {
      room = try Self.room(blocks: blocks, capacity: capacity, share: share) { uniqueBlocks(grid) * grid.blockSize }
    }
    self.shards = shards
    let most: Int
    switch room {
    case .blocks(let count): most = count
    case .bytes(let count): most = count.bytes / MemoryStore.charge(of: size.bytes)
    }
    guard most > 0 else {
      let need = "a block of \(size) takes \(MemoryStore.charge(of: size.bytes)) bytes with its bookkeeping"
      switch (share, capacity, memoryShare) {
      case (let share?, _, _):
        let given = Figures.count(room.byteCount, "byte")
        throw .usage("--share: \(share)% of what the trace reads is \(given), and \(need): \(Self.advice("--share"))")
      case (_, nil, let memoryShare?):
        let blocks = Figures.count(uniqueBlocks(grid), "block")
        throw .usage(
          "--memory-share: \(memoryShare)% of the \(blocks) that the trace reads is none: "
            + Self.advice("--memory-share"))
      default:
        throw .usage("--capacity: \(ByteCount.bytes(room.byteCount)) are too few, \(need): give a larger --capacity")
      }
    }
    guard let shards else { return }
    guard shards > 0, shards & (shards - 1) == 0 else { throw .usage("--shards: '\(shards)' is not a power of two") }
    guard shards <= min(most, 1 << 16) else {
      throw .usage("--shards: \(shards) are more than the blocks that there is room for, or than 65536")
    }
  }

  private static func advice(_ option: String) -> String { "give a larger \(option), or say --capacity" }

  private static func room(memoryShare: Int, of blocks: Int, _ grid: BlockGrid) throws(ToolFailure) -> Room {
    guard (1...100).contains(memoryShare) else {
      throw .usage("--memory-share: '\(memoryShare)' is not from 1 to 100 percent")
    }
    return .bytes(.bytes((blocks * memoryShare + 50) / 100 * MemoryStore.charge(of: grid.blockSize)))
  }

  private static func room(
    blocks: Int?, capacity: String?, share: Int?, uniqueBytes: () -> Int
  ) throws(ToolFailure) -> Room {
    switch (blocks, capacity, share) {
    case (nil, nil, let share?):
      guard (1...100).contains(share) else { throw .usage("--share: '\(share)' is not from 1 to 100 percent") }
      return .bytes(.bytes(uniqueBytes() / 100 * share))
    case (let blocks?, nil, nil):
      guard blocks > 0 else { throw .usage("--blocks: there must be one at least") }
      return .blocks(blocks)
    case (nil, let capacity?, nil):
      guard let count = ByteCount(capacity) else {
        throw .usage("--capacity: '\(capacity)' is not a number of bytes: write 4096, 64MiB or 2GiB")
      }
      return .bytes(count)
    default:
      throw .usage("say once how large the cache is: by --blocks, by --capacity, or by --share")
    }
  }

  /// An empty store with these options and `policy`.
  ///
  /// - Parameter estimates: whether it estimates the hits of other sizes, as well as it can.
  func store(_ policy: Eviction, estimates: Bool = false) -> MemoryStore {
    var configuration: MemoryStore.Configuration
    switch room {
    case .blocks(let count): configuration = .init(blocks: count, of: blockSize)
    case .bytes(let count): configuration = .init(limit: count)
    }
    configuration.typicalBlockSize = blockSize
    configuration.eviction = policy
    configuration.shards = shards
    configuration.sampling = estimates ? .thorough : .none
    return MemoryStore(configuration)
  }

  /// The cache in words.
  var description: String {
    switch room {
    case .blocks(let count): "\(Figures.count(count, "block")) of \(blockSize)"
    case .bytes(let count): "\(count) in blocks of \(blockSize)"
    }
  }
}
#endif
