package import RangeIO

/// Keeps chunks on a disk: the last tier, which survives the process.
///
/// ```swift
/// let store = try await TieredStore(
///   memory: .mebibytes(256), compressed: .mebibytes(128),
///   disk: .init(directory: "/var/cache/app", limit: .gibibytes(20)))
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
/// otherwise the oldest of which less than 70% was read since it was written. Blocks that were read twice are copied, up
/// to 35% of a segment.
///
/// **Memory.** At most 64 bytes per block for the index, a sixth more for the moment in which it grows, and 400 bytes
/// plus its id for each version of a source that has blocks here. They count towards no limit; ``counts()`` reports
/// them. Look-ups of blocks that are not here take no memory. Chunks that wait to be written are bounded by
/// ``Configuration/stagingLimit``.
///
/// **Threads and files.** Each directory has two threads that read and one that writes. As many files are open as the
/// process can spare: a quarter of what it may open, at most 1,024.
package final class SpillStore: FullChunkStore {
  package typealias Configuration = DiskConfiguration

  /// The sources that this store knows.
  package let sources: ChunkSources
  /// State that it shares with its reads and its writer.
  let core: SpillCore
  /// Used only by the one thread that writes, see ``SpillWriter``.
  let writer: SpillWriter
  let readOnlyReason: ReadOnlyReason?

  /// Why a store is read-only.
  package enum ReadOnlyReason: Hashable, Sendable {
    /// The configuration says so.
    case configured
    /// The directory was created to refuse new blocks when it is full, but this store would drop old ones.
    case otherConfiguration
  }

  init(_ core: SpillCore, sources: ChunkSources, writer: SpillWriter, readOnlyReason: ReadOnlyReason?) {
    self.core = core
    self.sources = sources
    self.writer = writer
    self.readOnlyReason = readOnlyReason
  }

  var configuration: Configuration { core.configuration }
  var ledger: SpillLedger { core.ledger }
  var state: Locked<SpillState> { _read { yield core.state } }
  var watch: DiskWatch { core.watch }
  var lanes: DiskLanes { core.lanes }

  package var traits: StoreTraits {
    var traits = StoreTraits()
    traits.mayOutliveProcess = true
    // As its records are.
    traits.takesEncodedBy = configuration.codec.encoding
    (traits.time, traits.background) = (configuration.time, configuration.background)
    return traits
  }

  /// The current time by the clock of the tiers above.
  package var now: ReadClock.Instant { configuration.time.now }

  package var isEmpty: Bool { state.withLock { $0.table.count == 0 && $0.staging.count == 0 } }

  /// The store takes chunks: it is neither closed nor read-only.
  package var isWritable: Bool { readOnlyReason == nil && !state.withLock { $0.isClosed } }

  package func statistics() -> [Counters] { [counts().counters] }

  /// Returns what the store holds and has done. After closing: what it held then.
  ///
  /// - Complexity: O(segments).
  package func counts() -> DiskCounts {
    var all = state.withLock { state in
      core.hits.tellAll(&state)
      return state.counts(ledger)
    }
    all.limit = ledger.limit
    all.peakBytes = ledger.peakBytes
    return all
  }

  /// The last error of the disk, if there ever was one.
  package var lastFailure: ReadError? { state.withLock { $0.lastFailure } }

  // MARK: tokens

  /// Returns the binding of a token; `nil` if it is retired, or the store is closed.
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
}

extension SpillStore {
  // MARK: opening

  /// Opens a store, with what an earlier process has left in the directory. It shares `sources` with other stores if it
  /// is combined with them.
  ///
  /// - Throws: `ReadError.Code.inUse` if another process has the directory; `unsupportedFormat` if another version of
  ///   this library has made it; `ReadError.Code.permissionDenied` if it belongs to another user, who lets this one
  ///   make none below it; `ReadError.Code.invalidConfiguration` if it contains other files, or the codec has the id
  ///   of one of this library's codecs; `ReadError.Code.limitExceeded` if the limit is too small for anything; and
  ///   errors from the system.
  /// - Complexity: reads the lists in the files, 40 bytes per block; after a crash it also reads and writes the files that were not
  ///   sealed, most often one.
  package static func open(
    _ configuration: Configuration, sources: ChunkSources = ChunkSources()
  ) async throws -> SpillStore {
    try check(configuration)
    let disk = configuration.disk ?? SystemDisk()
    let lanes = DiskLanes(configuration.work)
    let answer = Promise<SpillStore>()
    let end = Promise<Void>()
    lanes.reads.start(isUrgent: true) {
      defer { end.resolve(.success(())) }
      guard !answer.isAnswered else { return }
      let result = Result { () throws -> SpillStore in
        let folder = try SpillFolder.open(configuration, on: disk)
        return try SpillOpening(configuration, folder, lanes).open(sources) { !answer.isAnswered }
      }
      // Cancelled in between.
      if !answer.resolve(result), case .success(let store) = result { store.giveUp() }
    }
    do {
      return try await answer.value()
    } catch let error as CancellationError {
      await waitForEnd(end, configuration)
      throw error
    }
  }

