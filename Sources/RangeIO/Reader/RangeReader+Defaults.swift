public import SystemPackage

// Only this file and `ReadPipeline+Standard.swift` name concrete sources, stages and stores; the rest of the reader
// does not.

extension RangeReader {
  /// The stages that keep in `cache`.
  private static func stages(keepingIn cache: (any ChunkStore)?) -> [any ReadStage] {
    guard let cache else { return [] }
    // If the store can keep parts of blocks, it keeps exactly the bytes asked for, and only from the second read on: so
    // a local disk is read just as it would be without a cache. Blocks are as small as the system's pages, because most
    // reads of such programs are small, and because the system reads whole pages at no extra cost.
    return [
      Caching(
        cache, fill: cache.keepsPartsOfBlocks ? .exact : .block, blockSize: .kibibytes(4), passing: .kibibytes(64),
        admission: .onSecondTouch)
    ]
  }

  /// What a reader of a path keeps in `cache`, below those of `stages` that may stand above a cache. If `stages`
  /// already contain a cache, they stay as they are.
  package static func pipeline(
    keepingIn cache: (any ChunkStore)?, among stages: ReadPipeline = ReadPipeline()
  ) -> ReadPipeline {
    guard !stages.stages.contains(where: { $0.placement.isCaching }) else { return stages }
    let place = stages.stages.firstIndex { !$0.placement.canStandAbove(.caching) } ?? stages.stages.count
    return ReadPipeline(stages.stages[..<place] + self.stages(keepingIn: cache) + stages.stages[place...])
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
  ///     page cache; `nil` keeps nothing. Default: ``MemoryStore/shared``, one 64 MiB store for all readers in the
  ///     process. A hit within one 4 KiB block takes less than a tenth of the time of the page cache; a hit of 64 KiB
  ///     takes about half. Longer ranges and streams are not kept. The cost: the first read of 4 KiB takes about 1.3
  ///     times as long as without a cache, if the page cache has the bytes. A store that can only keep whole blocks
  ///     (``ChunkStore/keepsPartsOfBlocks``) keeps the 4 KiB blocks that contain the ranges.
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
      Self.pipeline(keepingIn: cache, among: ReadPipeline(stages)), configuration: .init(onChange: onChange))
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
      Self.pipeline(keepingIn: cache, among: ReadPipeline(stages)), configuration: .init(onChange: onChange))
  }

  /// Opens the file behind `descriptor`. The reader owns the descriptor from here on, even if this throws.
  ///
  /// - Throws: as ``init(_:engine:cache:onChange:stages:)`` with a path.
  public init(
    adopting descriptor: FileDescriptor, engine: FileSource.Engine = .automatic,
    cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail, @ReadPipeline.Builder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    // Must come first, before anything can throw: the source owns the descriptor.
    let source = FileSource(adopting: descriptor, engine: engine, isAppendOnly: onChange == .follow)
    try await self.init(
      source, Self.pipeline(keepingIn: cache, among: ReadPipeline(stages)), configuration: .init(onChange: onChange))
  }
}

extension MemoryStore {
  /// The default store of all readers: 64 MiB for the whole process.
  ///
  /// ```swift
  /// try await MemoryStore.shared.resize(to: .mebibytes(16))
  /// ```
  public static let shared: MemoryStore = {
    var configuration = Configuration(limit: .mebibytes(64))
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
