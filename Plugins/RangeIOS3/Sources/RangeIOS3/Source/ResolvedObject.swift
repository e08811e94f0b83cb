#if S3
  internal import RangeIO
  internal import RangeIORemote

  /// An object of a store whose endpoint and region are known: what a source reads through.
  struct ResolvedObject: Sendable {
    let object: RemoteObject
    let authority: S3Authority

    /// Finds endpoint and region, and what credentials come from. Connects to nobody; may read the AWS tools' files.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`; errors of reading files.
    static func make(
      _ address: S3Address, _ configuration: S3Source.Configuration, _ surroundings: Surroundings,
      _ regions: BucketRegions
    ) async throws -> ResolvedObject {
      let clock = ServerClock(surroundings.now)
      let (region, endpoint) = try await place(configuration, surroundings)
      let target = S3Authority.Target(
        address: address, endpoint: endpoint, addressing: configuration.addressing, region: region,
        requesterPays: configuration.requesterPays)
      let credentials = flight(configuration.credentials, region: region, surroundings, clock)
      let authority = S3Authority(target, credentials: credentials, clock: clock, regions: regions)
      var remote = configuration.remote
      if let file = surroundings.variable("AWS_CA_BUNDLE") { remote.trustRootFile = file }
      do throws(ReadError) {
        let object = try RemoteObject(
          authority.origin(), name: address.description, id: endpoint.identity(of: address), configuration: remote,
          authority: authority)
        return ResolvedObject(object: object, authority: authority)
      } catch {
        throw ReadError(error.code, error.message, source: address.description)
      }
    }

    /// Where the bucket is, as far as somebody has said.
    private static func place(
      _ configuration: S3Source.Configuration, _ surroundings: Surroundings
    ) async throws -> (region: String, endpoint: S3Endpoint) {
      let ignores = surroundings.variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() == "true"
      let named =
        ignores ? nil : surroundings.variable("AWS_ENDPOINT_URL_S3") ?? surroundings.variable("AWS_ENDPOINT_URL")
      var settings: AWSProfile?
      if configuration.region == nil || configuration.endpoint == nil {
        switch configuration.credentials.kind {
        case .standard(let profile):
          settings = try await CredentialsChain(profile: profile, surroundings: surroundings).profileSettings()
        case .given, .provider, .anonymous:
          do {
            settings = try await CredentialsChain(surroundings: surroundings).profileSettings()
          } catch is ReadError {
            // The profile that the environment names is not asked for credentials: it need not exist, and its files may be
            // those of another user.
          }
        }
      }
      let region = configuration.region ?? CredentialsChain.region(surroundings, settings) ?? "us-east-1"
      guard ErrorDocument.isName(region) else {
        throw ReadError(
          .invalidConfiguration,
          "the region '\(region.prefix(64))' has other characters than letters, "
            + "digits and hyphens: write it as in us-east-1")
      }
      let url = configuration.endpoint ?? named ?? (ignores ? nil : settings?["endpoint_url"])
      return (region, try url.map { try S3Endpoint($0) } ?? .aws)
    }

    private static func flight(
      _ credentials: S3Source.CredentialsProvider, region: String, _ surroundings: Surroundings, _ clock: ServerClock
    ) -> CredentialsFlight? {
      let fetch: @Sendable () async throws -> S3Credentials
      switch credentials.kind {
      case .anonymous: return nil
      case .given(let given): fetch = { given }
      case .provider(let provider): fetch = provider
      case .standard(let profile):
        let chain = CredentialsChain(profile: profile, region: region, surroundings: surroundings)
        fetch = { try await chain.credentials() }
      }
      return CredentialsFlight(now: { clock.now }, fetch: fetch)
    }
  }

  extension S3Endpoint {
    /// The identity of an object among all sources, whatever its version and however it is addressed.
    func identity(of address: S3Address) -> String {
      // A path before the bucket, as one server has for several stores, ends with a character that it cannot contain.
      let server = prefix.isEmpty ? name : "\(name)\(prefix)?"
      return isAWS ? "s3://\(address.bucket)/\(address.key)" : "s3+\(server)/\(address.bucket)/\(address.key)"
    }
  }

  extension Surroundings {
    /// Sends a request by the transport.
    static func overTransport(_ request: Request) async throws -> Answer {
      var fields = HeaderFields()
      for header in request.headers { fields.set(header.name, header.value) }
      var configuration = RemoteConfiguration()
      if request.isLocal { configuration.proxy = .none }
      if let rootFile = request.rootFile { configuration.trustRootFile = rootFile }
      let answer = try await SmallExchange.send(
        method: request.method, url: ObjectURL(request.url), fields: fields, body: request.body,
        timeout: request.timeout, limit: 65_536, configuration: configuration)
      return Answer(status: answer.status, body: answer.body)
    }
  }

#endif
