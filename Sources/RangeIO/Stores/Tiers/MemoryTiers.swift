/// The tiers that live in memory, under one budget.
struct MemoryTiers: Sendable {
  let memory: MemoryStore
  /// None, if what memory evicts goes to a disk as it is.
  let compressed: CompressedStore?
  let budget: MemoryBudget
  /// As configured.
  let queueLimit: ByteCount?
  /// What may wait for a disk, if the memory's limit leaves room for that. Nothing without a disk.
  var stagingBytes = 0
}

extension TieredChunkStore {
  /// How a store of memory and compressed memory works.
  public struct Configuration: Sendable {
    /// The tier that has bytes at hand. Its limit is what belongs to it and to chunks on their way; what the compressed
    /// tier does not use, it uses too.
    public var memory: MemoryStore.Configuration
    /// The tier below. Its limit is a cap.
    public var compressed: CompressedStore.Configuration
    /// The bytes of the memory tier's limit that chunks on their way down may take, from nothing to a quarter of it. What
    /// is larger by itself is dropped. Default: a sixteenth, from 256 KiB to 8 MiB.
    public var queueLimit: ByteCount?
    /// The clock of ages, for both.
    public var time = TimeSource.continuous
    /// Where chunks are moved, and swept when they expire.
    public var background = BackgroundWork()
    /// How long chunks are kept after they were asked for from the source. Default: for as long as there is room.
    public var ageLimit: Duration?
    /// How long chunks are kept that nobody reads. Default: for as long as there is room.
    public var idleLimit: Duration?

    /// Defaults, with limits.
    public init(memory: ByteCount, compressed: ByteCount) {
      self.memory = MemoryStore.Configuration(limit: memory)
      self.compressed = CompressedStore.Configuration(limit: compressed)
    }

    var queueBytes: Int { Self.queueBytes(queueLimit, of: memory.limit.bytes) }

    static func queueBytes(_ limit: ByteCount?, of memory: Int) -> Int {
      min(memory / 4, limit?.bytes ?? min(max(memory / 16, 256 << 10), 8 << 20))
    }

    /// What may wait for a disk of what was asked for.
    static func stagingBytes(_ asked: Int, of memory: Int) -> Int { min(asked, memory / 4) }

    /// Both limits, as far as a number can say it.
    static func sum(_ memory: ByteCount, _ compressed: ByteCount) -> ByteCount {
      let (sum, overflow) = memory.bytes.addingReportingOverflow(compressed.bytes)
      return .bytes(overflow ? .max : sum)
    }
  }

  /// A store of memory, and compressed memory below it: together they never take more than both limits.
  ///
  /// Worth it where data compresses and the source takes longer than decompressing does; `Docs/Guides/ChoosingTiers.md`
  /// shows when.
  public convenience init(memory: ByteCount, compressed: ByteCount) {
    self.init(Configuration(memory: memory, compressed: compressed))
  }

  /// A store of memory, and compressed memory below it.
  ///
  /// - Precondition: as for ``MemoryStore/init(_:)``. Limits are positive.
  public convenience init(_ configuration: Configuration) {
    self.init(
      configuration,
      budget: MemoryBudget(limit: Configuration.sum(configuration.memory.limit, configuration.compressed.limit)))
  }

  /// - Parameter budget: of which something may be taken already that the memory's limit does not include.
  convenience init(_ configuration: Configuration, budget: MemoryBudget) {
    let queue = configuration.queueBytes
    var above = configuration.memory
    above.limit = .bytes(above.limit.bytes - queue)
    (above.time, above.background) = (configuration.time, configuration.background)
    (above.ageLimit, above.idleLimit) = (configuration.ageLimit, configuration.idleLimit)
    var below = configuration.compressed
    (below.time, below.background) = (configuration.time, configuration.background)
    (below.ageLimit, below.idleLimit) = (configuration.ageLimit, configuration.idleLimit)
    let memory = MemoryStore(above, sources: ChunkSources(), budget: budget)
    let compressed = CompressedStore(below, sources: memory.sources, budget: budget)
    // What is on its way is charged as a whole, in advance.
    _ = budget.take(queue)
    budget.lends { [weak memory] bytes in memory?.giveUp(bytes) }
    self.init(
      memory, compressed,
      memory: MemoryTiers(
        memory: memory, compressed: compressed, budget: budget, queueLimit: configuration.queueLimit),
      queueLimit: queue, configuration.background)
  }
}
