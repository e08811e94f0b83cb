extension TieredChunkStore {
  /// A store of memory, compressed memory if it has a limit, and a directory on a disk, with what an earlier process has
  /// left there.
  ///
  /// What waits to be written counts towards the memory's limit: ``SpillStore/Configuration/stagingLimit``, a quarter of
  /// the memory at most.
  ///
  /// - Parameter compressed: the cap of the compressed tier. Default: there is none.
  /// - Throws: as ``SpillStore/open(_:)``.
  public convenience init(
    memory: ByteCount, compressed: ByteCount = .bytes(0), spill: SpillStore.Configuration
  ) async throws {
    try await self.init(Configuration(memory: memory, compressed: compressed), spill: spill)
  }

  /// A store of memory, compressed memory if it has a limit, and a directory on a disk.
  ///
  /// - Parameters:
  ///   - configuration: of the tiers in memory; its clock, background work and age limit are those of the disk, too.
  ///   - spill: of the tier on the disk.
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
    // What waits to be written, and what is on its way to that, is taken from the memory's limit in advance.
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

  /// Waits until all is on the disk that is on its way there. Nothing without a tier on a disk.
  ///
  /// - Throws: as ``SpillStore/flush()``.
  public func flush() async throws {
    guard let spill else { return }
    try await waitForMovers(spill, until: nil)
    try await spill.flush()
  }

  /// Waits until all that is on its way now is where it goes to: from the top first, which may end at the next mover.
  private func waitForMovers(_ spill: SpillStore, until end: ReadInstant?) async throws {
    for mover in movers {
      if let departure = mover.departure() { try await spill.wait(for: departure, until: end) }
    }
  }

  /// Ends the use of the directory, having written what is in memory and may be kept there. Readers may go on; what they
  /// read is kept in memory only. Nothing without a tier on a disk.
  ///
  /// - Parameter deadline: the time that writing may take. What does not make it is lost, which costs time only.
  /// - Throws: as ``SpillStore/flush()``, with the store closed all the same.
  public func close(within deadline: Duration = .seconds(10)) async throws {
    guard let spill else { return }
    let end = now.advanced(by: deadline)
    // What is on its way is neither above nor below. `try?`: what does not make it is lost, which costs time only.
    try? await waitForMovers(spill, until: end)
    let residents = residents()
    while spill.isWritable, now < end, !Task.isCancelled, let chunks = residents.next() {
      for chunk in chunks {
        // Once, with room for it: what is dropped even so cannot be written now.
        if spill.offer(chunk, isGated: false) == .dropped {
          try? await spill.flush(by: end)
          _ = spill.offer(chunk, isGated: false)
        }
      }
    }
    // Even a disk that hangs does not keep this longer: by then it is known to be sick.
    try await spill.close(by: max(end, now.advanced(by: .seconds(2))))
  }
}
