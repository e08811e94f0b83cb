#if Azure
  public import RangeIORemote

  extension AzureSource {
    /// Settings of a source.
    ///
    /// ```swift
    /// var emulator = AzureSource.Configuration()
    /// emulator.credentials = .connectionString("UseDevelopmentStorage=true")
    /// ```
    public struct Configuration: Sendable {
      /// Who reads. A shared access signature in the URL takes the place of ``AzureCredentials/standard``. Default:
      /// ``AzureCredentials/standard``.
      public var credentials = AzureCredentials.standard
      /// The URL of the account's blob service, for other clouds, emulators and domains of your own:
      /// `https://account.blob.core.chinacloudapi.cn`, `http://127.0.0.1:10000/account`. For `az://` only: other addresses
      /// name their server, and credentials go there only if it is one of Azure's, this machine, or a host without a
      /// dot. `nil`, the default: that of the connection string, or `https://account.blob.core.windows.net`.
      public var endpoint: String?
      /// Settings for requests: connections, times, versions of HTTP. Its `headers` that begin with `x-ms-` are signed,
      /// such as the key of a blob that is encrypted with a key of yours. The service knows no ranges that count from
      /// the end: `RemoteOpening.suffix` opens as `RemoteOpening.head`.
      public var remote = RemoteConfiguration()

      /// A configuration with defaults.
      public init() {}
    }
  }

  extension AzureSource.Configuration: CustomStringConvertible, CustomReflectable {
    /// The kind of credentials and the names of the headers; never a secret.
    public var description: String { "AzureSource.Configuration(credentials: \(credentials), remote: \(remote))" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
