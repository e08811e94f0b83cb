extension TieredChunkStore {
  /// Creates a store of memory, compressed memory if that has a limit, and a directory on disk, with what an earlier
  /// process has left there.
  ///
  /// Chunks that wait to be written count towards the memory's limit: up to ``SpillStore/Configuration/stagingLimit``,
  /// but at most a quarter of the memory.
  ///
  /// - Parameter compressed: the most that the compressed tier may take. Default: there is no compressed tier.
  /// - Throws: as ``SpillStore/open(_:)``.
  public convenience init(
    memory: ByteCount, compressed: ByteCount = .bytes(0), spill: SpillStore.Configuration
  ) async throws {
    try await self.init(Configuration(memory: memory, compressed: compressed), spill: spill)
  }

  /// Creates a store of memory, compressed memory if that has a limit, and a directory on disk.
  ///
  /// - Parameters:
  ///   - configuration: the settings of the tiers in memory. The disk uses the same clock, background work and age
  ///     limit.
  ///   - spill: the settings of the tier on disk.
  /// - Throws: as ``SpillStore/open(_:)``.
  public convenience init(_ configuration: Configuration, spill: SpillStore.Configuration) async throws {
    var below = spill
    (below.time, below.background) = (configuration.time, configuration.background)
    below.ageLimit = configuration.ageLimit
    let asked = below.stagingBytes
    let staging = Configuration.stagingBytes(asked, of: configuration.memory.limit.bytes)
    below.stagingLimit = .bytes(staging)
    let queue = configuration.queueBytes
    let isAlone = configuration.compressed.limit.bytes == 0
    // The bytes that wait to be written, or are on their way there, are taken from the memory's limit in advance.
    var above = configuration
    above.memory.limit = .bytes(above.memory.limit.bytes - staging - queue)
    let budget = MemoryBudget(limit: Configuration.sum(configuration.memory.limit, configuration.compressed.limit))
    _ = budget.take(staging + queue)
    guard isAlone else {
      let inner = TieredChunkStore(above, budget: budget)
      let store = try await SpillStore.open(below, sources: inner.sources)
      var tiers = inner.memory
      tiers?.stagingBytes = asked
      self.init(inner, store, memory: tiers, queueLimit: queue, configuration.background)
      return
    }
    var memory = above.memory
    (memory.time, memory.background) = (configuration.time, configuration.background)
    (memory.ageLimit, memory.idleLimit) = (configuration.ageLimit, configuration.idleLimit)
    let upper = MemoryStore(memory, sources: ChunkSources(), budget: budget)
    budget.lends { [weak upper] bytes in upper?.giveUp(bytes) }
    let store = try await SpillStore.open(below, sources: upper.sources)
    self.init(
      upper, store,
      memory: MemoryTiers(
        memory: upper, compressed: nil, budget: budget, queueLimit: configuration.queueLimit, stagingBytes: asked),
      queueLimit: queue, configuration.background)
  }

  /// Waits until everything on its way to the disk is there. Does nothing without a tier on disk.
  ///
  /// - Throws: as ``SpillStore/flush()``.
  public func flush() async throws {
    guard let spill else { return }
    try await waitForMovers(spill, until: nil)
    try await spill.flush()
  }

  /// Waits until every chunk that is moving now has arrived. From the top first, since a chunk may arrive in the next
  /// queue.
  private func waitForMovers(_ spill: SpillStore, until end: ReadInstant?) async throws {
    for mover in movers {
      if let departure = mover.departure() { try await spill.wait(for: departure, until: end) }
    }
  }

  /// Writes what is in memory and may be kept on disk, then closes the directory. Readers may continue; what they read
  /// is then kept in memory only. Does nothing without a tier on disk.
  ///
  /// - Parameter deadline: how long writing may take. What is not written by then is lost; it can be read again.
  /// - Throws: as ``SpillStore/flush()``. The store is closed even if this throws.
  public func close(within deadline: Duration = .seconds(10)) async throws {
    guard let spill else { return }
    let end = now.advanced(by: deadline)
    // A moving chunk is neither above nor below. `try?`: what is not written in time is lost, which only costs time.
    try? await waitForMovers(spill, until: end)
    let residents = residents()
    while spill.isWritable, now < end, !Task.isCancelled, let chunks = residents.next() {
      for chunk in chunks {
        // Retried once, after making room: if it is dropped again, it cannot be written now.
        if spill.offer(chunk, isGated: false) == .dropped {
          try? await spill.flush(by: end)
          _ = spill.offer(chunk, isGated: false)
        }
      }
    }
    // Even a disk that hangs does not delay this longer: by then it is known to be sick.
    try await spill.close(by: max(end, now.advanced(by: .seconds(2))))
  }
}
