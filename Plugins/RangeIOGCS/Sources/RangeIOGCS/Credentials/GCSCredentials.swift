#if GCS

  /// Where credentials come from.
  ///
  /// ```swift
  /// var configuration = GCSSource.Configuration()
  /// configuration.credentials = .file("/etc/maps/reader.json")
  /// ```
  public struct GCSCredentials: Sendable {
    enum Kind: Sendable {
      case standard
      case file(String)
      case json(String, signsTokens: Bool)
      case metadataServer
      case hmac(HMACKey)
      case provider(@Sendable () async throws -> GCSToken)
      case anonymous
    }
    let kind: Kind

    /// Application default credentials, as Google's libraries find them: the file that `GOOGLE_APPLICATION_CREDENTIALS` names,
    /// the one that `gcloud auth application-default login` has written, the metadata server of a machine at Google.
    /// None for the emulator that `STORAGE_EMULATOR_HOST` names. The default.
    public static let standard = Self(kind: .standard)

    /// A file of credentials in JSON: a service account's key, a login of gcloud, a workload identity (`external_account`), or
    /// the impersonation of a service account. It is read for each new token.
    public static func file(_ path: String) -> Self { Self(kind: .file(path)) }

    /// The contents of such a file.
    ///
    /// - Parameters:
    ///   - text: the JSON.
    ///   - signsTokens: `true` if a service account's key signs tokens itself, so that no token server is asked. Default:
    ///     `false`.
    public static func json(_ text: String, signsTokens: Bool = false) -> Self {
      Self(kind: .json(text, signsTokens: signsTokens))
    }

    /// The service account of this machine at Google, and nothing else.
    public static let metadataServer = Self(kind: .metadataServer)

    /// An HMAC key. It signs requests of the XML API.
    public static func hmac(accessID: String, secret: String) -> Self {
      Self(kind: .hmac(HMACKey(accessID: accessID, secret: secret)))
    }

    /// This token, until it ends or is refused.
    public static func token(_ token: GCSToken) -> Self { Self(kind: .provider { token }) }

    /// Those that `provider` returns. It is asked before the first request, five minutes before its token ends, and when the
    /// server refuses it; once for all reads of a source that wait.
    public static func provider(_ provider: @escaping @Sendable () async throws -> GCSToken) -> Self {
      Self(kind: .provider(provider))
    }

    /// None: for public objects and emulators.
    public static let anonymous = Self(kind: .anonymous)
  }

  extension GCSCredentials: CustomStringConvertible, CustomReflectable {
    /// The kind; never a secret.
    public var description: String {
      switch kind {
      case .standard: "standard"
      case .file(let path): "file \(path)"
      case .json: "JSON"
      case .metadataServer: "metadata server"
      case .hmac: "HMAC key"
      case .provider: "provider"
      case .anonymous: "anonymous"
      }
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// A key for signatures of requests.
  struct HMACKey: Hashable, Sendable {
    let accessID: String
    let secret: String
  }

#endif