  /// Waits until a directory whose opening was cancelled is no longer in use, so that it can be opened again. Does not
  /// wait for a disk that hangs.
  private static func waitForEnd(_ end: Promise<Void>, _ configuration: Configuration) async {
    let timer = configuration.background.startElsewhere {
      guard (try? await configuration.time.sleep(for: configuration.breaker.stall)) != nil else { return }
      end.fail(CancellationError())
    }
    // In its own task, since this one is cancelled.
    await configuration.background.startElsewhere { _ = try? await end.value() }.value
    timer.cancel()
  }

  /// Releases the lock: the store will not be used.
  private func giveUp() {
    state.withLock { ($0.isClosed, $0.isGivenUp) = (true, true) }
    writer.unlock()
  }

  private static func check(_ configuration: Configuration) throws(ReadError) {
    let size = configuration.segmentBytes
    let smallest = 8 << 10
    guard size >= smallest, size <= SpillFormat.maxSegmentSize else {
      throw ReadError(
        .limitExceeded,
        "a limit of \(configuration.limit.bytes) bytes in files of \(size) can never hold a block: choose a limit of at least 64 KiB, "
          + "and a segmentSize of 8 KiB to 16 GiB",
        context: .init(source: configuration.directory))
    }
    guard configuration.limit.bytes >= size * 2 + SpillFormat.fixedBytes else {
      throw ReadError(
        .limitExceeded,
        "the limit of \(configuration.limit.bytes) bytes leaves no room for two files of \(size): choose a limit of at "
          + "least \(size * 2 + SpillFormat.fixedBytes)", context: .init(source: configuration.directory))
    }
    // By type: its number says nothing about what a codec writes.
    guard configuration.codec is any LibraryCodec || configuration.codec.id >= 128 else {
      throw ReadError(
        .invalidConfiguration,
        "the codec has the id \(configuration.codec.id), and 0 to 127 are this library's: give it one of 128 to 255",
        context: .init(source: configuration.directory))
    }
  }

  // MARK: closing

  /// Waits until everything stored before this call is on the disk, and durable if
  /// ``DiskConfiguration/syncsEvery`` is set.
  ///
  /// Chunks that could not be written are dropped, as always. Removals are not.
  ///
  /// - Throws: `CancellationError`; the error of the disk if something could not be made durable, or a removal could
  ///   not be written.
  package func flush() async throws { try await flush(by: nil) }

  /// - Parameter end: when to stop waiting for a disk that hangs, with `ReadError.Code.timedOut`.
  func flush(by end: ReadClock.Instant?) async throws {
    guard readOnlyReason != .configured else { return }
    let answer = Promise<Void>()
    state.withLock { $0.note(flush: answer) }
    writer.startForWaiters()
    try await wait(for: answer, until: end)
  }

  /// Waits for an answer, at most until `end`.
  func wait(for answer: Promise<Void>, until end: ReadClock.Instant?) async throws {
    let timer = end.map { end in
      configuration.background.startElsewhere { [time = configuration.time, directory = configuration.directory] in
        guard (try? await time.sleep(until: end)) != nil else { return }
        answer.fail(
          ReadError(
            .timedOut,
            "the disk of the cache directory did not answer in time: what is not written when the store closes is lost, "
              + "which only costs time",
            context: .init(source: directory)))
      }
    }
    defer { timer?.cancel() }
    try await answer.value()
  }

  /// Closes the directory: writes what waits, seals the last file, and releases the lock. From then on nothing is found
  /// or taken.
  ///
  /// - Throws: as ``flush()``. The store is closed even if this throws. Closing again waits as long as the first does.
  package func close() async throws { try await close(by: nil) }

  /// - Parameter end: when to stop waiting for a disk that hangs. The lock is released when the disk answers.
  func close(by end: ReadClock.Instant?) async throws {
    var failure: (any Error)?
    do { try await flush(by: end) } catch { failure = error }
    let answer = Promise<Void>()
    state.withLock { state in
      state.isClosed = true
      state.closings.append(answer)
    }
    writer.startForWaiters()
    do { try await wait(for: answer, until: end) } catch { failure = failure ?? error }
    if let failure { throw failure }
  }
}
