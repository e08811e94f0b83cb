#if Azure
  public import RangeIO
  public import RangeIORemote

  /// Opens blobs, with the stages that suit a remote object.
  extension RangeReader {
    /// Opens a blob of Azure Storage, with the stages that suit a remote object.
    ///
    /// ```swift
    /// let reader = try await RangeReader(azure: "az://maps/tiles/2026.pmtiles")
    /// ```
    ///
    /// The stages are those of `ReadPipeline.remoteObject(_:cache:hedges:)`. For others:
    /// `RangeReader(AzureSource(address), [...])`.
    ///
    /// - Parameters:
    ///   - address: `az://account/container/blob`, `abfss://container@account.dfs.core.windows.net/blob`, or an https URL of
    ///     the blob service, also with a shared access signature. All also with `?versionid=…` or `?snapshot=…`.
    ///   - name: what identifies the blob in caches, whatever its address; `nil`: its server, container and name.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept; `nil` keeps nothing. Default: `MemoryStore.sharedRemote`, for the whole process.
    ///   - onChange: what to do when the blob changes. With `.follow` the reader takes it for one that is only added to, as
    ///     append blobs are (`RemoteConfiguration.isAppendOnly`).
    ///   - hedges: `true` if up to one request in twenty may be sent twice when its answer is late. Default: no, because
    ///     the service charges for requests.
    /// - Throws: as `RemoteSource.describe()`.
    public init(
      azure address: String, identifiedBy name: String? = nil,
      configuration: AzureSource.Configuration = AzureSource.Configuration(),
      cache store: (any ChunkStore)? = MemoryStore.sharedRemote, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      var configuration = configuration
      configuration.remote = configuration.remote.following(onChange)
      let pipeline = ReadPipeline.remoteObject(configuration.remote, cache: store, hedges: hedges)
      try await self.init(
        AzureSource(address, identifiedBy: name, configuration: configuration), pipeline, onChange: onChange)
    }
  }

#else
  public import RangeIO

  /// Not built: enable the trait `Azure`.
  @available(
    *, unavailable,
    message: "RangeIOAzure is built without its trait: write .package(url: …, traits: [\"Azure\"]) in Package.swift"
  )
  public enum AzureSource {}

  extension RangeReader {
    /// Not built: enable the trait `Azure`.
    @available(
      *, unavailable,
      message: "RangeIOAzure is built without its trait: write .package(url: …, traits: [\"Azure\"]) in Package.swift"
    )
    public init(azure address: String) async throws { try await self.init(FileSource(address)) }
  }
#endif
