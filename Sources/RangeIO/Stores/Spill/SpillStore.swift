/// Keeps chunks on a disk: the last tier, which survives the process.
///
/// ```swift
/// let store = try await TieredChunkStore(
///   memory: .mebibytes(256), compressed: .mebibytes(128),
///   spill: .init(directory: "/var/cache/app", limit: .gibibytes(20)))
/// ```
///
/// The store is a log of segments in its own directory; `Docs/Formats/SpillFile.md` describes the format. One thread
/// writes in the background, in batches sorted by source and block; neighbours are read back at once. Every record is
/// checked against its checksums and against what was looked for: a damaged record is a miss. A disk that fails or
/// hangs is not used for a while, and never makes a read fail.
///
/// **What is kept.** Whole blocks of settled versions of sources whose validator has a
/// ``SourceDescription/Validator/persistentForm``. While there is room, everything that the tier above evicts; once
/// full, what comes for the second time. Whole segments are freed: first a segment with less than a fifth of live data,
/// otherwise the oldest of which less than half was read since it was written. Blocks that were read twice are copied,
/// up to a quarter of a segment.
///
/// **Memory.** At most 64 bytes per block for the index, a sixth more for the moment in which it grows, and 400 bytes
/// plus its id for each version of a source that has blocks here. They count towards no limit; ``statistics()`` reports
/// them. Look-ups of blocks that are not here take no memory. Chunks that wait to be written are bounded by
/// ``Configuration/stagingLimit``.
///
/// **Threads and files.** Each directory has two threads that read and one that writes. As many files are open as the
/// process can spare: a quarter of what it may open, at most 1,024.
package final class SpillStore: FullChunkStore {
  /// The sources that this store knows.
  package let sources: ChunkSources
  /// What it shares with its reads and its writer.
  let core: SpillCore
  /// Used only by the one thread that writes, see ``SpillWriter``.
  let writer: SpillWriter
  /// Why the store is read-only; `nil` if it is not.
  let readOnlyReason: ReadOnlyReason?

  /// Why a store is read-only.
  package enum ReadOnlyReason: Hashable, Sendable {
    /// The configuration says so.
    case configured
    /// The directory was created to refuse new blocks when it is full, but this store would drop old ones.
    case otherConfiguration
  }

  /// The most that `lock`, `store` and its successor take.
  static let fixedBytes = 3 * 4096

  init(
    _ core: SpillCore, sources: ChunkSources, writer: SpillWriter, readOnlyReason: ReadOnlyReason?
  ) {
    self.core = core
    self.sources = sources
    self.writer = writer
    self.readOnlyReason = readOnlyReason
  }

  var configuration: Configuration { core.configuration }
  var directory: any SpillDirectory { core.directory }
  var ledger: SpillLedger { core.ledger }
  var state: Locked<SpillState> { _read { yield core.state } }
  var watch: DiskWatch { core.watch }
  var lanes: DiskLanes { core.lanes }

  package var mayOutliveProcess: Bool { true }

  /// The current time by the clock of the tiers above.
  package var now: ReadInstant { configuration.time.now }

  /// Whether the store is empty.
  package var isEmpty: Bool { state.withLock { $0.table.count == 0 && $0.staging.count == 0 } }

  /// Whether the store takes chunks. `false` if it is closed or read-only.
  package var isWritable: Bool { readOnlyReason == nil && !state.withLock { $0.isClosed } }

  /// Returns what the store holds and has done.
  ///
  /// - Complexity: O(segments).
  package func statistics() -> DiskStatistics {
    var all = DiskStatistics()
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

  /// The last error of the disk, if there ever was one.
  package var lastFailure: ReadError? { state.withLock { $0.lastFailure } }

  // MARK: tokens

  /// What a token stands for; `nil` if it is retired, or the store is closed.
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

  /// Like ``binding(of:)``, by the number of the token.
  func binding(of token: UInt64) -> SpillSources.Binding? {
    if let known = state.withLock({ $0.sources.binding(of: token) }) { return known }
    return sources.token(numbered: token).flatMap { binding(of: $0) }
  }

  /// Removes the blocks of all outdated versions from the index, in one walk in the background.
  func sweepOutdated() {
    configuration.background.startElsewhere(.utility) { [weak self] in
      var next: Int? = 1
      while let self, let first = next {
        next = state.withLock { $0.sweepOutdated(from: first) }
        await Task.yield()
      }
    }
  }

  // MARK: time

  /// Changes how long chunks are kept after they were requested from the source. Older chunks can no longer be found.
  /// They are removed together with their segment, or by ``removeExpired()``.
  package func limit(age: Duration?) {
    state.withLock { $0.ageLimit = age?.nanoseconds ?? .max }
  }

  /// Removes what is older than the limit from the index.
  package func removeExpired() {
    let now = configuration.wallClock()
    let limit = state.withLock { $0.ageLimit }
    guard limit != .max else { return }
    let count = core.sweep { record in
      let fetchedAt = record.birthMilliseconds * 1_000_000
      return fetchedAt > now || now - fetchedAt >= limit
    }
    state.withLock { $0.counts.expirations += count }
  }
}
