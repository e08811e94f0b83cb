public import RangeIO

extension TieredStore {
  /// The counts of a store's tiers, and of what they hold.
  package struct Counts: Equatable, Sendable {
    /// The number of bytes that all tiers in memory may take together.
    package var limit = 0
    /// The number of bytes that they take, with the room set aside for chunks on their way down and to the disk, used
    /// or not.
    package var bytes = 0
    /// The most bytes that they ever took at once.
    package var peakBytes = 0
    /// The memory tier. Its misses include bytes that the tiers below may have.
    package var memory = MemoryCounts()
    /// The chunks on their way down from memory.
    package var moving = QueueCounts()
    /// The compressed tier.
    package var compressed = CompressedCounts()
    /// The chunks on their way to the disk, if there is a compressed tier above it.
    package var movingToDisk = QueueCounts()
    /// The tier on disk, if there is one.
    package var disk: DiskCounts?

    package init() {}
  }

  /// The budget of the tiers in memory, if this store made them.
  package var budget: MemoryBudget? { memory?.budget }

  /// Returns what the tiers hold and have done, from the top down. `all memory` counts all tiers in memory together,
  /// with the room set aside for chunks on their way. Then come `memory`, `compressed`, `disk`, and what your own
  /// stores report; after each tier the queue of chunks on their way down from it, such as `memory queue`. The misses
  /// of a tier include bytes that those below have.
  public func statistics() -> [Counters] {
    let use = memoryUse
    let all = Counters("all memory", counts: ["bytes": use.bytes, "limit": use.limit, "peakBytes": use.peakBytes])
    return [all] + listed
  }

  /// The tiers of this store, each with its queue.
  private var listed: [Counters] {
    func listed(_ store: any FullChunkStore) -> [Counters] {
      (store as? TieredStore)?.listed ?? store.statistics()
    }
    let above = listed(upper)
    guard !(lower is EmptyStore) else { return above }
    return above + [mover.counts().counters("\(above.last?.name ?? "upper") queue")] + listed(lower)
  }

  /// Returns what the tiers hold and have done. If there are several parts of one kind, the values are those of the
  /// topmost part. `limit`, `bytes` and `peakBytes` include all parts in memory.
  package func counts() -> Counts {
    var all = Counts()
    all.moving = mover.counts()
    let movers = movers
    if spill != nil, let first = movers.first, let last = movers.last, first !== last {
      (all.moving, all.movingToDisk) = (first.counts(), last.counts())
    }
    for part in parts.reversed() {
      switch part {
      case let part as MemoryStore: all.memory = part.counts()
      case let part as CompressedStore: all.compressed = part.counts()
      case let part as SpillStore: all.disk = part.counts()
      default: break
      }
    }
    (all.limit, all.bytes, all.peakBytes) = memoryUse
    return all
  }

  /// Returns how often the memory tier would hit with half, once, twice and four times its limit: `MemoryStore.estimates()`
  /// of the topmost one. Empty without one.
  public func estimates() -> [MemoryStore.Estimate] {
    parts.lazy.compactMap { $0 as? MemoryStore }.first?.estimates() ?? []
  }

  /// The memory limit of all parts together, the bytes they take, and the most they have taken.
  private var memoryUse: (limit: Int, bytes: Int, peakBytes: Int) {
    if let budget { return (budget.limit.bytes, budget.bytes, budget.peakBytes) }
    return [upper, lower].reduce((0, 0, 0)) { sum, part in
      let one: (limit: Int, bytes: Int, peakBytes: Int)
      switch part {
      case let part as TieredStore: one = part.memoryUse
      case let part as MemoryStore: one = (part.ledger.ownLimit, part.ledger.bytes, part.ledger.peakBytes)
      case let part as CompressedStore: one = (part.ledger.limit, part.ledger.bytes, part.ledger.peakBytes)
      default: return sum
      }
      let (limit, overflow) = sum.0.addingReportingOverflow(one.limit)
      return (overflow ? .max : limit, sum.1 + one.bytes, sum.2 + one.peakBytes)
    }
  }
}
