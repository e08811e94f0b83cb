extension TieredChunkStore {
  /// The budget of the tiers that live in memory, if this store made them.
  public var budget: MemoryBudget? { memory?.budget }

  /// Whether all of `range` is here, in whatever tier. Does not count as a read.
  ///
  /// - Parameter source: as the reader describes it where the `Caching` stage stands.
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

  /// Keeps the blocks that hold `range` from being evicted: those that are here, and those that come. They count
  /// towards the limit, and age limits still apply. What is compressed stays so.
  ///
  /// - Throws: `ReadError.Code.rangeNotSatisfiable` if the source has no such range; `invalidConfiguration` if no part is
  ///   a ``MemoryStore``.
  public func pin(_ range: ByteRange, of source: SourceDescription) throws {
    _ = try memoryPart("pins")
    for store in memoryParts { try store.pin(range, of: source) }
  }

  /// Lets the blocks that hold `range` be evicted again.
  public func unpin(_ range: ByteRange, of source: SourceDescription) {
    for store in memoryParts { store.unpin(range, of: source) }
  }

  /// Keeps a few bytes of yours with a version of a source. They go when the source is removed or changes, and count
  /// towards the limit.
  ///
  /// - Throws: `ReadError.Code.limitExceeded` if there is no room, with what was there before still there;
  ///   `invalidConfiguration` if no part is a ``MemoryStore``.
  public func setMetadata(_ metadata: Bytes?, of source: SourceDescription) throws {
    try memoryPart("metadata").setMetadata(metadata, of: source)
  }

  /// The bytes kept with a version of a source.
  public func metadata(of source: SourceDescription) -> Bytes? {
    sources.tokens(of: source).lazy.compactMap(\.entry.metadata).first
  }

  /// The parts that have bytes at hand, from the top down.
  private var memoryParts: [MemoryStore] { parts.compactMap { $0 as? MemoryStore } }

  /// The topmost of them.
  private func memoryPart(_ purpose: String) throws(ReadError) -> MemoryStore {
    guard let first = memoryParts.first else {
      throw ReadError(
        .invalidConfiguration, "no store that this one is composed of keeps \(purpose): a MemoryStore does")
    }
    return first
  }

  /// What the tiers hold and have done: of several parts of one kind, the topmost; in `limit`, `bytes` and `peakBytes` all
  /// that are in memory.
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

  /// What all parts together may take of memory, take, and have taken at most.
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
  /// The bytes that all tiers in memory may take together.
  public var limit = 0
  /// The bytes that they take.
  public var bytes = 0
  /// The most that they ever took.
  public var peakBytes = 0
  /// The tier that has bytes at hand. It misses what the tiers below may have.
  public var memory = MemoryStatistics()
  /// What is on its way down.
  public var moving = MovingStatistics()
  /// The compressed tier.
  public var compressed = CompressedStatistics()
  /// What is on its way to the disk, where there is a compressed tier above it.
  public var spilling = MovingStatistics()
  /// The tier on a disk, if there is one.
  public var spill: SpillStatistics?

  /// Nothing held and nothing done.
  public init() {}
}

extension TieredStatistics: CustomStringConvertible {
  /// A line for all that is in memory, which has one limit, and one for each tier, for people.
  public var description: String {
    // What one tier leaves of the limit the others use.
    let above = """
      in memory: \(bytes) of \(limit) bytes
      memory: \(memory.bytes) bytes in \(memory.told)
      moving: \(moving.moved) moved, \(moving.dropped) dropped, \(moving.hits) hits
      compressed: \(compressed)
      """
    return spill.map { above + "\nspill: \($0)" } ?? above
  }
}
