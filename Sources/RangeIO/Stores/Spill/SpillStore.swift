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
/// the second time. Whole segments go, the oldest first; what was read since it was written is copied on, up to a
/// quarter of a segment.
///
/// **Memory.** At most 64 bytes a block for the index, which count towards no limit: ``statistics()`` tells. What waits
/// to be written is bounded by ``Configuration/stagingLimit``.
public final class SpillStore: ChunkStore {
  /// The sources that this store knows.
  public let sources: ChunkSources
  let configuration: Configuration
  let directory: any SpillDirectory
  let ledger: SpillLedger
  let state: Locked<SpillState>
  let watch: DiskWatch
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
    state: consuming sending SpillState, writer: SpillWriter, readOnlyReason: ReadOnlyReason?
  ) {
    self.configuration = configuration
    self.sources = sources
    self.directory = directory
    self.ledger = ledger
    self.writer = writer
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
      all.segments = state.places.count { $0 != nil }
      all.indexBytes = state.table.byteCount + state.ghost.byteCount
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

  /// The slot of a token, if its source can be known on a disk.
  func slot(of token: ChunkToken) -> Int? {
    if let known = state.withLock({ $0.sources.binding(of: token.number) }) { return known.slot }
    guard token.isAlive else { return nil }
    let identity = SpillIdentity(token.source, token.grid)
    let (slot, others) = state.withLock { state -> (Int?, [Int]) in
      guard let slot = state.sources.bind(token, to: identity), let identity else { return (nil, []) }
      // A version that is read now makes those useless that nobody reads.
      let others = state.sources.slots(ofID: identity.id).filter {
        $0 != slot && state.sources[$0].bindings == 0 && !state.sources[$0].identity.isVersion(of: identity)
      }
      return (slot, others)
    }
    for other in others { forget(other) }
    return slot
  }

  /// Forgets what is known of a source whose version is not read any more. Its records die with their segments.
  func forget(_ slot: Int) {
    let staged = state.withLock { state in state.unstage { $1.slot == slot } }
    withExtendedLifetime(staged) {}
    sweep { $0.source == slot }
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
      let birth = record.birthMilliseconds * 1_000_000
      return birth > now || now - birth >= limit
    }
    state.withLock { $0.counts.expirations += count }
  }
}

extension SpillIdentity {
  /// Whether this is the same version as another, on whatever grid.
  func isVersion(of other: SpillIdentity) -> Bool { bytes[4...] == other.bytes[4...] }
}
