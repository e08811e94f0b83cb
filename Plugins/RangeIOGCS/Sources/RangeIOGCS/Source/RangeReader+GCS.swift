#if GCS
  public import RangeIO
  public import RangeIORemote

  /// Opens objects, with the stages that suit a remote object.
  extension RangeReader {
    // Not `contentsOf:`, which the plugin of S3 has: a file may import both.

    /// Opens the object at a `gs`, `https` or `http` URL, with the stages that suit a remote object.
    ///
    /// ```swift
    /// let reader = try await RangeReader(gcs: "gs://planet/tiles/2026.pmtiles")
    /// ```
    ///
    /// The stages are those of `ReadPipeline.remoteObject(_:cache:hedges:)`. For others: `RangeReader(GCSSource(url), [...])`.
    ///
    /// `https://storage.googleapis.com/bucket/object` is read with the credentials too. Any other `https` URL, such as a
    /// signed one, is read as it is: only ``GCSSource/Configuration/remote`` of `configuration` counts for it, and a user and
    /// a password in the URL.
    ///
    /// - Parameters:
    ///   - url: the object: `gs://bucket/object`, also with `#` and a generation, or an address of the web.
    ///   - name: what identifies the object in caches, whatever its address; `nil`: its address.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept; `nil` keeps nothing. Default: `MemoryStore.sharedRemote`, for the whole process.
    ///   - onChange: what to do when the object changes. With `.follow` the reader takes it for one that is only added to, as
    ///     by `compose` and to appendable objects (`RemoteConfiguration.isAppendOnly`).
    ///   - hedges: `true` if up to one request in twenty may be sent twice when its answer is late. Default: no, because
    ///     stores charge for requests.
    /// - Throws: as `RemoteSource.describe()`.
    public init(
      gcs url: String, identifiedBy name: String? = nil,
      configuration: GCSSource.Configuration = GCSSource.Configuration(),
      cache store: (any ChunkStore)? = MemoryStore.sharedRemote, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      var configuration = configuration
      configuration.remote = configuration.remote.following(onChange)
      let pipeline = ReadPipeline.remoteObject(configuration.remote, cache: store, hedges: hedges)
      let scheme = url.prefix { $0 != ":" }.lowercased()
      if ["http", "https"].contains(scheme), !GCSWebAddress.names(url) {
        try await self.init(
          RemoteObject(url, identifiedBy: name, configuration: configuration.remote), pipeline, onChange: onChange)
      } else {
        try await self.init(
          GCSSource(url, identifiedBy: name, configuration: configuration), pipeline, onChange: onChange)
      }
    }
  }

#else
  public import RangeIO

  /// Not built: enable the trait `GCS`.
  @available(
    *, unavailable,
    message: "RangeIOGCS is built without its trait: write .package(url: …, traits: [\"GCS\"]) in Package.swift"
  )
  public enum GCSSource {}

  extension RangeReader {
    /// Not built: enable the trait `GCS`.
    @available(
      *, unavailable,
      message: "RangeIOGCS is built without its trait: write .package(url: …, traits: [\"GCS\"]) in Package.swift"
    )
    public init(gcs url: String) async throws { try await self.init(FileSource(url)) }
  }
#endif
