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
  /// See `RemoteSource` for its promises on versions, redirects, connections and errors, and `RemoteConfiguration` for its
  /// settings.
  ///
  /// **Cancellation** is answered at once. The connection of a cancelled read is closed, unless the rest of
  /// its answer is so short that reading it takes less time than a new connection.
  public final class HTTPSource: RemoteSource {
    private let result: Result<RemoteObject, ReadError>
    /// The name of the object in errors and listings: its URL without user and password, and with `…` for
    /// all of its query but a version or a part.
    public let name: String

    /// The object at `url`. The first use connects, not this call. If the URL or a setting is wrong, the first use throws.
    ///
    /// Path and query are sent byte for byte as you give them. Only what no URL may have is percent-encoded: spaces, what
    /// is not ASCII, brackets, a lone `%`. A user and a password in the URL are used as credentials, unless the configuration has some.
    public init(_ url: String, configuration: RemoteConfiguration = RemoteConfiguration()) {
      result = Result { () throws(ReadError) in try RemoteObject(url, configuration: configuration) }
      switch result {
      case .success(let object): name = object.name
      case .failure(let error): name = error.source ?? ""
      }
    }

    /// The object that the source reads.
    public var object: RemoteObject { get throws(ReadError) { try result.get() } }

    /// The same; `nil` if the URL or a setting is wrong.
    public var openedObject: RemoteObject? { if case .success(let object) = result { object } else { nil } }
  }

  extension HTTPSource: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }
#endif
