#if S3
  public import RangeIO
  internal import RangeIOHTTPTransport

  extension S3Source {
    /// The store of all readers of remote objects that were given none: 128 MiB for the whole process, or a sixth
    /// of its memory if that is less. Plugins for other
    /// remote objects use the same one.
    public static var sharedStore: MemoryStore { RemoteStore.shared }
  }

  extension RangeReader {
    /// Opens the object at an `s3`, `https` or `http` URL, with the stages that suit a remote object.
    ///
    /// ```swift
    /// let reader = try await RangeReader(contentsOf: "s3://planet/tiles/2026.pmtiles")
    /// ```
    ///
    /// From the top down: `TimeLimiting` if there is a `readTimeout`, `ReadAhead`, `Caching` (for one range the blocks, as far as
    /// later reads have use for them, exactly the missing bytes for several: `Caching.Fill.automatic`), `Merging`, `Retrying`, `Hedging` if asked for, and
    /// `Limiting` to half as many reads again as there are connections: so a request is ready whenever one ends. For other
    /// stages: `RangeReader(S3Source(url)) { … }`.
    ///
    /// An `https` URL, such as a presigned one, is read without a signature: only the connection settings and headers of
    /// `configuration` count for it, and a user and a password in the URL.
    ///
    /// - Parameters:
    ///   - url: the object: `s3://bucket/key`, also with `?versionId=…`, or an address of the web.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept. Default: ``S3Source/sharedStore``, for the whole process.
    ///   - onChange: what to do when the object changes.
    ///   - hedges: whether up to one request in twenty may be sent twice when its answer is late. Default: no, because
    ///     stores charge for requests.
    /// - Throws: as ``S3Source/describe()``.
    public init(
      contentsOf url: String, configuration: S3Source.Configuration = S3Source.Configuration(),
      store: any ChunkStore = S3Source.sharedStore, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      let pipeline = ReadPipeline.remoteObject(
        keepingIn: store, timeLimit: RemoteReads.timeLimit(configuration.readTimeout),
        concurrentReads: RemoteReads.concurrent(with: configuration.connectionsPerHost), hedges: hedges)
      let scheme = url.prefix { $0 != ":" }.lowercased()
      switch scheme {
      case "http", "https":
        try await self.init(WebObject(url, configuration), pipeline, onChange: onChange)
      default:
        try await self.init(S3Source(url, configuration: configuration), pipeline, onChange: onChange)
      }
    }
  }

  /// An object behind a URL that needs no signature, or has one already.
  private struct WebObject: RangeSource {
    private let object: RemoteObject

    init(_ url: String, _ configuration: S3Source.Configuration) throws(ReadError) {
      do throws(Failure) {
        let parsed = try ObjectURL(url)
        let credentials = parsed.user.map { user in
          CredentialStore(fixed: CredentialStore.basic(user: user, password: parsed.password ?? ""))
        }
        object = try RemoteObject(parsed, settings: try configuration.settings(), credentials: credentials)
      } catch {
        throw error.readError(source: ObjectURL.shown(url))
      }
    }

    func describe() async throws -> SourceDescription { try await object.describe() }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await object.read(range, of: source)
    }

    func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] {
      try await object.read(ranges, of: source)
    }

    func read(_ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid) async throws -> [Bytes] {
      try await object.read(range, of: source, scatteredBy: grid)
    }

    var isPrompt: Bool { true }

    func statistics() -> [ReadCounts] { [object.statistics()] }

    func close() async { await object.close() }
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
