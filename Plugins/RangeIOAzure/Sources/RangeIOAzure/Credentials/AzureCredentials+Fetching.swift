#if Azure
  internal import RangeIO
  internal import RangeIORemote

  extension AzureCredentials {
    /// Brings what lets requests read.
    typealias Fetch = @Sendable () async throws -> BlobAccess

    /// How to fetch the key, signature or token for blobs of `account`; `nil` for anonymous access. Opens no connection.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` for what cannot be right, whatever a server says.
    func fetch(for account: String, _ places: CredentialPlaces) throws(ReadError) -> Fetch? {
      switch kind {
      case .anonymous: return nil
      case .standard:
        let chain = CredentialsChain(account: account, places: places)
        return { try await chain.access() }
      case .sharedKey(let key):
        let access = BlobAccess.key(try SharedKey(account: account, key: key))
        return { access }
      case .connectionString(let text):
        guard let access = try ConnectionString(text).access(to: account) else { return nil }
        return { access }
      case .sas(let query):
        let access = BlobAccess.sas(try SASQuery(query))
        return { access }
      case .sasProvider(let provider): return { .sas(try SASQuery(try await provider())) }
      case .tokenProvider(let provider): return { .token(try await provider()) }
      case .clientSecret(let tenantID, let clientID, let secret, let host):
        let identity = try EntraApplication(
          tenantID: tenantID, clientID: clientID, proof: .secret(secret), authorityHost: host, places)
        return { .token(try await identity.token(places)) }
      case .workloadIdentity(let tenantID, let clientID, let file):
        let identity = try EntraApplication.workload(tenantID: tenantID, clientID: clientID, tokenFile: file, places)
        return { .token(try await identity.token(places)) }
      case .managedIdentity(let clientID):
        let identity = ManagedIdentity(clientID: clientID, places)
        return { .token(try await identity.token(places)) }
      case .azureCLI: return { .token(try await AzureCLI.token(places)) }
      }
    }

    /// Where the blobs of `account` are, if the credentials say so.
    func endpoint(of account: String, _ places: CredentialPlaces) throws(ReadError) -> BlobEndpoint? {
      switch kind {
      case .connectionString(let text): return try ConnectionString(text).endpoint
      case .standard:
        guard let text = places.variable(CredentialsChain.connectionVariable) else { return nil }
        let string = try ConnectionString(text)
        return string.isFor(account) ? string.endpoint : nil
      default: return nil
      }
    }
  }

  extension ConnectionString {
    /// `true` if it may be for blobs of `account`.
    func isFor(_ account: String) -> Bool { self.account.map { $0 == account } ?? true }

    /// What lets requests for blobs of `account` read; `nil`: anonymous.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` for one of another account.
    func access(to account: String) throws(ReadError) -> BlobAccess? {
      guard isFor(account) else {
        throw ReadError(
          .invalidConfiguration,
          "the connection string is for the account '\(self.account ?? "")', not for '\(account)': pass that of the blob"
        )
      }
      return access
    }
  }

#endif
