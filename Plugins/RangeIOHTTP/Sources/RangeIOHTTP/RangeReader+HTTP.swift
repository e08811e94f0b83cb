#if HTTP
  public import RangeIO
  internal import RangeIOHTTPTransport

  extension HTTPSource {
    /// The store of all readers of remote objects that were given none: 128 MiB for the whole process, or a sixth
    /// of its memory if that is less. Plugins for other
    /// remote objects use the same one.
    public static var sharedStore: MemoryStore { RemoteStore.shared }
  }

  extension RangeReader {
    // Disfavoured, so that a plugin may offer the same for more schemes.

    /// Opens the object at an `http` or `https` URL, with the stages that suit a remote object.
    ///
    /// ```swift
    /// let reader = try await RangeReader(contentsOf: "https://example.com/planet.pmtiles")
    /// ```
    ///
    /// From the top down: `TimeLimiting` if there is a `readTimeout`, `ReadAhead`, `Caching` (for one range the blocks, as far as
    /// later reads have use for them, exactly the missing bytes for several: `Caching.Fill.automatic`), `Merging`, `Retrying`, `Hedging` if asked for, and
    /// `Limiting` to half as many reads again as there are connections: so a request is ready whenever one ends. For other
    /// stages: `RangeReader(HTTPSource(url)) { … }`.
    ///
    /// - Parameters:
    ///   - url: the object.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept. Default: ``HTTPSource/sharedStore``, for the whole process.
    ///   - onChange: what to do when the object changes.
    ///   - hedges: whether up to one request in twenty may be sent twice when its answer is late. Default: no, because
    ///     servers may charge for requests.
    /// - Throws: as ``HTTPSource/describe()``.
    @_disfavoredOverload
    public init(
      contentsOf url: String, configuration: HTTPSource.Configuration = HTTPSource.Configuration(),
      store: any ChunkStore = HTTPSource.sharedStore, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      try await self.init(
        HTTPSource(url, configuration: configuration),
        .remoteObject(
          keepingIn: store, timeLimit: RemoteReads.timeLimit(configuration.readTimeout),
          concurrentReads: RemoteReads.concurrent(with: configuration.connectionsPerHost),
          hedges: hedges),
        onChange: onChange)
    }
  }

#else
  public import RangeIO

  /// Not built: enable the trait `HTTP`.
  @available(
    *, unavailable,
    message: "RangeIOHTTP is built without its trait: write .package(url: …, traits: [\"HTTP\"]) in Package.swift"
  )
  public enum HTTPSource {}

  extension RangeReader {
    /// Not built: enable the trait `HTTP`.
    @available(
      *, unavailable,
      message: "RangeIOHTTP is built without its trait: write .package(url: …, traits: [\"HTTP\"]) in Package.swift"
    )
    @_disfavoredOverload
    public init(contentsOf url: String) async throws { try await self.init(FileSource(url)) }
  }
#endif
