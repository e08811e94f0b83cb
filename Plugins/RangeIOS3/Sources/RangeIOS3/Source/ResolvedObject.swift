#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An object of a store whose endpoint and region are known: what a source reads through.
  struct ResolvedObject: Sendable {
    let object: RemoteObject
    let authority: S3Authority

    /// Finds endpoint and region, and what credentials come from. Connects to nobody; may read the AWS tools' files.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`; errors of reading files.
    static func make(
      _ address: S3Address, identifiedBy name: String?, _ configuration: S3Source.Configuration,
      _ places: CredentialPlaces, _ regions: BucketRegions
    ) async throws -> ResolvedObject {
      let clock = ServerClock(places.now)
      let (region, endpoint) = try await place(configuration, places)
      let target = S3Authority.Target(
        address: address, endpoint: endpoint, addressing: configuration.addressing, region: region,
        requesterPays: configuration.requesterPays)
      let credentials = flight(configuration.credentials, region: region, places, clock)
      let authority = S3Authority(target, credentials: credentials, clock: clock, regions: regions)
      var remote = configuration.remote
      if let file = places.variable("AWS_CA_BUNDLE") { remote.trustRootFile = file }
      do throws(ReadError) {
        let object = try RemoteObject(
          authority.origin(), name: address.description, id: endpoint.identity(of: address), identifiedBy: name,
          configuration: remote, authority: authority)
        return ResolvedObject(object: object, authority: authority)
      } catch {
        throw ReadError(error.code, error.message, source: address.description)
      }
    }

    /// Where the bucket is, as far as somebody has said.
    private static func place(
      _ configuration: S3Source.Configuration, _ places: CredentialPlaces
    ) async throws -> (region: String, endpoint: S3Endpoint) {
      let ignores = places.variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() == "true"
      let named =
        ignores ? nil : places.variable("AWS_ENDPOINT_URL_S3") ?? places.variable("AWS_ENDPOINT_URL")
      var settings: AWSProfile?
      if configuration.region == nil || configuration.endpoint == nil {
        switch configuration.credentials.kind {
        case .standard(let profile):
          settings = try await CredentialsChain(profile: profile, places: places).profileSettings()
        case .given, .provider, .anonymous:
          do {
            settings = try await CredentialsChain(places: places).profileSettings()
          } catch is ReadError {
            // The profile that the environment names is not asked for credentials: it need not exist, and its files may be
            // those of another user.
          }
        }
      }
      let region = configuration.region ?? CredentialsChain.region(places, settings) ?? "us-east-1"
      guard XMLText.isName(region) else {
        throw ReadError(
          .invalidConfiguration,
          "the region '\(region.prefix(64))' has other characters than letters, "
            + "digits and hyphens: write it as in us-east-1")
      }
      let url = configuration.endpoint ?? named ?? (ignores ? nil : settings?["endpoint_url"])
      return (region, try url.map { try S3Endpoint($0) } ?? .aws)
    }

    private static func flight(
      _ credentials: S3Source.CredentialsProvider, region: String, _ places: CredentialPlaces, _ clock: ServerClock
    ) -> CredentialsFlight<S3Credentials>? {
      let fetch: @Sendable () async throws -> S3Credentials
      switch credentials.kind {
      case .anonymous: return nil
      case .given(let given): fetch = { given }
      case .provider(let provider): fetch = provider
      case .standard(let profile):
        let chain = CredentialsChain(profile: profile, region: region, places: places)
        fetch = { try await chain.credentials() }
      }
      return CredentialsFlight(expiry: \.expiry, now: { clock.now }, fetch: fetch)
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

#endif
