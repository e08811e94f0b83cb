public import RangeIO

/// The tiers in memory, under one budget.
struct MemoryTiers: Sendable {
  let memory: MemoryStore
  /// `nil` if chunks that memory evicts go to a disk as they are.
  let compressed: CompressedStore?
  let budget: MemoryBudget
  /// The limits as configured. That of memory includes what is taken in advance for chunks on their way down.
  var limits: TieredStore.Limits
  /// The limit as configured.
  let queueLimit: ByteCount?
  /// The bytes that may wait for a disk, if the memory's limit leaves room for that. Zero without a disk.
  var stagingBytes = 0
}

extension TieredStore {
  /// The limits of the tiers in memory.
  struct Limits: Sendable {
    var memory: ByteCount
    var compressed: ByteCount
  }

  /// The settings of a store of memory and compressed memory.
  public struct Configuration: Sendable {
    /// The tier that holds uncompressed bytes in memory. Its limit also covers chunks on their way down. It also uses
    /// what the compressed tier leaves free. Its time limits are those of all tiers.
    public var memory: MemoryStore.Configuration
    /// The compressed tier below. Its limit is the most it may take.
    package var compressed: CompressedStore.Configuration
    /// The codec of the compressed tier. Default: LZ4.
    public var codec: any ChunkCodec {
      get { compressed.codec }
      set { compressed.codec = newValue }
    }
    /// The part of the memory tier's limit that chunks on their way down may take, from zero to a quarter of it. A single
    /// chunk larger than this is dropped. Default: a sixteenth, from 256 KiB to 8 MiB.
    public var queueLimit: ByteCount?
    package var time: ReadClock {
      get { memory.time }
      set { memory.time = newValue }
    }
    package var background: BackgroundWork {
      get { memory.background }
      set { memory.background = newValue }
    }
    package var ageLimit: Duration? {
      get { memory.ageLimit }
      set { memory.ageLimit = newValue }
    }
    package var idleLimit: Duration? {
      get { memory.idleLimit }
      set { memory.idleLimit = newValue }
    }

    /// Creates a configuration with these limits and the defaults.
    ///
    /// - Parameters:
    ///   - memory: the most that the tier of plain memory may take.
    ///   - compressed: the most that the compressed tier may take. Zero, above a disk: there is none.
    public init(memory: ByteCount, compressed: ByteCount) {
      self.memory = MemoryStore.Configuration(limit: memory)
      self.compressed = CompressedStore.Configuration(limit: compressed)
    }

    var limits: Limits { Limits(memory: memory.limit, compressed: compressed.limit) }

    var queueBytes: Int { Self.queueBytes(queueLimit, of: memory.limit.bytes) }

    static func queueBytes(_ limit: ByteCount?, of memory: Int) -> Int {
      min(memory / 4, limit?.bytes ?? min(max(memory / 16, 256 << 10), 8 << 20))
    }

    /// The part of the requested bytes that may wait for a disk.
    static func stagingBytes(_ asked: Int, of memory: Int) -> Int { min(asked, memory / 4) }

    /// The sum of both limits, or the largest number if that overflows.
    static func sum(_ memory: ByteCount, _ compressed: ByteCount) -> ByteCount {
      let (sum, overflow) = memory.bytes.addingReportingOverflow(compressed.bytes)
      return .bytes(overflow ? .max : sum)
    }
  }

  /// Creates a store of memory, with compressed memory below it. Together they never take more than both limits.
  ///
  /// Useful if the data compresses and the source is slower than decompressing. `Docs/Guides/ChoosingTiers.md` shows
  /// when.
  public convenience init(memory: ByteCount, compressed: ByteCount) {
    self.init(Configuration(memory: memory, compressed: compressed))
  }

  /// Creates a store of memory, with compressed memory below it.
  ///
  /// - Precondition: as for `MemoryStore.init(_:)`. Limits are not negative.
  public convenience init(_ configuration: Configuration) {
    self.init(
      configuration,
      budget: MemoryBudget(
        limit: Configuration.sum(configuration.memory.limit, configuration.compressed.limit),
        room: configuration.memory.room))
  }

  /// - Parameter budget: some of it may already be taken that the memory's limit does not include.
  convenience init(_ configuration: Configuration, budget: MemoryBudget) {
    let queue = configuration.queueBytes
    var above = configuration.memory
    above.limit = .bytes(above.limit.bytes - queue)
    var below = configuration.compressed
    (below.time, below.background) = (configuration.time, configuration.background)
    (below.ageLimit, below.idleLimit) = (configuration.ageLimit, configuration.idleLimit)
    let memory = MemoryStore(above, sources: ChunkSources(), budget: budget)
    let compressed = CompressedStore(below, sources: memory.sources, budget: budget)
    // The queue is charged as a whole, in advance.
    budget.charge(queue)
    budget.lends { [weak memory] bytes in memory?.giveUp(bytes) }
    budget.tenant.add { [weak compressed] in compressed?.drop($0) ?? 0 }
    self.init(
      memory, compressed,
      memory: MemoryTiers(
        memory: memory, compressed: compressed, budget: budget, limits: configuration.limits,
        queueLimit: configuration.queueLimit),
      queueLimit: queue, configuration.background)
  }
}

// For the package `Benchmarks`, which measures single tiers as no program uses them. Not part of the API.

extension TieredStore {
  /// Creates a store of memory and compressed memory with limits that ``Configuration`` does not allow.
  @_spi(Benchmarks) public convenience init(
    memory: MemoryStore.Configuration, compressed: ByteCount, queueLimit: ByteCount
  ) {
    let memory = MemoryStore(memory)
    let compressed = CompressedStore(.init(limit: compressed), sources: memory.sources)
    self.init(memory, compressed, queueLimit: queueLimit)
  }

  /// The token of a source, which counts as being read from now on.
  @_spi(Benchmarks) public func token(of source: SourceDescription) -> ChunkToken? {
    BlockGrid(blockSize: source.preferredBlockSize.bytes).map { token(of: source, on: $0) }
  }

  /// Gives the disk one block, as the tier above does.
  @_spi(Benchmarks) public func demote(_ bytes: Bytes, at range: ByteRange, of token: ChunkToken) -> Bool {
    spill?.insertDemoted(Chunk(ticket: token.ticket(fetchedAt: now), pieces: [RangedBytes(range, bytes)])) ?? false
  }
}
