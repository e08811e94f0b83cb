public import SystemPackage

// Only this file names concrete sources, stages and stores; of the rest of the reader only `ReaderCore.noCache` does.

// `Docs/Guides/ChoosingStages.md` gives the reasons for the stages and their order.

extension RangeReader {
  /// What a reader of a path keeps in `cache`, below those of `stages` that may stand above a cache. If `stages`
  /// already contain a cache, they stay as they are.
  package static func pipeline(
    keepingIn cache: (any ChunkStore)?, among stages: ReadPipeline = ReadPipeline()
  ) -> ReadPipeline {
    let stages = stages.stages
    guard let cache, !stages.contains(where: { $0.placement.isCaching }) else { return ReadPipeline(stages) }
    let caching = Caching(ofFilesIn: cache)
    let place = stages.firstIndex { !$0.placement.canStandAbove(.caching) } ?? stages.count
    return ReadPipeline(stages[..<place] + [caching] + stages[place...])
  }

  /// Opens the file at `path`, with defaults that suit most programs.
  ///
  /// ```swift
  /// let reader = try await RangeReader("/data/survey.bin")
  /// let watched = try await RangeReader("/data/survey.bin") { Observing() }
  /// ```
  ///
  /// A relative path starts from the current directory; `~` is the home directory; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - engine: how the file is read.
  ///   - cache: where ranges of up to 64 KiB are kept when you read them the second time, in addition to the system's
  ///     page cache; `nil` keeps nothing. Default: ``MemoryStore/shared``, one store of at most 64 MiB for all readers in
  ///     the process. A hit within one 4 KiB block takes less than a tenth of the time of the page cache; a hit of 64 KiB
  ///     takes about a third. Longer ranges and streams are not kept. The cost: where the page cache has the file and
  ///     the store has next to nothing of what you read, reads of 4 KiB take about 1.1 times as long as without a
  ///     cache. Where keeping more does not pay, most reads bypass the store (see ``Caching``). A store of your own keeps the whole 4 KiB blocks that contain the ranges.
  ///   - onChange: what to do when the file changes. With ``RangeReader/ChangePolicy/follow`` the reader assumes that
  ///     the file is only appended to.
  ///   - stages: additional stages, from the top down. The cache is placed below those that may stand above one. If
  ///     they include a ``Caching`` stage, no other cache is added. Default: none.
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, …),
  ///   `resourcesExhausted`, `inputOutput`, or `invalidConfiguration` for an order of stages that cannot work;
  ///   `CancellationError`.
  public init(
    _ path: String, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail,
    @ReadPipeline.Builder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    try await self.init(
      FileSource(path, engine: engine, isAppendOnly: onChange == .follow),
      Self.pipeline(keepingIn: cache, among: ReadPipeline(stages)), onChange: onChange)
  }

  /// Opens the file at `path`, with defaults that suit most programs.
  ///
  /// - Throws: as ``init(_:engine:cache:onChange:stages:)`` with a string.
  public init(
    _ path: FilePath, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail,
    @ReadPipeline.Builder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    try await self.init(
      FileSource(path, engine: engine, isAppendOnly: onChange == .follow),
      Self.pipeline(keepingIn: cache, among: ReadPipeline(stages)), onChange: onChange)
  }
}

extension MemoryStore {
  /// The default store of all readers: 64 MiB for the whole process, or a twelfth of ``SystemMemory/limit`` if that is
  /// less. With the store of remote objects, that is a quarter at most.
  ///
  /// ```swift
  /// try await MemoryStore.shared.resize(to: .mebibytes(16))
  /// ```
  public static let shared: MemoryStore = {
    var configuration = Configuration(limit: SystemMemory.bounded(.mebibytes(64), toPart: 12))
    configuration.typicalBlockSize = .kibibytes(4)
    // No background work of the current task: the store outlives the task that first uses it.
    configuration.background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
    return MemoryStore(configuration)
  }()
}

/// Opens the file at `path`, passes a reader to `body`, and closes the reader when `body` returns or throws.
///
/// ```swift
/// let magic = try await withRangeReader("photo.jpg") { try await $0.read(0..<4) }
/// ```
///
/// - Throws: any error of opening the file, and any error that `body` throws.
public nonisolated(nonsending) func withRangeReader<Result>(
  _ path: String, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
  onChange: RangeReader.ChangePolicy = .fail, _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  try await withRangeReader(RangeReader(path, engine: engine, cache: cache, onChange: onChange), body)
}

/// Passes `reader` to `body`, and closes it when `body` returns or throws. For readers of any source:
///
/// ```swift
/// let end = try await withRangeReader(RangeReader(source, .remoteObject())) { try await $0.read(suffix: 65_536) }
/// ```
///
/// - Throws: any error that `body` throws.
public nonisolated(nonsending) func withRangeReader<Result>(
  _ reader: RangeReader, _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  do {
    let result = try await body(reader)
    await reader.close()
    return result
  } catch {
    await reader.close()
    throw error
  }
}

extension ReadPipeline {
  /// The stages that suit a file on a local disk: a cache for ranges that you read again.
  ///
  /// No other stage pays off there. The system reads ahead and merges by itself, errors do not go away with a retry,
  /// and reading from the page cache takes less time than managing such reads. A cache miss asks the file for exactly
  /// what a reader without stages would ask for.
  ///
  /// - Parameter cache: where short ranges are kept that you read again; `nil` keeps nothing. Default: ``MemoryStore/shared``,
  ///   for the whole process.
  public static func localFile(cache: (any ChunkStore)? = MemoryStore.shared) -> ReadPipeline {
    RangeReader.pipeline(keepingIn: cache)
  }

  /// The stages that suit an object that is slow to answer: on a network, in a bucket, on a slow disk.
  ///
  /// From the top down: ``TimeLimiting`` if there is a limit, ``ReadAhead``, ``Caching`` (of one range
  /// the blocks, as far as later reads have use for them; of several exactly these: ``Caching/Fill/automatic``), ``Merging``, ``Retrying``, ``Hedging`` if asked for,
  /// ``Limiting``.
  ///
  /// Each call makes new stages. If several readers must share one limit, give the same pipeline to all of them.
  ///
  /// ```swift
  /// let bucket = ReadPipeline.remoteObject(keepingIn: store, concurrentReads: 32)
  /// let one = try await RangeReader(first, bucket)
  /// let other = try await RangeReader(second) { Observing(); bucket }
  /// ```
  ///
  /// - Parameters:
  ///   - store: where fetched bytes are kept. Default: ``MemoryStore/shared``, for the whole process.
  ///   - timeLimit: the most time that a read may take in total, including waits. Default: no limit.
  ///   - concurrentReads: the most concurrent reads of the object. Default: 16.
  ///   - hedges: whether up to one read in twenty may be sent a second time when it takes longer than most. Default:
  ///     no, because it costs requests.
  /// - Precondition: the limits are more than zero.
  public static func remoteObject(
    keepingIn store: any ChunkStore = MemoryStore.shared, timeLimit: Duration? = nil, concurrentReads: Int = 16,
    hedges: Bool = false
  ) -> ReadPipeline {
    ReadPipeline {
      if let timeLimit { TimeLimiting(timeLimit) }
      ReadAhead()
      Caching(store, fill: .automatic)
      Merging(concurrentSpans: concurrentReads)
      Retrying()
      if hedges { Hedging() }
      Limiting(concurrentReads: concurrentReads)
    }
  }
}
