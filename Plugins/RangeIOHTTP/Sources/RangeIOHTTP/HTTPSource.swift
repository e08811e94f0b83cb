#if HTTP
  internal import RangeIO
  @_exported public import RangeIORemote

  /// Reads an object behind an `http` or `https` URL, in ranges.
  ///
  /// ```swift
  /// let reader = try await RangeReader(contentsOf: "https://example.com/planet.pmtiles")
  /// let header = try await reader.read(0..<127)
  /// ```
  ///
  /// `RangeReader(contentsOf:)` adds the stages that suit a remote object. Make a source yourself to choose them.
  ///
  /// See `RemoteSource` for its promises on versions, redirects, connections and errors, and `RemoteConfiguration` for
  /// its settings.
  ///
  /// **Cancellation** is answered at once. The connection of a cancelled read is closed, unless the rest of
  /// its answer is so short that reading it takes less time than a new connection.
  public final class HTTPSource: RemoteSource {
    private let source: Result<any RemoteSource, ReadError>
    /// Before there is an object.
    private let firstName: String

    /// The object at `url`. The first use connects, not this call. If the URL or a setting is wrong, the first use
    /// throws.
    ///
    /// Path and query are sent byte for byte as you give them. Only what no URL may have is percent-encoded: spaces,
    /// what is not ASCII, brackets, a lone `%`. A user and a password in the URL are used as credentials, unless the
    /// configuration has some.
    ///
    /// - Parameters:
    ///   - url: the object: an `http` or `https` URL.
    ///   - name: what identifies the object in caches, whatever its URL: two sources of one name are one object, in all
    ///     its versions. `nil`: the URL, without user, signature, and `identityIgnoresQueryItems` of the configuration.
    ///   - configuration: how it is requested.
    public convenience init(
      _ url: String, identifiedBy name: String? = nil, configuration: RemoteConfiguration = RemoteConfiguration()
    ) {
      self.init(name) { () throws(ReadError) in
        try RemoteObject(url, identifiedBy: name, configuration: configuration)
      }
    }

    /// The object at a URL that ends, such as a signed one. `renewing` brings a new URL before the end, and when the
    /// server refuses the old one, in the middle of a read or a stream too.
    ///
    /// ```swift
    /// let source = HTTPSource { try await service.signedURL(for: "planet.pmtiles") }
    /// ```
    ///
    /// However many reads wait, `renewing` is called once at a time. What is cached stays valid. `RenewedObject` says
    /// the rest: what counts as refused, what happens when `renewing` fails, and where headers go.
    ///
    /// - Parameters:
    ///   - url: the URL to begin with; `nil`: `renewing` is asked for it at the first use.
    ///   - name: what identifies the object in caches; `nil`: the first URL, as in the other initializer. If that may
    ///     have another path the next time, give a name.
    ///   - configuration: how it is requested. It may have no credentials.
    ///   - renewing: returns a URL of the object. Cancelled when the source closes.
    public convenience init(
      _ url: String? = nil, identifiedBy name: String? = nil,
      configuration: RemoteConfiguration = RemoteConfiguration(),
      renewing: @escaping @Sendable () async throws -> String
    ) {
      self.init(name) { () throws(ReadError) in
        try RenewedObject(url, identifiedBy: name, configuration: configuration, renewing: renewing)
      }
    }

    private init(_ name: String?, _ make: () throws(ReadError) -> any RemoteSource) {
      source = Result(catching: make)
      firstName = if case .failure(let error) = source { error.source ?? "" } else { name ?? "" }
    }

    /// The name of the object in errors and listings: its first URL, without user and password. Of the query it has
    /// only a version or a part, and `…` for the rest.
    public var name: String { openedObject?.name ?? firstName }

    /// The object that the source reads.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` if the URL or a setting is wrong; as `RenewedObject.object`.
    public var object: RemoteObject { get async throws { try await source.get().object } }

    /// The same; `nil` if the URL or a setting is wrong, and as long as the first URL is not known.
    public var openedObject: RemoteObject? {
      if case .success(let source) = source { source.openedObject } else { nil }
    }

    /// Ends all requests and waits. Returns when the last connection is closed that no other source uses; in a
    /// cancelled task at once.
    public nonisolated(nonsending) func close() async {
      if case .success(let source) = source { await source.close() }
    }
  }

  extension HTTPSource: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }
#endif
