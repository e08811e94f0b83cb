#if SharedCache
  public import RangeIO

  /// The stage that shares blocks between machines.
  extension ReadPipeline {
    /// Looks for blocks in an engine that many machines share, before it asks the source, and puts those there that it had
    /// to fetch.
    ///
    /// It stands below `.caching`, so that it sees only what this process does not have, and above `.merging`, so that what
    /// the engine lacks is still merged:
    ///
    /// ```swift
    /// let engine = try SharedCacheNodes(.memcached, [.host("cache-1", port: 11211), .host("cache-2", port: 11211)])
    /// let reader = try await RangeReader(
    ///   source, [.caching(store, fill: .automatic), .sharedCaching(engine), .merging(), .retrying()])
    /// ```
    ///
    /// An engine that is down, slow, full or lying costs time, and never a read or a wrong byte: each value carries the
    /// identity of its block and a checksum. Only versions that every process recognises are shared: those of sources with
    /// a `persistentForm`, such as a strong ETag.
    ///
    /// Of several processes that miss a block at the same time one fetches it. The others wait for it, no longer than a
    /// fetch takes. Reads of one process that need the same block at the same time look for it once.
    ///
    /// - Parameters:
    ///   - store: the engine. Close it yourself, after the readers.
    ///   - configuration: how long values live, how they are encrypted, and how long to wait.
    public static func sharedCaching(
      _ store: any SharedCacheEngine, configuration: SharedCacheConfiguration = SharedCacheConfiguration()
    ) -> ReadPipeline {
      .stage(SharedCachingStage(store, configuration))
    }
  }

  /// Settings of `.sharedCaching`.
  public struct SharedCacheConfiguration: Sendable {
    /// The block size, a power of two. Default, `nil`: as the source prefers, and no larger than a value may be.
    public var blockSize: ByteCount?
    /// The keys that values are encrypted with. Default: none, values are not encrypted.
    public var keys: SharedCacheKeys?
    /// After which an engine may forget a value, give or take a tenth. Default: 7 days.
    public var lifetime: Duration = .seconds(7 * 86_400)
    /// The most bytes that wait to be put into the engine; beyond, fetched blocks are not shared. Default: 32 MiB.
    public var pendingWriteLimit: ByteCount = .mebibytes(32)
    /// Longer reads go to the source at once. Default: 32 MiB.
    public var maxReadSize: ByteCount = .mebibytes(32)

    /// The time that asking the engine is worth; a node that usually takes longer is given up to five times of it. Default,
    /// `nil`: a tenth of what a fetch from the source takes, and at least 0.5 ms.
    public var lookUpTimeout: Duration?

    /// A configuration with defaults.
    public init() {}
  }
#endif
