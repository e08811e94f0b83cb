#if S3
  internal import RangeIO
  public import RangeIORemote

  extension S3Source {
    /// Where credentials come from.
    public struct CredentialsProvider: Sendable {
      enum Kind: Sendable {
        case standard(profile: String?)
        case given(S3Credentials)
        case provider(@Sendable () async throws -> S3Credentials)
        case anonymous
      }
      let kind: Kind

      /// The first place that has credentials: the environment (`AWS_ACCESS_KEY_ID` …), a role of the profile that
      /// `AWS_PROFILE` names or `default`, a web identity (`AWS_WEB_IDENTITY_TOKEN_FILE`), what else the profile has (keys,
      /// SSO, `aws login`, `credential_process`), the service of an ECS or EKS container, the metadata service of an EC2
      /// machine (asked for one second). The default.
      public static let standard = Self(kind: .standard(profile: nil))

      /// A profile of `~/.aws/credentials` and `~/.aws/config`, and nothing else.
      public static func profile(_ name: String) -> Self { Self(kind: .standard(profile: name)) }

      /// These, until they expire or are refused.
      public static func given(_ credentials: S3Credentials) -> Self { Self(kind: .given(credentials)) }

      /// Those that `provider` returns. It is asked before the first request, five minutes before its credentials expire, and
      /// when the server refuses them; once for all reads of a source that wait.
      public static func provider(_ provider: @escaping @Sendable () async throws -> S3Credentials) -> Self {
        Self(kind: .provider(provider))
      }

      /// None: requests are not signed. For public objects.
      public static let anonymous = Self(kind: .anonymous)
    }

    /// Settings of a source.
    ///
    /// ```swift
    /// var minio = S3Source.Configuration()
    /// minio.endpoint = "http://127.0.0.1:9000"
    /// minio.credentials = .given(S3Credentials(accessKeyID: "minio", secretAccessKey: secret))
    /// ```
    public struct Configuration: Sendable {
      /// Where credentials come from. Default: ``S3Source/CredentialsProvider/standard``.
      public var credentials = CredentialsProvider.standard
      /// The bucket's region. `nil`, the default: `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile's, or `us-east-1`. If the
      /// bucket is elsewhere and the server says where, the source goes there and remembers it for the process.
      public var region: String?
      /// The server's URL, for stores other than AWS. `nil`, the default: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, the
      /// profile's `services` section, its `endpoint_url`, or AWS.
      public var endpoint: String?
      /// Where the bucket's name stands in requests. Default: ``S3Source/Addressing/automatic``.
      public var addressing = Addressing.automatic
      /// `true` for AWS's hosts whose cryptography is validated by FIPS 140. `nil`, the default: as
      /// `AWS_USE_FIPS_ENDPOINT` or the profile's `use_fips_endpoint` says, or not. An error beside an endpoint.
      public var usesFIPS: Bool?
      /// `true` for AWS's hosts that have IPv6 addresses too. `nil`, the default: as `AWS_USE_DUALSTACK_ENDPOINT` or
      /// the profile's `use_dualstack_endpoint` says, or not. An error beside an endpoint.
      public var usesDualStack: Bool?
      /// `true` if you agree to pay for requests to a bucket whose readers pay (`x-amz-request-payer`). Default: `false`.
      public var requesterPays = false
      /// Settings for requests: connections, times, versions of HTTP. Its `headers` that begin with `x-amz-` are
      /// signed, such as the key of an object that is encrypted with a key of yours (SSE-C). If you set its
      /// `trustRootFile`, that counts before `AWS_CA_BUNDLE`.
      public var remote = RemoteConfiguration()

      /// A configuration with defaults.
      public init() {}
    }
  }

  extension S3Source.Configuration {
    /// Fields that a signature sets.
    private static let ownFields: Set<String> = ["authorization", "x-amz-content-sha256", "x-amz-date"]

    /// Throws for settings of the transport that would be passed over.
    func check() throws(ReadError) {
      guard remote.credentials == nil else {
        throw ReadError(
          .invalidConfiguration,
          "remote.credentials are not for objects of a bucket: put keys into credentials, as .given(…) or .provider { … }"
        )
      }
      if case .anonymous = credentials.kind { return }
      if let name = remote.headers.map(\.name).first(where: { Self.ownFields.contains($0.lowercased()) }) {
        throw ReadError(
          .invalidConfiguration, "the header '\(name)' is set by the source itself: remove it from the configuration")
      }
    }
  }

  extension S3Source.Configuration: CustomStringConvertible, CustomReflectable {
    /// The region and the names of the headers; never a secret.
    public var description: String {
      "S3Source.Configuration(region: \(region ?? "found"), addressing: \(addressing), remote: \(remote))"
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  extension S3Source.CredentialsProvider: CustomStringConvertible, CustomReflectable {
    /// The kind; never a secret.
    public var description: String {
      switch kind {
      case .standard(nil): "standard"
      case .standard(let profile?): "profile \(profile)"
      case .given(let credentials): "\(credentials)"
      case .provider: "provider"
      case .anonymous: "anonymous"
      }
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
