// Which stages suit which sources, in the right order. `Docs/Guides/ChoosingStages.md` says why.

extension ReadPipeline {
  /// The stages that suit a file on a disk of this machine: a cache of what is read again.
  ///
  /// Nothing else pays there. The system reads ahead and merges by itself, errors do not pass, and bytes that are in the
  /// page cache take less time than looking after them. A read that misses asks the file for exactly what it would ask
  /// for without stages.
  ///
  /// - Parameter cache: what is kept. Default: short ranges that are read again, in 64 MiB for the whole process.
  public static func localFile(cache: RangeReader.Cache = .shared) -> ReadPipeline { cache.pipeline }

  /// The stages that suit an object which takes long to ask: on a network, in a bucket, on a slow disk.
  ///
  /// From the top down: ``TimeLimiting`` if there is a limit, ``ReadAhead``, ``Caching`` of whole blocks, ``Merging``,
  /// ``Retrying``, ``Hedging`` if asked for, ``Limiting``.
  ///
  /// Each call makes stages of its own. For a limit that several readers share, list one pipeline in all of them.
  ///
  /// ```swift
  /// let bucket = ReadPipeline.remoteObject(keepingIn: store, concurrentReads: 32)
  /// let one = try await RangeReader(first, bucket)
  /// let other = try await RangeReader(second) { Observing(); bucket }
  /// ```
  ///
  /// - Parameters:
  ///   - store: where what is read is kept. Default: 64 MiB for the whole process.
  ///   - timeLimit: what a read may take in all, waits included. Default: any time.
  ///   - concurrentReads: the most reads of the object at once. Default: 16.
  ///   - hedges: whether one read in twenty may be made a second time when it is later than most. Default: no, since it
  ///     costs requests.
  /// - Precondition: the limits are more than zero.
  public static func remoteObject(
    keepingIn store: any ChunkStore = MemoryStore.shared, timeLimit: Duration? = nil, concurrentReads: Int = 16,
    hedges: Bool = false
  ) -> ReadPipeline {
    ReadPipeline {
      if let timeLimit { TimeLimiting(timeLimit) }
      ReadAhead()
      Caching(store)
      Merging()
      Retrying()
      if hedges { Hedging() }
      Limiting(concurrentReads: concurrentReads)
    }
  }
}

extension RangeReader {
  /// A reader of the local file at `path` with the stages that suit one: ``ReadPipeline/localFile(cache:)``.
  ///
  /// - Throws: as ``init(_:engine:cache:onChange:stages:)`` with a string.
  public static func standard(
    _ path: String, cache: Cache = .shared, onChange: ChangePolicy = .fail
  ) async throws -> RangeReader {
    try await RangeReader(path, cache: cache, onChange: onChange)
  }

  /// A reader of an object that takes long to ask, with the stages that suit one:
  /// ``ReadPipeline/remoteObject(keepingIn:timeLimit:concurrentReads:hedges:)`` with these values.
  ///
  /// - Throws: what the source throws when it is described; `CancellationError`.
  public static func standard(
    _ object: some RangeSource, keepingIn store: any ChunkStore = MemoryStore.shared, timeLimit: Duration? = nil,
    concurrentReads: Int = 16, hedges: Bool = false, configuration: Configuration = Configuration()
  ) async throws -> RangeReader {
    try await RangeReader(
      object,
      .remoteObject(keepingIn: store, timeLimit: timeLimit, concurrentReads: concurrentReads, hedges: hedges),
      configuration: configuration)
  }
}
