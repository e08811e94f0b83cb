#if S3

  /// The keys that requests are signed with: those of a user, or temporary ones with a session token.
  ///
  /// ```swift
  /// let keys = S3Credentials(accessKeyID: "minio", secretAccessKey: secret)
  /// ```
  ///
  /// Texts made of credentials show the access key's first four characters and nothing else.
  public struct S3Credentials: Hashable, Sendable {
    /// The name of the key: no secret, but hidden in texts.
    public let accessKeyID: String
    let secretAccessKey: String
    let sessionToken: String?
    /// When they end, in seconds since 1970; `nil` for keys that do not end by themselves.
    public let expiry: Int?

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKeyID: the name of the key.
    ///   - secretAccessKey: the secret that belongs to it.
    ///   - sessionToken: the token of temporary credentials; an empty one counts as none.
    ///   - expiry: when they end, in seconds since 1970. New ones are fetched some minutes before.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiry: Int? = nil) {
      self.accessKeyID = accessKeyID
      self.secretAccessKey = secretAccessKey
      self.sessionToken = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
      self.expiry = expiry
    }
  }

  extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first characters of the access key.
    public var description: String { "S3Credentials(\(accessKeyID.prefix(4))…)" }

    /// As ``description``.
    public var debugDescription: String { description }

    /// Shows no children: `dump` prints the description only.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
