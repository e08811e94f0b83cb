#if HTTP
  public import RangeIO
  public import RangeIORemote

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  /// Opens objects by URL, with the stages that suit a remote object.
  extension RangeReader {
    // Disfavoured, so that a plugin may offer the same for more schemes.

    /// Opens the object at an `http` or `https` URL, with the stages that suit a remote object.
    ///
    /// ```swift
    /// let reader = try await RangeReader(contentsOf: "https://example.com/planet.pmtiles")
    /// ```
    ///
    /// The stages are those of `ReadPipeline.remoteObject(_:cache:hedges:)`. For others: `RangeReader(HTTPSource(url),
    /// [...])`.
    ///
    /// - Parameters:
    ///   - url: the object.
    ///   - name: what identifies the object in caches, whatever its URL; `nil`: the URL.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept; `nil` keeps nothing. Default: `MemoryStore.sharedRemote`, for the whole process.
    ///   - onChange: what to do when the object changes. With `.follow` the reader takes it for one that is only added to
    ///     (`RemoteConfiguration.isAppendOnly`).
    ///   - hedges: `true` if up to one request in twenty may be sent twice when its answer is late. Default: no,
    ///     because servers may charge for requests.
    /// - Throws: as `RemoteSource.describe()`.
    @_disfavoredOverload
    public init(
      contentsOf url: String, identifiedBy name: String? = nil,
      configuration: RemoteConfiguration = RemoteConfiguration(),
      cache store: (any ChunkStore)? = MemoryStore.sharedRemote, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      try await self.init(
        HTTPSource(url, identifiedBy: name, configuration: configuration.following(onChange)),
        .remoteObject(configuration, cache: store, hedges: hedges), onChange: onChange)
    }

    /// Opens the object at a URL that ends, such as a signed one. `renewing` brings a new URL before the end, and when
    /// the server refuses the old one, in the middle of a read or a stream too.
    ///
    /// ```swift
    /// let reader = try await RangeReader { try await service.signedURL(for: "planet.pmtiles") }
    /// ```
    ///
    /// `HTTPSource.init(_:identifiedBy:configuration:renewing:)` says more of `renewing`, and the initializer without
    /// it describes the other parameters.
    ///
    /// - Parameters:
    ///   - url: the URL to begin with; `nil`: `renewing` is asked for it.
    ///   - name: what identifies the object in caches, whatever its URL; `nil`: the URL to begin with.
    ///   - configuration: how it is requested.
    ///   - store: where blocks are kept; `nil` keeps nothing. Default: `MemoryStore.sharedRemote`, for the whole process.
    ///   - onChange: what to do when the object changes.
    ///   - hedges: whether up to one request in twenty may be sent twice when its answer is late. Default: no.
    ///   - renewing: returns a URL of the object. Called once at a time, however many reads wait.
    /// - Throws: as `RemoteSource.describe()`, and what `renewing` throws: a `ReadError` as it is, others as the
    ///   `cause` of one.
    public init(
      contentsOf url: String? = nil, identifiedBy name: String? = nil,
      configuration: RemoteConfiguration = RemoteConfiguration(),
      cache store: (any ChunkStore)? = MemoryStore.sharedRemote, onChange: ChangePolicy = .fail, hedges: Bool = false,
      renewing: @escaping @Sendable () async throws -> String
    ) async throws {
      try await self.init(
        HTTPSource(url, identifiedBy: name, configuration: configuration.following(onChange), renewing: renewing),
        .remoteObject(configuration, cache: store, hedges: hedges), onChange: onChange)
    }

    /// Opens the object at an `http` or `https` URL. The initializer with a string describes the parameters.
    ///
    /// ```swift
    /// let reader = try await RangeReader(contentsOf: URL(string: "https://example.com/planet.pmtiles")!)
    /// ```
    ///
    /// For a `file:` URL write `RangeReader(fileURL:)` of RangeIOFoundation.
    ///
    /// - Throws: as the initializer with a string.
    public init(
      contentsOf url: URL, identifiedBy name: String? = nil,
      configuration: RemoteConfiguration = RemoteConfiguration(),
      cache store: (any ChunkStore)? = MemoryStore.sharedRemote, onChange: ChangePolicy = .fail, hedges: Bool = false
    ) async throws {
      try await self.init(
        contentsOf: url.absoluteString, identifiedBy: name, configuration: configuration, cache: store,
        onChange: onChange, hedges: hedges)
    }
  }

#else
  public import RangeIO

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

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

    /// Not built: enable the trait `HTTP`.
    @available(
      *, unavailable,
      message: "RangeIOHTTP is built without its trait: write .package(url: …, traits: [\"HTTP\"]) in Package.swift"
    )
    public init(contentsOf url: URL) async throws { try await self.init(FileSource(url.path)) }
  }
#endif
