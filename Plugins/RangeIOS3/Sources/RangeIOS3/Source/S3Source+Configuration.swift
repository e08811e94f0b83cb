#if S3
  public import RangeIO
  internal import RangeIOHTTPTransport

  extension S3Source {
    /// Where credentials come from.
    public struct Credentials: Sendable {
      enum Kind: Sendable {
        case standard(profile: String?)
        case given(S3Credentials)
        case provider(@Sendable () async throws -> S3Credentials)
        case anonymous
      }
      let kind: Kind

      /// The first of these that has some: the environment (`AWS_ACCESS_KEY_ID` …), the profile that `AWS_PROFILE` names
      /// or `default` (with `credential_process`), a web identity (`AWS_WEB_IDENTITY_TOKEN_FILE`), the service of an ECS or
      /// EKS container, the metadata service of an EC2 machine (version 2, asked for one second). The default.
      public static let standard = Credentials(kind: .standard(profile: nil))

      /// A profile of `~/.aws/credentials` and `~/.aws/config`, and nothing else.
      public static func profile(_ name: String) -> Credentials { Credentials(kind: .standard(profile: name)) }

      /// These, until they expire or are refused.
      public static func given(_ credentials: S3Credentials) -> Credentials { Credentials(kind: .given(credentials)) }

      /// What `provider` returns. It is asked before the first request, five minutes before its credentials expire, and
      /// when the server refuses them; once for all reads of a source that wait.
      public static func provider(_ provider: @escaping @Sendable () async throws -> S3Credentials) -> Credentials {
        Credentials(kind: .provider(provider))
      }

      /// None: requests are not signed. For public objects.
      public static let anonymous = Credentials(kind: .anonymous)
    }

    /// Settings of a source.
    ///
    /// ```swift
    /// var minio = S3Source.Configuration()
    /// minio.endpoint = "http://127.0.0.1:9000"
    /// minio.credentials = .given(S3Credentials(accessKeyID: "minio", secretAccessKey: secret))
    /// ```
    public struct Configuration: Sendable {
      /// Where credentials come from. Default: ``S3Source/Credentials/standard``.
      public var credentials = Credentials.standard
      /// The bucket's region. `nil`, the default: `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile's, or `us-east-1`. If the
      /// bucket is elsewhere and the server says where, the source goes there and remembers it for the process.
      public var region: String?
      /// The server's URL, for stores other than AWS. `nil`, the default: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, the
      /// profile's `endpoint_url`, or AWS.
      public var endpoint: String?
      /// Where the bucket's name stands in requests. Default: ``S3Addressing/automatic``.
      public var addressing = S3Addressing.automatic
      /// Whether you agree to pay for requests to a bucket whose readers pay (`x-amz-request-payer`). Default: `false`.
      public var requesterPays = false
      /// Further fields of each request, such as the key of an object that is encrypted with a key of yours (SSE-C).
      /// Those that begin with `x-amz-` are signed. Never sent to another server. Default: none.
      public var headers: [(name: String, value: String)] = []
      /// The most requests at the same time to one host, by all sources with equal connection settings; each has a
      /// connection. At least 1. Default: 8.
      public var connectionsPerHost = 8
      /// The most time until a connection is there: name, TCP, proxy and TLS together. Default: 5 s.
      public var connectTimeout: Duration = .seconds(5)
      /// The most time from the request to the first byte of its answer. Default: 30 s.
      public var firstByteTimeout: Duration = .seconds(30)
      /// The most time without a byte within an answer. Default: 20 s.
      public var idleTimeout: Duration = .seconds(20)
      /// The most time of a read with all its requests, and with its retries where the reader is opened by its URL. Default,
      /// `nil`: none. A slow link takes its time; a server that stops is noticed by ``idleTimeout``.
      public var readTimeout: Duration?
      /// The least rate of an answer, per second, over 20 s; zero for none. Set it, or ``readTimeout``, for servers that you do
      /// not trust: one may send a byte now and then for ever. Default: none.
      public var leastBytesPerSecond: ByteCount = .bytes(0)
      /// The proxy, as `http://host:port`; empty for none. Default, `nil`: what the environment names (`HTTPS_PROXY` …).
      public var proxy: String?
      /// Files in PEM format with certificates that are trusted in addition to the system's, or to those in the file that
      /// `AWS_CA_BUNDLE` or `SSL_CERT_FILE` names. Default: none.
      public var additionalTrustRoots: [String] = []
      /// Whether an object that was stored with a `Content-Encoding`, such as `gzip`, is read as it is stored. Otherwise
      /// reading it fails, since its bytes are not those that were encoded. Default: no.
      public var acceptsEncoded = false
      /// What opening requests: size and version come along with bytes that the first reads want. Default:
      /// ``RemoteOpening/beginning``, the first 64 KiB.
      public var opening = RemoteOpening.beginning
      /// The block size for caches, a power of two, of which one is fetched at a time. Default, `nil`: blocks of 64 KiB, of
      /// which caches fetch as many at a time as later reads have use for: from none but the bytes asked for, to what comes
      /// in a round trip, at most 1 MiB.
      public var blockSize: ByteCount?

      /// A configuration with defaults.
      public init() {}
    }
  }

  extension S3Source.Configuration {
    /// As the transport takes it.
    func settings() throws(Failure) -> TransportSettings {
      var settings = TransportSettings()
      try settings.setHeaders(headers)
      if let proxy { settings.proxy = proxy.isEmpty ? .none : .server(try ProxyServer(proxy)) }
      settings.trust.additionalRootFiles = additionalTrustRoots
      settings.connectionsPerHost = connectionsPerHost
      settings.connectTimeout = connectTimeout
      settings.headTimeout = firstByteTimeout
      settings.idleTimeout = idleTimeout
      settings.readTimeout = readTimeout
      settings.leastBytesPerSecond = leastBytesPerSecond.bytes
      settings.rules.acceptsEncoded = acceptsEncoded
      settings.opening = opening
      settings.blockSize = blockSize?.bytes
      return settings
    }
  }

  extension S3Source.Configuration: CustomStringConvertible, CustomReflectable {
    /// The region and the names of the headers; never a secret.
    public var description: String {
      "S3Source.Configuration(region: \(region ?? "found"), addressing: \(addressing), headers: \(headers.map(\.name)))"
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  extension S3Source.Credentials: CustomStringConvertible, CustomReflectable {
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
