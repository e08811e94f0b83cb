#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An object of a store whose endpoint and region are known: what a source reads through.
  struct ResolvedObject: Sendable {
    let object: RemoteObject
    let authority: S3Authority

    /// Finds endpoint and region, and where credentials come from. Opens no connection; may read the AWS tools' files.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`; errors of reading files.
    static func make(
      _ address: S3Address, identifiedBy name: String?, _ configuration: S3Source.Configuration,
      _ places: CredentialPlaces, _ regions: BucketRegions
    ) async throws -> ResolvedObject {
      let clock = ServerClock(places.now)
      let place = try await StorePlace(address, configuration, places)
      let target = S3Authority.Target(
        address: address, endpoint: place.endpoint, addressing: place.addressing, region: place.region,
        requesterPays: configuration.requesterPays, usesSessions: place.usesSessions)
      var places = places.reaching(as: configuration.remote)
      if let file = place.rootFile { places = places.trusting(file) }
      let credentials = flight(configuration.credentials, place, places, clock)
      var remote = configuration.remote
      // What the program has set itself goes before.
      if let file = place.rootFile, remote.trustRootFile == RemoteConfiguration().trustRootFile {
        remote.trustRootFile = file
      }
      let authority = S3Authority(target, credentials: credentials, clock: clock, regions: regions, remote: remote)
      do throws(ReadError) {
        try configuration.check()
        let object = try RemoteObject(
          authority.origin(), name: address.description, id: place.endpoint.identity(of: address), identifiedBy: name,
          configuration: remote, authority: authority)
        return ResolvedObject(object: object, authority: authority)
      } catch {
        throw ReadError(error.code, error.message, source: address.description)
      }
    }

    /// What the sources of the process share.
    private static let shared = SharedCredentials<CredentialPlaces.Identity>()

    private static func flight(
      _ credentials: S3Source.CredentialsProvider, _ place: StorePlace, _ places: CredentialPlaces, _ clock: ServerClock
    ) -> CredentialsFlight<S3Credentials>? {
      let fetch: @Sendable () async throws -> S3Credentials
      switch credentials.kind {
      case .anonymous: return nil
      case .given(let given): fetch = { given }
      case .provider(let provider): fetch = provider
      case .standard(let profile):
        let chain = CredentialsChain(profile: profile, region: place.region, places: places, hosts: place.hosts)
        let hosts = "FIPS \(place.hosts.usesFIPS), dual stack \(place.hosts.usesDualStack)"
        return shared.credentials(
          in: places.identity, named: ["\(profile as Any)", place.region, hosts], expiry: \.expiry, now: places.now,
          of: { clock.now }, fetch: { try await chain.credentials() })
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
