extension TieredChunkStore {
  /// The budget of the tiers in memory, if this store made them.
  public var budget: MemoryBudget? { memory?.budget }

  /// Whether the store holds all of `range`, in any tier. Does not count as a read.
  ///
  /// - Parameter source: the description that the reader has where the `Caching` stage stands.
  public func contains(_ range: ByteRange, of source: SourceDescription) -> Bool {
    guard source.has(range), !range.isEmpty else { return range.isEmpty }
    if spill != nil, sources.tokens(of: source).isEmpty, let grid = BlockGrid(blockSize: source.preferredBlockSize) {
      // An earlier process may have left it.
      let (token, retired) = sources.token(for: source, grid: grid, reading: false)
      for token in retired { eraseRetired(token) }
      return holds(range, token: token.number, grid: grid)
    }
    return sources.tokens(of: source).contains { holds(range, token: $0.number, grid: $0.grid) }
  }

  /// Protects the blocks that hold `range` from eviction: the blocks that are here, and those added later. They count
  /// towards the limit, and age limits still apply. What is compressed stays compressed.
  ///
  /// - Throws: `ReadError.Code.rangeNotSatisfiable` if the source has no such range; `invalidConfiguration` if no part
  ///   is a ``MemoryStore``.
  public func pin(_ range: ByteRange, of source: SourceDescription) throws {
    _ = try memoryPart("pins")
    for store in memoryParts { try store.pin(range, of: source) }
  }

  /// Allows the blocks that hold `range` to be evicted again.
  public func unpin(_ range: ByteRange, of source: SourceDescription) {
    for store in memoryParts { store.unpin(range, of: source) }
  }

  /// Keeps a few bytes of your own with a version of a source. They count towards the limit, and are removed when the
  /// source is removed or changes.
  ///
  /// - Throws: `ReadError.Code.limitExceeded` if there is no room; the old metadata is then still there.
  ///   `invalidConfiguration` if no part is a ``MemoryStore``.
  public func setMetadata(_ metadata: Bytes?, of source: SourceDescription) throws {
    try memoryPart("metadata").setMetadata(metadata, of: source)
  }

  /// The metadata kept with a version of a source.
  public func metadata(of source: SourceDescription) -> Bytes? {
    sources.tokens(of: source).lazy.compactMap(\.entry.metadata).first
  }

  /// The parts that hold uncompressed bytes in memory, from the top down.
  private var memoryParts: [MemoryStore] { parts.compactMap { $0 as? MemoryStore } }

  /// The topmost of them.
  private func memoryPart(_ purpose: String) throws(ReadError) -> MemoryStore {
    guard let first = memoryParts.first else {
      throw ReadError(
        .invalidConfiguration, "no store that this one is composed of keeps \(purpose): a MemoryStore does")
    }
    return first
  }

  /// Returns what the tiers hold and have done. If there are several parts of one kind, the values are those of the
  /// topmost part. `limit`, `bytes` and `peakBytes` include all parts in memory.
  public func statistics() -> TieredStatistics {
    var all = TieredStatistics()
    all.moving = mover.statistics()
    let movers = movers
    if spill != nil, let first = movers.first, let last = movers.last, first !== last {
      (all.moving, all.spilling) = (first.statistics(), last.statistics())
    }
    for part in parts.reversed() {
      switch part {
      case let part as MemoryStore: all.memory = part.statistics()
      case let part as CompressedStore: all.compressed = part.statistics()
      case let part as SpillStore: all.spill = part.statistics()
      default: break
      }
    }
    (all.limit, all.bytes, all.peakBytes) = memoryUse
    return all
  }

  /// The memory limit of all parts together, the bytes they take, and the most they have taken.
  private var memoryUse: (limit: Int, bytes: Int, peakBytes: Int) {
    if let budget { return (budget.limit.bytes, budget.bytes, budget.peakBytes) }
    return [upper, lower].reduce((0, 0, 0)) { sum, part in
      let one: (limit: Int, bytes: Int, peakBytes: Int)
      switch part {
      case let part as TieredChunkStore: one = part.memoryUse
      case let part as MemoryStore: one = (part.ledger.ownLimit, part.ledger.bytes, part.ledger.peakBytes)
      case let part as CompressedStore:
        let statistics = part.statistics()
        one = (statistics.limit, statistics.bytes, statistics.peakBytes)
      default: return sum
      }
      let (limit, overflow) = sum.0.addingReportingOverflow(one.limit)
      return (overflow ? .max : limit, sum.1 + one.bytes, sum.2 + one.peakBytes)
    }
  }
}

/// What the tiers of a store hold and have done.
public struct TieredStatistics: Hashable, Sendable, Codable {
  /// The number of bytes that all tiers in memory may take together.
  public var limit = 0
  /// The number of bytes that they take.
  public var bytes = 0
  /// The most bytes that they ever took at once.
  public var peakBytes = 0
  /// The memory tier. Its misses include bytes that the tiers below may have.
  public var memory = MemoryStatistics()
  /// The chunks on their way down.
  public var moving = MovingStatistics()
  /// The compressed tier.
  public var compressed = CompressedStatistics()
  /// The chunks on their way to the disk, if there is a compressed tier above it.
  public var spilling = MovingStatistics()
  /// The tier on disk, if there is one.
  public var spill: SpillStatistics?

  /// Creates statistics in which every value is zero.
  public init() {}
}

extension TieredStatistics: CustomStringConvertible {
  /// A summary for people: one line for everything in memory, which has one limit, and one for each tier.
  public var description: String {
    // The other tiers use what one tier leaves of the limit.
    let above = """
      in memory: \(bytes) of \(limit) bytes
      memory: \(memory.bytes) bytes in \(memory.told)
      moving: \(moving.moved) moved, \(moving.dropped) dropped, \(moving.hits) hits
      compressed: \(compressed)
      """
    return spill.map { above + "\nspill: \($0)" } ?? above
  }
}
