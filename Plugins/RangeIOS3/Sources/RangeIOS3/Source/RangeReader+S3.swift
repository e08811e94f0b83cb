#if S3
  public import RangeIO
  public import RangeIORemote

  /// Opens objects by URL, with the stages that suit a remote object.
  extension RangeReader {
    /// Opens the object at an `s3`, `https` or `http` URL, with the stages that suit a remote object.
    ///
    /// ```swift
    /// let reader = try await RangeReader(contentsOf: "s3://planet/tiles/2026.pmtiles")
    /// ```
    ///
    /// The stages are those of `ReadPipeline.remoteObject(_:cache:hedges:)`. For others: `RangeReader(S3Source(url), [...])`.
    ///
    /// An `https` URL, such as a presigned one, is read without a signature: only ``S3Source/Configuration/remote`` of
    /// `configuration` counts for it, and a user and a password in the URL.
    ///
    /// - Parameters:
    ///   - url: the object: `s3://bucket/key`, also with `?versionId=…`, or an address of the web.
    ///   - name: what identifies the object in caches, whatever its address; `nil`: its address.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept; `nil` keeps nothing. Default: `MemoryStore.sharedRemote`, for the whole process.
    ///   - onChange: what to do when the object changes. With `.follow` the reader takes it for one that is only added to
    ///     (`RemoteConfiguration.isAppendOnly`).
    ///   - hedges: `true` if up to one request in twenty may be sent twice when its answer is late. Default: no, because
    ///     stores charge for requests.
    /// - Throws: as `RemoteSource.describe()`.
    public init(
      contentsOf url: String, identifiedBy name: String? = nil,
      configuration: S3Source.Configuration = S3Source.Configuration(),
      cache store: (any ChunkStore)? = MemoryStore.sharedRemote, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      var configuration = configuration
      configuration.remote = configuration.remote.following(onChange)
      let pipeline = ReadPipeline.remoteObject(configuration.remote, cache: store, hedges: hedges)
      switch url.prefix(while: { $0 != ":" }).lowercased() {
      case "http", "https":
        try await self.init(
          RemoteObject(url, identifiedBy: name, configuration: configuration.remote), pipeline, onChange: onChange)
      default:
        try await self.init(
          S3Source(url, identifiedBy: name, configuration: configuration), pipeline, onChange: onChange)
      }
    }
  }

#else
  public import RangeIO

  /// Not built: enable the trait `S3`.
  @available(
    *, unavailable,
    message: "RangeIOS3 is built without its trait: write .package(url: …, traits: [\"S3\"]) in Package.swift"
  )
  public enum S3Source {}

  extension RangeReader {
    /// Not built: enable the trait `S3`.
    @available(
      *, unavailable,
      message: "RangeIOS3 is built without its trait: write .package(url: …, traits: [\"S3\"]) in Package.swift"
    )
    public init(contentsOf url: String) async throws { try await self.init(FileSource(url)) }
  }
#endif
