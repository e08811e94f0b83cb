extension TieredChunkStore {
  /// The budget of the tiers in memory, if this store made them.
  package var budget: MemoryBudget? { memory?.budget }

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
  public func statistics() -> Statistics {
    var all = Statistics()
    all.moving = mover.statistics()
    let movers = movers
    if spill != nil, let first = movers.first, let last = movers.last, first !== last {
      (all.moving, all.movingToDisk) = (first.statistics(), last.statistics())
    }
    for part in parts.reversed() {
      switch part {
      case let part as MemoryStore: all.memory = part.statistics()
      case let part as CompressedStore: all.compressed = part.statistics()
      case let part as SpillStore: all.disk = part.statistics()
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
