#if GCS

  /// An access token of Google's (OAuth 2.0): text that permits reading for about an hour.
  ///
  /// Texts made of one show nothing of it.
  public struct GCSToken: Hashable, Sendable {
    let value: String
    /// When it ends, in seconds since 1970; `nil` if that is not known.
    public let expiry: Int?
    /// The project that quotas are counted for, of a user's login.
    let quotaProject: String?

    /// A token.
    ///
    /// - Parameters:
    ///   - value: what stands after `Bearer`.
    ///   - expiry: when it ends, in seconds since 1970. A new one is fetched some minutes before.
    public init(_ value: String, expiry: Int? = nil) { self.init(value, expiry: expiry, quotaProject: nil) }

    init(_ value: String, expiry: Int?, quotaProject: String?) {
      self.value = value
      self.expiry = expiry
      self.quotaProject = quotaProject
    }

    /// The same, with the project that quotas are counted for.
    func counted(for project: String?) -> GCSToken {
      GCSToken(value, expiry: expiry, quotaProject: project ?? quotaProject)
    }
  }

  extension GCSToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the token.
    public var description: String { "GCSToken(…)" }

    /// As ``description``.
    public var debugDescription: String { description }

    /// Shows no children: `dump` prints the description only.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
