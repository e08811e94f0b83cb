#if Azure
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// A blob whose server is known, and how to get what lets requests read it: what a source reads through.
  struct ResolvedBlob: Sendable {
    let object: RemoteObject
    let authority: AzureAuthority

    /// Finds the server, and where credentials come from. Opens no connection.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`.
    static func make(
      _ address: AzureAddress, identifiedBy name: String?, _ configuration: AzureSource.Configuration,
      _ places: CredentialPlaces
    ) throws(ReadError) -> ResolvedBlob {
      try configuration.check()
      let endpoint = try endpoint(of: address, configuration, places)
      let clock = ServerClock(places.now)
      let places = places.reaching(as: configuration.remote)
      let flight = try fetch(for: address, configuration.credentials, places).map { fetch in
        guard address.sas == nil, let name = configuration.credentials.sharedName else {
          return CredentialsFlight(expiry: \.expiry, now: { clock.now }, fetch: fetch)
        }
        return shared.credentials(
          in: places.identity, named: [name, address.account], expiry: \.expiry, now: places.now, of: { clock.now },
          fetch: fetch)
      }
      let authority = AzureAuthority(address, flight, clock: clock)
      var remote = configuration.remote
      // The service answers no range that counts from the end.
      if case .suffix = remote.opening { remote.opening = .head }
      let object = try RemoteObject(
        endpoint.url(of: address), name: address.name,
        id: "az+\(endpoint.text)/\(address.container)/\(address.blob)", identifiedBy: name, configuration: remote,
        authority: authority)
      return ResolvedBlob(object: object, authority: authority)
    }

    /// What the sources of the process share.
    private static let shared = SharedCredentials<CredentialPlaces.Identity>()

    private static func endpoint(
      of address: AzureAddress, _ configuration: AzureSource.Configuration, _ places: CredentialPlaces
    ) throws(ReadError) -> BlobEndpoint {
      guard let text = configuration.endpoint else {
        func known() throws(ReadError) -> BlobEndpoint? {
          try configuration.credentials.endpoint(of: address.account, places)
        }
        guard let own = address.endpoint else { return try known() ?? BlobEndpoint(account: address.account) }
        if own.isTrusted || !configuration.credentials.areSent(to: address) { return own }
        guard try known() == own else {
          throw ReadError(
            .invalidConfiguration,
            "the address names a server that is none of Azure's, and the credentials would go there: write "
              + "az://account/container/blob, and name the server as endpoint in the configuration")
        }
        return own
      }
      guard address.endpoint == nil else {
        throw ReadError(
          .invalidConfiguration, "the address names its server, and so does endpoint: remove it, or write az://")
      }
      let endpoint = try BlobEndpoint(text, name: "the endpoint")
      if let other = endpoint.accountInHost, other != address.account {
        throw ReadError(
          .invalidConfiguration,
          "the endpoint is that of the account '\(other)', not of '\(address.account)': correct it")
      }
      return endpoint
    }

    private static func fetch(
      for address: AzureAddress, _ credentials: AzureCredentials, _ places: CredentialPlaces
    ) throws(ReadError) -> AzureCredentials.Fetch? {
      guard let sas = address.sas else { return try credentials.fetch(for: address.account, places) }
      guard case .standard = credentials.kind else {
        throw ReadError(
          .invalidConfiguration,
          "the URL has a shared access signature, and the configuration has credentials: remove one")
      }
      return { .sas(sas) }
    }
  }

  extension AzureCredentials {
    /// Names those that all blobs of an account may share; `nil` for a closure of one source, and for what needs no request.
    fileprivate var sharedName: String? {
      switch kind {
      case .standard, .clientSecret, .workloadIdentity, .managedIdentity, .azureCLI: "\(kind)"
      case .anonymous, .sharedKey, .connectionString, .sas, .sasProvider, .tokenProvider: nil
      }
    }

    /// `false` if requests have none but the signature of the address itself.
    fileprivate func areSent(to address: AzureAddress) -> Bool {
      if case .anonymous = kind { return false }
      return address.sas == nil
    }
  }

  extension AzureSource.Configuration {
    /// Fields that the source sets itself.
    private static let ownFields: Set<String> = ["authorization", "x-ms-date", "x-ms-range", "x-ms-version"]

    fileprivate func check() throws(ReadError) {
      if let name = remote.headers.map(\.name).first(where: { Self.ownFields.contains($0.lowercased()) }) {
        throw ReadError(
          .invalidConfiguration, "the header '\(name)' is set by the source itself: remove it from the configuration")
      }
      guard remote.credentials == nil else {
        throw ReadError(
          .invalidConfiguration, "remote.credentials are not for blobs: put them into credentials, as .token { … }")
      }
    }
  }

#endif
