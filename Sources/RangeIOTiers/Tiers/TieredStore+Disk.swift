public import RangeIO

extension TieredStore {
  /// Creates a store of memory, compressed memory if that has a limit, and a directory on disk, with what an earlier
  /// process has left there.
  ///
  /// Chunks that wait to be written count towards the memory's limit: up to 8 MiB, but at most an eighth of the disk's
  /// limit and a quarter of the memory. Larger blocks are not kept on the disk. For the usual blocks of 64 KiB, memory
  /// needs more than 256 KiB, and the disk more than 512 KiB. ``lastDiskFailure`` says so of less.
  ///
  /// - Parameters:
  ///   - memory: the most that the tier of plain memory may take.
  ///   - compressed: the most that the compressed tier may take. Default: there is no compressed tier.
  ///   - disk: the directory, its limit, and what is kept there.
  /// - Throws: as ``init(disk:)``.
  public convenience init(
    memory: ByteCount, compressed: ByteCount = .bytes(0), disk: DiskConfiguration
  ) async throws {
    try await self.init(Configuration(memory: memory, compressed: compressed), disk: disk)
  }

  /// Creates a store that keeps everything on a disk, with what an earlier process has left in the directory. Most
  /// programs want memory above it.
  ///
  /// - Throws: `ReadError.Code.inUse` if another process has the directory; `unsupportedFormat` if another version of
  ///   this library has made it; `ReadError.Code.permissionDenied` if it belongs to another user, who lets this one
  ///   make none below it; `ReadError.Code.inputOutput` if its file system has no locks;
  ///   `ReadError.Code.invalidConfiguration` if it contains other files, or the codec has the id of one of this
  ///   library's codecs; `ReadError.Code.limitExceeded` if the limit is too small for anything; and errors from the
  ///   system.
  /// - Complexity: reads the lists in the files, 40 bytes per block; after a crash also one whole file.
  public convenience init(disk: DiskConfiguration) async throws {
    let store = try await SpillStore.open(disk)
    self.init(store, EmptyStore(store.sources), memory: nil, queueLimit: 0, disk.background)
  }

  /// Creates a store of memory, compressed memory if that has a limit, and a directory on disk.
  ///
  /// - Parameters:
  ///   - configuration: the settings of the tiers in memory. The disk uses the same age limit.
  ///   - disk: the settings of the tier on disk.
  /// - Throws: as ``init(disk:)``.
  public convenience init(_ configuration: Configuration, disk: DiskConfiguration) async throws {
    var below = disk
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
    let budget = MemoryBudget(
      limit: Configuration.sum(configuration.memory.limit, configuration.compressed.limit),
      room: configuration.memory.room)
    budget.charge(staging + queue)
    guard isAlone else {
      let inner = TieredStore(above, budget: budget)
      let store = try await SpillStore.open(below, sources: inner.sources)
      var tiers = inner.memory
      tiers?.stagingBytes = asked
      tiers?.limits = configuration.limits
      self.init(inner, store, memory: tiers, queueLimit: queue, configuration.background)
      store.noteTooLittleRoom(disk, below: configuration.memory.limit)
      return
    }
    let upper = MemoryStore(above.memory, sources: ChunkSources(), budget: budget)
    budget.lends { [weak upper] bytes in upper?.giveUp(bytes) }
    let store = try await SpillStore.open(below, sources: upper.sources)
    self.init(
      upper, store,
      memory: MemoryTiers(
        memory: upper, compressed: nil, budget: budget, limits: configuration.limits,
        queueLimit: configuration.queueLimit, stagingBytes: asked),
      queueLimit: queue, configuration.background)
    store.noteTooLittleRoom(disk, below: configuration.memory.limit)
  }

