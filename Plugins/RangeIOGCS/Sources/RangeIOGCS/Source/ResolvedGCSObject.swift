#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An object whose server is known: what a source reads through.
  struct ResolvedGCSObject: Sendable {
    let object: RemoteObject
    let authority: GCSAuthority
    let urlSigner: URLSigner

    /// Chooses server, API and credentials. Opens no connection, and reads no file.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`.
    init(
      _ address: GCSAddress, identifiedBy name: String?, _ configuration: GCSSource.Configuration,
      _ places: CredentialPlaces
    ) throws(ReadError) {
      do throws(ReadError) {
        try configuration.check()
        let places = places.reaching(as: configuration.remote)
        let emulator = places.variable("STORAGE_EMULATOR_HOST")
        let endpoint: GCSEndpoint
        if let named = configuration.endpoint {
          endpoint = try GCSEndpoint(named)
        } else {
          endpoint = try emulator.map { text throws(ReadError) in try .emulator(text) } ?? .google
        }
        let api = configuration.api ?? (endpoint.isGoogle ? .xml : .json)
        let clock = ServerClock(places.now)
        let isEmulator = configuration.endpoint == nil && emulator != nil
        let permit = Self.permit(configuration.credentials, places, isEmulator: isEmulator)
        try Self.check(permit, endpoint, api)
        let url = try endpoint.url(of: address, api)
        let target = GCSAuthority.Target(
          address: address, url: url,
          userProject: configuration.userProject ?? Self.quotaProject(configuration.credentials, permit, places))
        authority = GCSAuthority(target, permit, clock: clock)
        var remote = configuration.remote
        remote.acceptsEncoded = !address.isBucket
        object = try RemoteObject(
          url, name: address.description, id: endpoint.identity(of: address), identifiedBy: name,
          configuration: remote, authority: authority)
        urlSigner = URLSigner(
          url: try endpoint.url(of: address, .xml), generation: address.generation,
          credentials: configuration.credentials, places: places)
      } catch {
        throw ReadError(error.code, error.message, source: address.description)
      }
    }

    /// The project that the environment names for the credentials that are found there.
    private static func quotaProject(
      _ credentials: GCSCredentials, _ permit: GCSAuthority.Permit, _ places: CredentialPlaces
    ) -> String? {
      guard case .standard = credentials.kind, case .tokens = permit else { return nil }
      return places.variable("GOOGLE_CLOUD_QUOTA_PROJECT")
    }

    private static func check(
      _ permit: GCSAuthority.Permit, _ endpoint: GCSEndpoint, _ api: GCSSource.API
    ) throws(ReadError) {
      switch permit {
      case .none: break
      case .key where api == .json:
        throw ReadError(
          .invalidConfiguration, "an HMAC key is good for the XML API only: set api = .xml, or pass other credentials")
      case .key: break
      case .tokens where endpoint.isOpenToOthers:
        throw ReadError(
          .invalidConfiguration,
          "the endpoint is http, where others could read the token: use https, or ask for anonymous access")
      case .tokens: break
      }
    }

    /// What the sources of the process share.
    private static let shared = SharedCredentials<CredentialPlaces.Identity>()

    private static func permit(
      _ credentials: GCSCredentials, _ places: CredentialPlaces, isEmulator: Bool
    ) -> GCSAuthority.Permit {
      switch credentials.kind {
      case .anonymous: return .none
      case .standard where isEmulator: return .none
      case .hmac(let key): return .key(key)
      // Tokens end by this machine's clock, which counted their seconds.
      case .provider(let provider):
        return .tokens(CredentialsFlight(expiry: \.expiry, now: places.now, fetch: provider))
      case .standard, .file, .json, .metadataServer:
        let hasServer = Guarded(false)
        let flight = shared.credentials(
          in: places.identity, named: ["\(credentials.kind)"], expiry: \GCSToken.expiry, now: places.now, of: places.now
        ) {
          let source = try await credentials.tokenSource(places, expectsServer: hasServer.withLock { $0 })
          let token = try await source.token(for: .reading, places)
          if source is MetadataServer { hasServer.withLock { $0 = true } }
          return token
        }
        return .tokens(flight)
      }
    }
  }

  extension GCSCredentials {
    /// What tokens come from.
    ///
    /// - Parameter expectsServer: the metadata server has given tokens before.
    /// - Throws: `ReadError`; for kinds that have no such thing, `invalidConfiguration`.
    func tokenSource(_ places: CredentialPlaces, expectsServer: Bool = false) async throws -> any TokenSource {
      switch kind {
      case .standard: return try await StandardCredentials(places: places).source(expectsServer: expectsServer)
      case .file(let path): return try await StandardCredentials.file(path, places)
      case .json(let text, let signsTokens):
        return try CredentialsDocument.parse(text).tokenSource(signsTokens: signsTokens)
      case .metadataServer:
        if let server = MetadataServer(places, isExpected: true) { return server }
        throw ReadError(.invalidConfiguration, "NO_GCE_CHECK is true, and so no metadata server is asked: unset it")
      case .hmac, .provider, .anonymous:
        throw ReadError(.invalidConfiguration, "the credentials (\(self)) are no account's")
      }
    }
  }

#endif
