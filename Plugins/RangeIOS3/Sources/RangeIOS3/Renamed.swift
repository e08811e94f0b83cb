#if S3
  // Names of before, so that the compiler says what they are called now. They go after the first release.

  public import RangeIO

  /// Now ``S3Source/Addressing``.
  @available(*, unavailable, renamed: "S3Source.Addressing")
  public enum S3Addressing {}

  extension S3Source {
    /// Now ``CredentialsProvider``.
    @available(*, unavailable, renamed: "CredentialsProvider")
    public typealias Credentials = CredentialsProvider
  }

  extension RangeReader {
    /// Now ``init(contentsOf:configuration:cache:onChange:hedges:)``.
    @available(*, unavailable, renamed: "init(contentsOf:configuration:cache:onChange:hedges:)")
    @_disfavoredOverload
    public init(
      contentsOf url: String, configuration: S3Source.Configuration = S3Source.Configuration(),
      store: any ChunkStore, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws { try await self.init(FileSource(url)) }
  }
#endif