  /// Writes bytes of a source to the disk because you ask for it. It does not matter what the source costs to read,
  /// whether the store is full, or whether the bytes come for the first time.
  ///
  /// Use this for bytes that must be there after a restart, for example to prepare a warm start. Bytes that readers
  /// read need no such call: they are stored automatically.
  ///
  /// ```swift
  /// let block = try await reader.read(0..<65_536)
  /// try await store.store(block, at: 0..<65_536, of: reader.source)
  /// ```
  ///
  /// Returns when the bytes are written. Like everything in the store, they may be evicted later to make room.
  ///
  /// - Parameters:
  ///   - bytes: as many as `range` has, of exactly the version that `source` describes.
  ///   - range: whole blocks of the source's `SourceDescription.preferredBlockSize`, or up to its end.
  ///   - source: the version that the bytes are of, such as `reader.source`.
  /// - Throws: `ReadError.Code.limitExceeded` if a block can never fit into a file of this store, or, with
  ///   `ReadError.isTransient`, if there is no room for it now; `ReadError.Code.invalidConfiguration` if there is
  ///   no tier on disk, it is read-only, or the source's version cannot be written down;
  ///   `ReadError.Code.rangeNotSatisfiable` if `range` does not consist of whole blocks of the source;
  ///   `ReadError.Code.closed`; the error of the disk; `CancellationError`.
  /// - Complexity: waits for the disk.
  public func store(_ bytes: Bytes, at range: ByteRange, of source: SourceDescription) async throws {
    guard let spill else {
      throw ReadError(
        .invalidConfiguration, "the store has no tier on a disk: make it with `disk:`",
        context: .init(source: source.name))
    }
    try await spill.store(bytes, at: range, of: source)
  }

  /// The last error of the disk, if there ever was one; or that too little may wait for it, so that it keeps nothing.
  public var lastDiskFailure: ReadError? { spill?.lastFailure }

  /// Waits until everything stored before this call is on the disk, and durable if ``DiskConfiguration/syncsEvery`` is
  /// set. Does nothing without a tier on disk.
  ///
  /// Chunks that could not be written are dropped, as always. Removals are not.
  ///
  /// - Parameter deadline: how long to wait for a disk that hangs. What was not written by then still waits to be
  ///   written.
  /// - Throws: `CancellationError`; `ReadError.Code.timedOut` at the deadline; the error of the disk if something could
  ///   not be made durable, or a removal could not be written.
  public func flush(within deadline: Duration = .seconds(60)) async throws {
    guard let spill else { return }
    let end = now.advanced(by: deadline)
    try await waitForMovers(spill, until: end)
    try await spill.flush(by: end)
  }

  /// Waits until every chunk that is moving now has arrived. From the top first, since a chunk may arrive in the next
  /// queue.
  private func waitForMovers(_ spill: SpillStore, until end: ReadClock.Instant?) async throws {
    for mover in movers {
      if let departure = mover.departure() { try await spill.wait(for: departure, until: end) }
    }
  }

  /// Writes what is in memory and may be kept on disk, then closes the directory, and parts that are your own stores. Readers may
  /// continue; what they read is then kept in memory only.
  ///
  /// - Parameter deadline: how long writing may take, and then how long each store of your own may. What is not written by then
  ///   is lost; it can be read again.
  /// - Throws: as ``flush(within:)``. The store is closed even if this throws; in a cancelled task at once, and then the
  ///   directory is free for others a moment later.
  public func close(within deadline: Duration = .seconds(10)) async throws {
    var failure: (any Error)?
    do { try await closeDisk(within: deadline) } catch { failure = error }
    for part in parts {
      do { try await part.close(within: deadline) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private func closeDisk(within deadline: Duration) async throws {
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

/// Keeps nothing: what stands below a tier that is alone.
final class EmptyStore: FullChunkStore {
  let sources: ChunkSources

  init(_ sources: ChunkSources) { self.sources = sources }

  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup { .miss }
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] { [] }
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool { false }
  func cancel(_ reservation: ChunkReservation) {}
  func erase(_ range: ByteRange, of token: ChunkToken) {}

  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    [ReadExplanation.Part(range, .source)]
  }
}
