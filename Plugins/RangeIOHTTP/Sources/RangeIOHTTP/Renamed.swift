#if HTTP
  // Names of before, so that the compiler says what they are called now. They go after the first release.

  public import RangeIO
  public import RangeIORemote

  extension RangeReader {
    /// Now ``init(contentsOf:configuration:cache:onChange:hedges:)``.
    @available(*, unavailable, renamed: "init(contentsOf:configuration:cache:onChange:hedges:)")
    @_disfavoredOverload
    public init(
      contentsOf url: String, configuration: RemoteConfiguration = RemoteConfiguration(),
      store: any ChunkStore, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws { try await self.init(FileSource(url)) }
  }
#endif
