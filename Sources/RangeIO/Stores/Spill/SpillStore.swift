/// Keeps chunks on a disk: the last tier, which survives the process.
///
/// ```swift
/// let store = try await TieredChunkStore(
///   memory: .mebibytes(256), compressed: .mebibytes(128),
///   spill: .init(directory: "/var/cache/app", limit: .gibibytes(20)))
/// ```
///
/// A log of segments in a directory that it alone owns; `Docs/Formats/SpillFile.md` is its format. One thread writes,
/// beside the reads, in batches sorted by source and block; neighbours are read back as one. Every record is checked
/// against its sums and against what was looked for: damage is a miss. A disk that fails or hangs is left alone for a
/// while, and never makes a read fail.
///
/// **What is kept.** Whole blocks of settled versions of sources whose validator has a
/// ``SourceValidator/persistentForm``. While there is room, all that the tier above evicts; once full, what comes for
/// the second time. Whole segments go: first one of which less than a fifth is found, else the oldest of which less than
/// half was read since it was written. What was read twice is copied on, up to a quarter of a segment.
///
/// **Memory.** At most 64 bytes a block for the index, a sixth more for the moment in which it grows, and 400 for each
/// version of a source of which something is here, beside its id. They count towards no limit: ``statistics()`` tells.
/// What is looked up and not here takes nothing. What waits to be written is bounded by ``Configuration/stagingLimit``.
///
/// **Threads and files.** Two threads read and one writes, of each directory. As many files are open as the process can
/// spare: a quarter of what it may open, at most 1,024.
public final class SpillStore: ChunkStore {
  /// The sources that this store knows.
  public let sources: ChunkSources
  let configuration: Configuration
  let directory: any SpillDirectory
  let ledger: SpillLedger
  let state: Locked<SpillState>
  let watch: DiskWatch
  /// Where it reads, and where it writes.
  let lanes: DiskLanes
  /// Only touched by the one thread that writes, see ``SpillWriter``.
  let writer: SpillWriter
  /// Why it takes nothing, if it does not.
  let readOnlyReason: ReadOnlyReason?

  /// Why a store takes nothing.
  public enum ReadOnlyReason: Hashable, Sendable {
    /// It was asked for.
    case configured
    /// The directory was made to refuse what is new when it is full, and this store would drop what is old.
    case otherConfiguration
  }

  /// What `lock`, `store` and its successor take at most.
  static let fixedBytes = 3 * 4096

  init(
    _ configuration: Configuration, sources: ChunkSources, directory: any SpillDirectory, ledger: SpillLedger,
    state: consuming sending SpillState, writer: SpillWriter, lanes: DiskLanes, readOnlyReason: ReadOnlyReason?
  ) {
    self.configuration = configuration
    self.sources = sources
    self.directory = directory
    self.ledger = ledger
    self.writer = writer
    self.lanes = lanes
    self.readOnlyReason = readOnlyReason
    self.state = Locked(state)
    watch = DiskWatch(
      configuration.time, configuration.background, late: configuration.late, stall: configuration.breaker.stall)
  }

  /// The present by the clock of the tiers above.
  public var now: ReadInstant { configuration.time.now }

  /// Whether nothing is here.
  public var isEmpty: Bool { state.withLock { $0.table.count == 0 && $0.staging.count == 0 } }

  /// Whether chunks are taken: not if the store is closed or only reads.
  public var isWritable: Bool { readOnlyReason == nil && !state.withLock { $0.isClosed } }

  /// What the store holds and has done.
  ///
  /// - Complexity: O(segments).
  public func statistics() -> SpillStatistics {
    var all = SpillStatistics()
    state.withLock { state in
      all.set(state.counts)
      all.blocks = state.table.count
      all.storedBytes = state.storedBytes
      all.sources = state.sources.count
      all.segments = state.places.count { $0 != nil } + state.unread.count
      all.segmentsLeftOut = state.unread.count
      all.indexBytes = state.table.byteCount + state.ghost.byteCount + state.sources.byteCount
      all.stagedBytes = state.staging.bytes
      all.breakerOpenings = state.breaker.openings
      all.breakerClosings = state.breaker.closings
      switch state.breaker.state {
      case .closed: all.breaker = .closed
      case .open: all.breaker = .open
      case .trying: all.breaker = .trying
      }
    }
    all.limit = ledger.limit
    all.bytes = ledger.bytes
    all.peakBytes = ledger.peakBytes
    return all
  }

  /// Why the disk failed the last time, if it ever did.
  public var lastFailure: ReadError? { state.withLock { $0.lastFailure } }

  // MARK: tokens

  /// What a token stands for; `nil` if it is retired, or the store closed.
  func binding(of token: ChunkToken) -> SpillSources.Binding? {
    if let known = state.withLock({ $0.sources.binding(of: token.number) }) { return known }
    guard token.isAlive else { return nil }
    let identity = SpillIdentity(token.source, token.grid)
    let (binding, outdated, sweeps) = state.withLock { state in
      guard !state.isClosed else { return (nil as SpillSources.Binding?, [] as [SpillStaging.Entry], false) }
      state.sources.bind(token, to: identity)
      let outdated = identity.map { state.outdate(othersThan: $0) } ?? []
      return (state.sources.binding(of: token.number), outdated, state.beginSweepingOutdated())
    }
    withExtendedLifetime(outdated) {}
    if sweeps { sweepOutdated() }
    return binding
  }

  /// As ``binding(of:)``, by the number of the token.
  func binding(of token: UInt64) -> SpillSources.Binding? {
    if let known = state.withLock({ $0.sources.binding(of: token) }) { return known }
    return sources.token(numbered: token).flatMap { binding(of: $0) }
  }

  /// Forgets the sources of which nothing is left, if there are many. Only by who writes, who may know a source that is
  /// about to be forgotten.
  func sweepSources() {
    guard state.withLock({ $0.sources.isTimeToSweep }) else { return }
    var next: Int? = 0
    while let first = next {
      next = state.withLock { state in
        state.sources.sweep(from: first, SpillState.sweptAtOnce, oldestSegment: state.oldestSegment)
      }
    }
  }

  /// Takes the blocks of all outdated versions out of the index, in one walk beside the reads.
  func sweepOutdated() {
    configuration.background.startElsewhere(.utility) { [weak self] in
      var next: Int? = 1
      while let self, let first = next {
        next = state.withLock { $0.sweepOutdated(from: first) }
        await Task.yield()
      }
    }
  }

  /// Takes out of the index what `isMeant`, a part in one hold of the lock.
  ///
  /// - Returns: how many.
  @discardableResult func sweep(where isMeant: @Sendable (SpillTable.Record) -> Bool) -> Int {
    var next: Int? = 1
    var removed = 0
    while let first = next {
      let step = state.withLock { $0.sweep(from: first, isMeant) }
      removed += step.removed
      next = step.next
    }
    return removed
  }

  // MARK: time

  /// Changes how long chunks are kept after they were asked for from the source. What is older is not found any more,
  /// and goes with its segment, or with ``removeExpired()``.
  public func limit(age: Duration?) {
    state.withLock { $0.ageLimit = age?.nanoseconds ?? .max }
  }

  /// Forgets what is older than the limit.
  public func removeExpired() {
    let now = configuration.wallClock()
    let limit = state.withLock { $0.ageLimit }
    guard limit != .max else { return }
    let count = sweep { record in
      let fetchedAt = record.birthMilliseconds * 1_000_000
      return fetchedAt > now || now - fetchedAt >= limit
    }
    state.withLock { $0.counts.expirations += count }
  }
}
