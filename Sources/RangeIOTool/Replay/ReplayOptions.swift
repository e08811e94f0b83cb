import RangeIO

/// What the numbers on the command line mean together.
struct ReplayOptions: Equatable {
  let grid: BlockGrid
  let capacity: ByteCount
  let shards: Int?

  /// - Parameters: as the user wrote them, each `nil` where he did not.
  init(blocks: Int?, capacity: String?, blockSize: String, shards: Int?) throws(ToolFailure) {
    guard let size = ByteCount(blockSize), let grid = BlockGrid(blockSize: size.bytes) else {
      throw .usage("--block-size: '\(blockSize)' is not a power of two: write 4KiB or 65536")
    }
    self.grid = grid
    self.capacity = try Self.capacity(blocks: blocks, capacity: capacity, size)
    guard self.capacity >= size else { throw .usage("a cache of \(self.capacity) has no room for a block of \(size)") }
    guard shards.map({ $0 > 0 }) ?? true else { throw .usage("--shards: there must be one at least") }
    // Each shard has its part of the capacity.
    guard self.capacity.bytes / (shards ?? 1) >= size.bytes else {
      throw .usage("--shards: a shard of \(self.capacity) ∕ \(shards ?? 1) has no room for a block of \(size)")
    }
    self.shards = shards
  }

  private static func capacity(blocks: Int?, capacity: String?, _ size: ByteCount) throws(ToolFailure) -> ByteCount {
    switch (blocks, capacity) {
    case (let blocks?, nil):
      guard blocks > 0 else { throw .usage("--blocks: there must be one at least") }
      let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size.bytes)
      guard !overflow else { throw .usage("--blocks: so many blocks of \(size) go past the largest number there is") }
      return .bytes(bytes)
    case (nil, let capacity?):
      guard let count = ByteCount(capacity) else {
        throw .usage("--capacity: '\(capacity)' is not a number of bytes: write 4096, 64MiB or 2GiB")
      }
      return count
    default:
      throw .usage("say how large the cache is: --blocks or --capacity")
    }
  }
}
