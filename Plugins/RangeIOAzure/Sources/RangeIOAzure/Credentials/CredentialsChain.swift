#if Azure
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The places where credentials for blobs may be, in the vendor's order: what the environment has for storage, a client's
  /// secret, a workload identity, a managed identity, `az login`. The first that has some wins. A place that has some but
  /// cannot give them fails the search: a user who set one up does not want another's rights.
  struct CredentialsChain: Sendable {
    var account: String
    var places: CredentialPlaces
    /// The managed identity has given a token: from then on it gives all, however late its service may once be.
    private let hasIdentity = Guarded(false)

    init(account: String, places: CredentialPlaces) {
      self.account = account
      self.places = places
    }

    static let connectionVariable = "AZURE_STORAGE_CONNECTION_STRING"

    /// What lets requests read, from the first place that has some.
    ///
    /// - Throws: `permissionDenied` if no place has any, with what was tried; what a place that has some threw.
    func access() async throws -> BlobAccess {
      var tried: [String] = []
      if let found = try storage(&tried) { return found }
      let wanted = try Wanted(places.variable("AZURE_TOKEN_CREDENTIALS"))
      if wanted.has(.environment), let found = try clientSecret(&tried) { return .token(try await found.token(places)) }
      if wanted.has(.workload), let found = try workload(&tried) { return .token(try await found.token(places)) }
      if wanted.has(.managed), let found = try await managed(&tried) { return .token(found) }
      if wanted.has(.cli) {
        do { return .token(try await AzureCLI.token(places)) } catch let error as ReadError where error.code != .closed
        {
          tried.append("az login (\(error.message))")
        }
      }
      throw ReadError(
        .permissionDenied,
        "there are no credentials for the account '\(account)'; tried: \(tried.joined(separator: "; ")). Set one of these "
          + "up, pass credentials, or ask for anonymous access")
    }

    /// What variables say of this account.
    private func storage(_ tried: inout [String]) throws(ReadError) -> BlobAccess? {
      if let text = places.variable(Self.connectionVariable) {
        let string = try ConnectionString(text)
        if string.isFor(account), let access = string.access { return access }
        let why = string.access == nil ? "has neither key nor signature" : "is for '\(string.account ?? "")'"
        tried.append("\(Self.connectionVariable) (\(why))")
      } else {
        tried.append("\(Self.connectionVariable) (not set)")
      }
      if let other = places.variable("AZURE_STORAGE_ACCOUNT"), other != account {
        tried.append("AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN (AZURE_STORAGE_ACCOUNT is '\(other)')")
        return nil
      }
      if let key = places.variable("AZURE_STORAGE_KEY") { return .key(try SharedKey(account: account, key: key)) }
      if let query = places.variable("AZURE_STORAGE_SAS_TOKEN") { return .sas(try SASQuery(query)) }
      tried.append("AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN (not set)")
      return nil
    }

    private func clientSecret(_ tried: inout [String]) throws(ReadError) -> EntraApplication? {
      let (tenant, client) = (places.variable("AZURE_TENANT_ID"), places.variable("AZURE_CLIENT_ID"))
      if let secret = places.variable("AZURE_CLIENT_SECRET") {
        guard let tenant, let client else {
          throw ReadError(
            .invalidConfiguration,
            "the environment has AZURE_CLIENT_SECRET without AZURE_TENANT_ID or AZURE_CLIENT_ID: set all three")
        }
        return try EntraApplication(tenantID: tenant, clientID: client, proof: .secret(secret), places)
      }
      for name in ["AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_PASSWORD"] where places.variable(name) != nil {
        guard client != nil else { continue }
        throw ReadError(
          .invalidConfiguration, "signing in by \(name) is not supported: use AZURE_CLIENT_SECRET or a federated token")
      }
      tried.append("AZURE_CLIENT_SECRET (not set)")
      return nil
    }

    private func workload(_ tried: inout [String]) throws(ReadError) -> EntraApplication? {
      guard places.variable("AZURE_FEDERATED_TOKEN_FILE") != nil else {
        tried.append("AZURE_FEDERATED_TOKEN_FILE (not set)")
        return nil
      }
      return try EntraApplication.workload(tenantID: nil, clientID: nil, tokenFile: nil, places)
    }

    private func managed(_ tried: inout [String]) async throws -> AzureToken? {
      let identity = ManagedIdentity(clientID: nil, places)
      if hasIdentity.withLock({ $0 }) { return try await identity.token(places) }
      if let absence = try await identity.absence(places) {
        tried.append("managed identity (\(absence))")
        return nil
      }
      do {
        let token = try await identity.token(places)
        hasIdentity.withLock { $0 = true }
        return token
      } catch let error as ReadError where error.code == .notFound {
        tried.append("managed identity (\(error.message))")
        return nil
      }
    }

    /// The places that `AZURE_TOKEN_CREDENTIALS` names.
    private struct Wanted {
      enum Place { case environment, workload, managed, cli }
      let all: Set<Place>

      init(_ text: String?) throws(ReadError) {
        switch text?.lowercased() {
        case nil: all = [.environment, .workload, .managed, .cli]
        case "prod": all = [.environment, .workload, .managed]
        case "dev", "azureclicredential": all = [.cli]
        case "environmentcredential": all = [.environment]
        case "workloadidentitycredential": all = [.workload]
        case "managedidentitycredential": all = [.managed]
        default:
          throw ReadError(
            .invalidConfiguration,
            "AZURE_TOKEN_CREDENTIALS names a place that is not supported: use dev, prod, EnvironmentCredential, "
              + "WorkloadIdentityCredential, ManagedIdentityCredential or AzureCliCredential")
        }
      }

      func has(_ place: Place) -> Bool { all.contains(place) }
    }
  }

#endif
