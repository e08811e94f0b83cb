// Which stages suit which sources, in the right order. `Docs/Guides/ChoosingStages.md` gives the reasons.

extension ReadPipeline {
  /// The stages that suit a file on a local disk: a cache for ranges that you read again.
  ///
  /// No other stage pays off there. The system reads ahead and merges by itself, errors do not go away with a retry,
  /// and reading from the page cache takes less time than managing such reads. A cache miss asks the file for exactly
  /// what a reader without stages would ask for.
  ///
  /// - Parameter cache: where short ranges are kept that you read again; `nil` keeps nothing. Default: 64 MiB for the
  ///   whole process.
  public static func localFile(cache: (any ChunkStore)? = MemoryStore.shared) -> ReadPipeline {
    RangeReader.pipeline(keepingIn: cache)
  }

  /// The stages that suit an object that is slow to answer: on a network, in a bucket, on a slow disk.
  ///
  /// From the top down: ``TimeLimiting`` if there is a limit, ``ReadAhead``, ``Caching`` of whole blocks, ``Merging``,
  /// ``Retrying``, ``Hedging`` if asked for, ``Limiting``.
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
  ///   - store: where fetched bytes are kept. Default: 64 MiB for the whole process.
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
      Caching(store)
      Merging()
      Retrying()
      if hedges { Hedging() }
      Limiting(concurrentReads: concurrentReads)
    }
  }
}
