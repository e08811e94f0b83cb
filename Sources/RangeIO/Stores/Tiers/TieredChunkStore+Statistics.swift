extension TieredChunkStore {
  /// What the tiers of a store hold and have done.
  public struct Statistics: Hashable, Sendable, Codable {
    /// The number of bytes that all tiers in memory may take together.
    public package(set) var limit = 0
    /// The number of bytes that they take, with the room set aside for chunks on their way down and to the disk, used
    /// or not.
    public package(set) var bytes = 0
    /// The most bytes that they ever took at once.
    public package(set) var peakBytes = 0
    /// The memory tier. Its misses include bytes that the tiers below may have.
    public package(set) var memory = MemoryStore.Statistics()
    /// The chunks on their way down from memory.
    public package(set) var moving = Moving()
    /// The compressed tier.
    public package(set) var compressed = CompressedStatistics()
    /// The chunks on their way to the disk, if there is a compressed tier above it.
    public package(set) var movingToDisk = Moving()
    /// The tier on disk, if there is one.
    public package(set) var disk: DiskStatistics?

    package init() {}
  }
}

extension TieredChunkStore.Statistics {
  /// What is moving from one tier to the tier below.
  public struct Moving: Hashable, Sendable, Codable {
    /// The number of bytes that may be moving.
    package var limit = 0
    /// The number of bytes that are moving.
    public package(set) var bytes = 0
    /// The number of chunks that are moving.
    package var chunks = 0
    /// Chunks dropped because the queue was full or memory was short.
    public package(set) var dropped = 0
    /// Chunks that the tier below took.
    public package(set) var moved = 0
    /// Chunks that the tier below refused.
    package var refused = 0
    /// Look-ups that found a moving chunk.
    public package(set) var hits = 0
    /// Chunks that were promoted again before they arrived.
    package var cancelled = 0

    package init() {}
  }
}

extension TieredChunkStore.Statistics: CustomStringConvertible {
  /// A summary for people: one line for everything in memory, which has one limit, and one for each tier.
  public var description: String {
    // The other tiers use what one tier leaves of the limit.
    let above = """
      in all: \(bytes) of \(limit) bytes of memory, with the room set aside for chunks on their way down
      memory: \(memory.bytes) bytes in \(memory.told)
      moving: \(moving.moved) moved, \(moving.dropped) dropped, \(moving.hits) hits
      compressed: \(compressed)
      """
    return disk.map { above + "\ndisk: \($0)" } ?? above
  }
}
