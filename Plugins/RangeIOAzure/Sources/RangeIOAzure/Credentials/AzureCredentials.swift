#if Azure

  /// Who may read a blob. No text made of credentials shows a secret.
  ///
  /// ```swift
  /// var configuration = AzureSource.Configuration()
  /// configuration.credentials = .sharedKey(key)
  /// ```
  public struct AzureCredentials: Sendable {
    enum Kind: Sendable {
      case standard
      case anonymous
      case sharedKey(String)
      case connectionString(String)
      case sas(String)
      case sasProvider(@Sendable () async throws -> String)
      case tokenProvider(@Sendable () async throws -> AzureToken)
      case clientSecret(tenantID: String, clientID: String, secret: String, authorityHost: String?)
      case workloadIdentity(tenantID: String?, clientID: String?, tokenFile: String?)
      case managedIdentity(clientID: String?)
      case azureCLI
    }
    let kind: Kind

    /// The first place that has credentials: a connection string, a key or a shared access signature in the environment
    /// (`AZURE_STORAGE_CONNECTION_STRING`, `AZURE_STORAGE_KEY`, `AZURE_STORAGE_SAS_TOKEN`), a client's secret
    /// (`AZURE_CLIENT_SECRET`), a workload identity (`AZURE_FEDERATED_TOKEN_FILE`), a managed identity, `az login`. The
    /// default. If none has any, the error says what was tried.
    public static let standard = Self(kind: .standard)

    /// None: for containers that everyone may read.
    public static let anonymous = Self(kind: .anonymous)

    /// A key of the account, in Base64, as the portal shows it.
    public static func sharedKey(_ key: String) -> Self { Self(kind: .sharedKey(key)) }

    /// A connection string, as the portal shows it: also names the endpoint. `UseDevelopmentStorage=true` is Azurite.
    public static func connectionString(_ text: String) -> Self { Self(kind: .connectionString(text)) }

    /// A shared access signature of an account, a service or a user delegation: `sv=…&sig=…`. It goes into each request as
    /// it is.
    public static func sas(_ query: String) -> Self { Self(kind: .sas(query)) }

    /// Shared access signatures that `provider` returns. It is asked before the first request, five minutes before its
    /// signature ends (`se`), and when the service refuses it; once for all reads of a source that wait.
    public static func sas(_ provider: @escaping @Sendable () async throws -> String) -> Self {
      Self(kind: .sasProvider(provider))
    }

    /// Tokens that `provider` returns, for the resource `https://storage.azure.com/`. It is asked before the first request,
    /// five minutes before its token ends, and when the service refuses it; once for all reads of a source that wait.
    public static func token(_ provider: @escaping @Sendable () async throws -> AzureToken) -> Self {
      Self(kind: .tokenProvider(provider))
    }

    /// An application of Microsoft Entra ID by its secret.
    ///
    /// - Parameters:
    ///   - tenantID: the tenant that the application belongs to.
    ///   - clientID: the application.
    ///   - secret: its secret.
    ///   - authorityHost: where it signs in. `nil`, the default: `AZURE_AUTHORITY_HOST`, or `login.microsoftonline.com`.
    public static func clientSecret(
      tenantID: String, clientID: String, secret: String, authorityHost: String? = nil
    ) -> Self {
      Self(kind: .clientSecret(tenantID: tenantID, clientID: clientID, secret: secret, authorityHost: authorityHost))
    }

    /// An application of Microsoft Entra ID by a token in a file, as Kubernetes gives it to its programs. What is `nil`, the
    /// default, is what `AZURE_TENANT_ID`, `AZURE_CLIENT_ID` and `AZURE_FEDERATED_TOKEN_FILE` say.
    public static func workloadIdentity(
      tenantID: String? = nil, clientID: String? = nil, tokenFile: String? = nil
    ) -> Self {
      Self(kind: .workloadIdentity(tenantID: tenantID, clientID: clientID, tokenFile: tokenFile))
    }

    /// The identity of the virtual machine, the container or the App Service that the program runs in.
    ///
    /// - Parameter clientID: of an identity that a user has assigned. `nil`, the default: `AZURE_CLIENT_ID`, or the
    ///   system's.
    public static func managedIdentity(clientID: String? = nil) -> Self {
      Self(kind: .managedIdentity(clientID: clientID))
    }

    /// What `az login` left: runs `az account get-access-token`, for at most 10 seconds.
    public static let azureCLI = Self(kind: .azureCLI)
  }

  extension AzureCredentials: CustomStringConvertible, CustomReflectable {
    /// The kind; never a secret.
    public var description: String {
      switch kind {
      case .standard: "standard"
      case .anonymous: "anonymous"
      case .sharedKey: "shared key"
      case .connectionString: "connection string"
      case .sas: "shared access signature"
      case .sasProvider: "shared access signatures of a provider"
      case .tokenProvider: "tokens of a provider"
      case .clientSecret: "client secret"
      case .workloadIdentity: "workload identity"
      case .managedIdentity: "managed identity"
      case .azureCLI: "az login"
      }
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
