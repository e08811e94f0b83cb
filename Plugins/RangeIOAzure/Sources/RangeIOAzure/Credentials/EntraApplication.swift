#if Azure
  internal import RangeIO
  internal import RangeIORemote

  /// An application that signs in to Microsoft Entra ID by its secret or by a token of another issuer.
  struct EntraApplication: Sendable {
    /// What it shows the token service.
    enum Proof: Sendable {
      case secret(String)
      /// A file with a token, read anew for each fetch: such tokens are replaced every hour.
      case tokenFile(String)
    }
    let tenantID: String
    let clientID: String
    let proof: Proof
    /// The token service, without an ending slash.
    let authority: String

    /// - Parameter authorityHost: `nil`: what the environment says, or that of the public cloud.
    init(
      tenantID: String, clientID: String, proof: Proof, authorityHost: String? = nil, _ places: CredentialPlaces
    ) throws(ReadError) {
      // It becomes a part of a path.
      let isTenant = tenantID.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
      }
      guard isTenant, !tenantID.isEmpty, !clientID.isEmpty else {
        throw ReadError(
          .invalidConfiguration,
          "the tenant or client ID for Microsoft Entra ID is not valid: copy both from the application's overview")
      }
      self.tenantID = tenantID
      self.clientID = clientID
      self.proof = proof
      authority = try Self.authority(
        authorityHost ?? places.variable("AZURE_AUTHORITY_HOST") ?? "login.microsoftonline.com")
    }

    /// The identity that Kubernetes gives; what is `nil` comes from the environment.
    static func workload(
      tenantID: String?, clientID: String?, tokenFile: String?, _ places: CredentialPlaces
    ) throws(ReadError) -> EntraApplication {
      guard let tenant = tenantID ?? places.variable("AZURE_TENANT_ID"),
        let client = clientID ?? places.variable("AZURE_CLIENT_ID"),
        let file = tokenFile ?? places.variable("AZURE_FEDERATED_TOKEN_FILE")
      else {
        throw ReadError(
          .invalidConfiguration,
          "a workload identity needs AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE: set all three")
      }
      return try EntraApplication(tenantID: tenant, clientID: client, proof: .tokenFile(file), places)
    }

    private static func authority(_ text: String) throws(ReadError) -> String {
      let invalid = ReadError(
        .invalidConfiguration, "AZURE_AUTHORITY_HOST is no https host: write it as in login.microsoftonline.us")
      let url: ObjectURL
      do throws(ReadError) {
        url = try ObjectURL(text.contains("://") ? text : "https://\(text)")
      } catch { throw invalid }
      // A secret would go there in the clear.
      guard url.scheme == .https || url.isLoopback, url.user == nil, url.query == nil, url.path == "/" else {
        throw invalid
      }
      return url.origin.description
    }

    /// Asks for a token for Azure Storage.
    func token(_ places: CredentialPlaces) async throws -> AzureToken {
      var form = [
        ("client_id", clientID), ("scope", "https://storage.azure.com/.default"), ("grant_type", "client_credentials"),
      ]
      switch proof {
      case .secret(let secret): form.append(("client_secret", secret))
      case .tokenFile(let path):
        guard let contents = try await places.file(places.path(path)) else {
          throw ReadError(
            .notFound, "there is no file of the workload identity's token: check AZURE_FEDERATED_TOKEN_FILE",
            source: path)
        }
        form.append(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
        form.append(("client_assertion", contents.filter { !$0.isWhitespace }))
      }
      // In the body: a URL may be logged on its way.
      let body = form.map { "\($0.0)=\(ObjectURL.encodedQuery($0.1))" }.joined(separator: "&")
      let answer = try await places.send(
        CredentialPlaces.Request(
          method: "POST", url: "\(authority)/\(tenantID)/oauth2/v2.0/token",
          fields: HeaderFields(["Content-Type": "application/x-www-form-urlencoded"]), body: Array(body.utf8),
          timeout: .seconds(10), isLocal: false))
      let document = TokenDocument(answer.body)
      guard answer.status == 200 else { throw refused(answer.status, document) }
      guard let token = document?.token(at: places.now()) else {
        throw ReadError(.invalidResponse, "the answer of Microsoft Entra ID has no token", isTransient: true)
      }
      return token
    }

    private func refused(_ status: Int, _ document: TokenDocument?) -> ReadError {
      let isBusy = status == 429 || status >= 500
      let (name, number) = document?.error ?? (nil, nil)
      let code = name.map { name in number.map { "\(name), AADSTS\($0)" } ?? name } ?? "status \(status)"
      return ReadError(
        isBusy ? .inputOutput : .permissionDenied,
        "Microsoft Entra ID gives no token: \(code): \(isBusy ? "try again later" : advice(number))",
        isTransient: isBusy)
    }

    private func advice(_ number: Int?) -> String {
      switch number {
      case 7_000_215: "the client's secret is wrong: pass the secret's value, not its ID"
      case 7_000_222: "the client's secret has expired: make a new one"
      case 700_016: "the tenant does not know the client ID: check both"
      case 90_002, 900_023: "there is no such tenant: check the tenant ID, and AZURE_AUTHORITY_HOST for other clouds"
      case 70_021, 700_211, 700_212, 700_213:
        "the application trusts no such token: check its federated credential (issuer, subject and audience)"
      case 700_024: "the token in AZURE_FEDERATED_TOKEN_FILE has expired: see why it is not replaced"
      default: "check the tenant ID, the client ID, and the secret or the federated token"
      }
    }
  }

#endif
