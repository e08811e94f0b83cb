public import SystemPackage

// With `ReadPipeline+Standard.swift` the only place of the reader that names concrete sources, stages and stores.

extension RangeReader {
  /// What a reader of a file keeps in memory, in addition to the system's page cache.
  public struct Cache: Sendable {
    enum Kind {
      case shared, off
      case store(any ChunkStore)
    }
    let kind: Kind

    /// Ranges of up to 64 KiB, from the second read on, in one store of 64 MiB for all readers of the process:
    /// ``RangeIO/MemoryStore/shared``. A range within a block of 4 KiB takes less than a tenth of the time that the page
    /// cache takes, one of 64 KiB about half. What is read once, longer ranges and streams pass by and are not kept. That
    /// makes the first read of 4 KiB take about 1.3 times what it takes without a cache, if the page cache has it.
    public static let shared = Cache(kind: .shared)
    /// Nothing.
    public static let off = Cache(kind: .off)
    /// What `shared` keeps, in a store of your own. Of a store that keeps whole blocks only
    /// (``ChunkStore/keepsPartsOfBlocks``), the blocks of 4 KiB that those ranges lie in.
    public static func store(_ store: some ChunkStore) -> Cache { Cache(kind: .store(store)) }

    /// The stages that make it so.
    package var pipeline: ReadPipeline {
      let store: any ChunkStore
      switch kind {
      case .off: return ReadPipeline()
      case .shared: store = MemoryStore.shared
      case .store(let own): store = own
      }
      return ReadPipeline {
        // Exactly what is asked for, if the store can keep that, and not before it is asked for again: a local disk is
        // read in no other way than without a cache. Blocks as small as the system's pages, since most reads of such
        // programs are, and reading whole ones costs the system nothing more.
        Caching(
          store, fill: store.keepsPartsOfBlocks ? .exact : .block, blockSize: .kibibytes(4), passing: .kibibytes(64),
          admission: .onSecondTouch)
      }
    }

    /// `stages`, with this cache among them: below those that may stand above one. If they have a cache of their own, that
    /// is the one.
    package func pipeline(among stages: ReadPipeline) -> ReadPipeline {
      guard !stages.stages.contains(where: { $0.placement.isCaching }) else { return stages }
      let place = stages.stages.firstIndex { !$0.placement.canStandAbove(.caching) } ?? stages.stages.count
      return ReadPipeline(stages.stages[..<place] + pipeline.stages + stages.stages[place...])
    }
  }

  /// A reader of the file at `path`, with defaults that suit most programs.
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
  ///   - cache: what is kept in memory. Default: short ranges that are read again, in 64 MiB for the whole process.
  ///   - onChange: what to do when the file changes. With ``ChangePolicy/follow`` it is taken to be only ever added to.
  ///   - stages: stages in addition to the cache, from the top down. The cache stands below those of them that may stand above
  ///     one; with a ``Caching`` among them there is no other. Default: none.
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, …),
  ///   `resourcesExhausted`, `inputOutput`, or `invalidConfiguration` for an order of stages that cannot work;
  ///   `CancellationError`.
  public init(
    _ path: String, engine: FileSource.Engine = .automatic, cache: Cache = .shared, onChange: ChangePolicy = .fail,
    @ReadPipelineBuilder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    try await self.init(
      FileSource(path, configuration: .init(engine: engine, isAppendOnly: onChange == .follow)),
      cache.pipeline(among: ReadPipeline(stages)), configuration: .init(onChange: onChange))
  }

  /// A reader of the file at `path`, with defaults that suit most programs.
  ///
  /// - Throws: as ``init(_:engine:cache:onChange:stages:)`` with a string.
  public init(
    _ path: FilePath, engine: FileSource.Engine = .automatic, cache: Cache = .shared, onChange: ChangePolicy = .fail,
    @ReadPipelineBuilder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    try await self.init(
      FileSource(path, configuration: .init(engine: engine, isAppendOnly: onChange == .follow)),
      cache.pipeline(among: ReadPipeline(stages)), configuration: .init(onChange: onChange))
  }

  /// A reader of the file behind `descriptor`, which the reader owns from here on, even if this throws.
  ///
  /// - Throws: as ``init(_:engine:cache:onChange:stages:)`` with a path.
  public init(
    adopting descriptor: FileDescriptor, engine: FileSource.Engine = .automatic, cache: Cache = .shared,
    onChange: ChangePolicy = .fail, @ReadPipelineBuilder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    // Before anything can throw: it owns the descriptor.
    let source = FileSource(
      adopting: descriptor, configuration: .init(engine: engine, isAppendOnly: onChange == .follow))
    try await self.init(
      source, cache.pipeline(among: ReadPipeline(stages)), configuration: .init(onChange: onChange))
  }
}

extension MemoryStore {
  /// The store of readers that were given no other: 64 MiB for the whole process.
  ///
  /// ```swift
  /// try await MemoryStore.shared.resize(to: .mebibytes(16))
  /// ```
  public static let shared: MemoryStore = {
    var configuration = Configuration(limit: .mebibytes(64))
    configuration.typicalBlockSize = .kibibytes(4)
    // It outlives the task that needs it first.
    configuration.background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
    return MemoryStore(configuration)
  }()
}

/// Opens the file at `path`, hands a reader to `body`, and closes it however `body` ends.
///
/// ```swift
/// let magic = try await withRangeReader("photo.jpg") { try await $0.read(0..<4) }
/// ```
///
/// - Throws: what opening or `body` throws.
public nonisolated(nonsending) func withRangeReader<Result>(
  _ path: String, engine: FileSource.Engine = .automatic, cache: RangeReader.Cache = .shared,
  onChange: ChangePolicy = .fail, _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  let reader = try await RangeReader(path, engine: engine, cache: cache, onChange: onChange)
  do {
    let result = try await body(reader)
    await reader.close()
    return result
  } catch {
    await reader.close()
    throw error
  }
}
