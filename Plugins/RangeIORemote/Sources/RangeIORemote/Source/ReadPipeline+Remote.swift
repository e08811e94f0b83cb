#if HTTP
  public import RangeIO

  /// The stages that suit a remote object.
  extension ReadPipeline {
    /// The stages that suit a remote object requested by `configuration`.
    ///
    /// From the top down: `.timeLimit` if there is a `readTimeout`, `.readAhead` and `.caching` with
    /// `CacheFill.automatic` if there is a cache, `.merging`, `.retrying`, `.hedging` if asked for, `.limiting`. The
    /// limit is one and a half times the connections.
    ///
    /// - Parameters:
    ///   - configuration: how the source requests the object.
    ///   - store: where blocks are kept; `nil` keeps nothing. Default: ``RangeIO/MemoryStore/sharedRemote``, one for the
    ///     whole process.
    ///   - hedges: `true` if up to one request in twenty may be sent twice when its answer is late. Default: no,
    ///     because servers may charge for requests.
    public static func remoteObject(
      _ configuration: RemoteConfiguration, cache store: (any ChunkStore)? = MemoryStore.sharedRemote,
      hedges: Bool = false
    ) -> ReadPipeline {
      // A limit that the source refuses is its to name.
      let limit = configuration.readTimeout.flatMap { $0 > .zero ? $0 : nil }
      // So a request is ready whenever one ends, and the event loop sends it at once. With as many as connections, two
      // threads would have to wake up first.
      let connections = min(max(1, configuration.maxConnectionsPerHost), RemoteConfiguration.mostConnectionsPerHost)
      return .remoteObject(
        cache: store, timeLimit: limit, maxConcurrentReads: connections + (connections + 1) / 2, hedges: hedges)
    }
  }

  /// The store that readers of remote objects share.
  extension MemoryStore {
    /// The default store of readers of remote objects: 128 MiB for the whole process, or a sixth of its memory if that
    /// is less. Readers of files have another one.
    public static let sharedRemote: MemoryStore = {
      var configuration = MemoryStore.Configuration(limit: SystemMemory.bounded(.mebibytes(128), toPart: 6))
      configuration.typicalBlockSize = .kibibytes(256)
      // No background work of the current task: the store outlives the task that first uses it.
      configuration.background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
      return MemoryStore(configuration)
    }()
  }
#endif
