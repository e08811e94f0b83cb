public import SystemPackage

// `Docs/Guides/ChoosingStages.md` gives the reasons for the stages and their order.

extension RangeReader {
  /// Opens the file at `path`, with defaults that suit most programs.
  ///
  /// ```swift
  /// let reader = try await RangeReader("/data/survey.bin")
  /// ```
  ///
  /// To add stages, write what this does: `RangeReader(FileSource(path), [.observing(), .localFile()])`.
  ///
  /// A relative path starts from the current directory; `~` is the home directory; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - engine: how the file is read.
  ///   - cache: where ranges of up to 64 KiB are kept when you read them the second time; `nil` keeps nothing. Default:
  ///     ``MemoryStore/shared``, one store of at most 64 MiB for all readers in the process. A hit within one 4 KiB
  ///     block takes less than a tenth of the time of the page cache; a hit of 64 KiB takes about a third. Longer
  ///     ranges and streams are not kept. If the page cache has the file, and the store hardly ever hits, reads of 4
  ///     KiB take at most about 1.1 times as long as without a cache. While keeping more does not pay, most reads
  ///     bypass the store (see `.caching`). A store of your own keeps the whole 4 KiB blocks that contain the ranges.
  ///   - onChange: what to do when the file changes. With ``RangeReader/ChangePolicy/follow`` the reader assumes that
  ///     the file is only appended to.
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, …),
  ///   `resourcesExhausted`, `inputOutput`, or `invalidConfiguration` for an order of stages that cannot work;
  ///   `CancellationError`.
  public init(
    _ path: String, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail
  ) async throws {
    try await self.init(
      FileSource(path, engine: engine, isAppendOnly: onChange.follows), .localFile(cache: cache), onChange: onChange)
  }

  /// Opens the file at `path`, with defaults that suit most programs.
  ///
  /// - Throws: as ``init(_:engine:cache:onChange:)`` with a string.
  public init(
    _ path: FilePath, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail
  ) async throws {
    try await self.init(
      FileSource(path, engine: engine, isAppendOnly: onChange.follows), .localFile(cache: cache), onChange: onChange)
  }
}

extension MemoryStore {
  /// The default store of all readers: 64 MiB for the whole process, or a twelfth of ``ByteCount/processMemory`` if that is
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
  /// - Parameter cache: where ranges of up to 64 KiB are kept that you read again; `nil` keeps nothing. Default:
  ///   ``MemoryStore/shared``, for the whole process.
  public static func localFile(cache: (any ChunkStore)? = MemoryStore.shared) -> ReadPipeline {
    cache.map { .caching(ofFilesIn: $0) } ?? []
  }

  /// The stages that suit an object that is slow to answer: on a network, in a bucket, on a slow disk.
  ///
  /// From the top down: `.timeLimit` if there is a limit, `.readAhead` and `.caching` with
  /// ``ReadPipeline/CacheFill/automatic`` if there is a cache, `.merging`, `.retrying`, `.hedging` if asked for, `.limiting`.
  ///
  /// Each call makes new stages. If several readers must share one limit, give the same pipeline to all of them.
  ///
  /// ```swift
  /// let bucket: ReadPipeline = .remoteObject(cache: store, maxConcurrentReads: 32)
  /// let one = try await RangeReader(first, bucket)
  /// let other = try await RangeReader(second, [.observing(), bucket])
  /// ```
  ///
  /// - Parameters:
  ///   - cache: where blocks are kept; `nil` keeps nothing, and reads nothing ahead. Default: ``MemoryStore/shared``, for the
  ///     whole process.
  ///   - timeLimit: the most time that a read may take in total, including waits. Default: no limit.
  ///   - maxConcurrentReads: the most concurrent reads of the object. Default: 16.
  ///   - hedges: `true` if up to one read in twenty may be sent a second time when it takes longer than most. Default:
  ///     no, because it costs requests.
  /// - Precondition: the limits are more than zero.
  public static func remoteObject(
    cache: (any ChunkStore)? = MemoryStore.shared, timeLimit: Duration? = nil, maxConcurrentReads: Int = 16,
    hedges: Bool = false
  ) -> ReadPipeline {
    [
      timeLimit.map { .timeLimit($0) } ?? [],
      cache.map { [.readAhead(), .caching($0, fill: .automatic)] } ?? [],
      .merging(maxConcurrentSpans: maxConcurrentReads),
      .retrying(),
      hedges ? .hedging() : [],
      .limiting(maxConcurrentReads: maxConcurrentReads),
    ]
  }
}
