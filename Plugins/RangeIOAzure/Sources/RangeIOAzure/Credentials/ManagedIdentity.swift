#if Azure
  internal import RangeIO
  internal import RangeIORemote

  /// The identity of the machine or service that the program runs in: asked from App Service (and what is like it), or else
  /// from the metadata service of a virtual machine (IMDS).
  struct ManagedIdentity: Sendable {
    private enum Service: Sendable {
      case app(url: String, header: String)
      case machine(server: String)
      /// One that is not supported.
      case other(String)
    }
    private let service: Service
    private let clientID: String?

    /// For `az://` of all clouds.
    private static let resource = "https://storage.azure.com"
    private static let usualServer = "http://169.254.169.254"
    private static let path = "/metadata/identity/oauth2/token"

    /// - Parameter clientID: of an identity that a user has assigned; `nil`: `AZURE_CLIENT_ID`, or the system's.
    init(clientID: String?, _ places: CredentialPlaces) {
      self.clientID = clientID ?? places.variable("AZURE_CLIENT_ID")
      service = Self.service(places)
    }

    private static func service(_ places: CredentialPlaces) -> Service {
      if let url = places.variable("IDENTITY_ENDPOINT") {
        if places.variable("IDENTITY_SERVER_THUMBPRINT") != nil { return .other("that of Service Fabric") }
        if let header = places.variable("IDENTITY_HEADER") { return .app(url: url, header: header) }
        if places.variable("IMDS_ENDPOINT") != nil { return .other("that of Azure Arc") }
      } else if places.variable("MSI_ENDPOINT") != nil {
        return .other("that of Cloud Shell or Azure ML (MSI_ENDPOINT)")
      }
      var server = places.variable("AZURE_POD_IDENTITY_AUTHORITY_HOST") ?? usualServer
      while server.hasSuffix("/") { server.removeLast() }
      return .machine(server: server)
    }

    /// Asks for a token for Azure Storage.
    func token(_ places: CredentialPlaces) async throws -> AzureToken {
      let request: CredentialPlaces.Request
      switch service {
      case .other(let name):
        throw ReadError(
          .invalidConfiguration, "the managed identity is \(name), which is not supported: pass tokens with .token")
      case .app(let url, let header): request = try app(url, header)
      case .machine(let server):
        request = CredentialPlaces.Request(
          url: "\(server)\(Self.path)?api-version=2018-02-01&\(parameters)", fields: HeaderFields(["Metadata": "true"]),
          timeout: .seconds(10), isLocal: true)
      }
      let answer = try await places.send(request)
      let document = TokenDocument(answer.body)
      guard answer.status == 200 else { throw refused(answer, document) }
      guard let token = document?.token(at: places.now()) else {
        throw ReadError(
          .invalidResponse, "the answer of the managed identity's service has no token", isTransient: true)
      }
      return token
    }

    /// The reason why there is no such service; `nil` if there may be one. Waits one second for that of a virtual machine,
    /// because on other machines no answer comes.
    func absence(_ places: CredentialPlaces) async throws -> String? {
      switch service {
      case .app: return nil
      case .other(let name): return "\(name) is not supported"
      case .machine(let server):
        do {
          // Without the field Metadata: that it is refused shows that it is there.
          let answer = try await places.send(
            CredentialPlaces.Request(url: server + Self.path, timeout: .seconds(1), isLocal: true))
          // Docker Desktop answers for services that it cannot reach.
          if answer.status == 403 { return "the metadata service cannot be reached" }
          // Other clouds have theirs at the same address.
          let isAzure = server != Self.usualServer || answer.status == 400 || TokenDocument(answer.body) != nil
          return isAzure ? nil : "the metadata service is none of Azure's"
        } catch let error as ReadError where error.code != .closed && error.code != .invalidConfiguration {
          return "the metadata service does not answer"
        }
      }
    }

    private var parameters: String {
      let client = clientID.map { "&client_id=\(ObjectURL.encodedQuery($0))" } ?? ""
      return "resource=\(ObjectURL.encodedQuery(Self.resource))\(client)"
    }

    private func app(_ text: String, _ header: String) throws(ReadError) -> CredentialPlaces.Request {
      let invalid = ReadError(
        .invalidConfiguration, "IDENTITY_ENDPOINT is neither https nor an address of this machine: correct it")
      let url: ObjectURL
      do throws(ReadError) { url = try ObjectURL(text) } catch { throw invalid }
      // IDENTITY_HEADER is a secret. App Service has its own service on the machine or at a link-local address.
      guard url.scheme == .https || url.isLoopback || Self.isLinkLocal(url.host), url.user == nil else { throw invalid }
      let query = [url.query, "api-version=2019-08-01", parameters].compactMap { $0 }.joined(separator: "&")
      return CredentialPlaces.Request(
        url: try url.with(path: url.path, query: query).text, fields: HeaderFields(["X-IDENTITY-HEADER": header]),
        timeout: .seconds(10), isLocal: true)
    }

    private static func isLinkLocal(_ host: String) -> Bool {
      let parts = host.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 4 && parts[0] == "169" && parts[1] == "254" && parts.allSatisfy { UInt8($0) != nil }
    }

    private func refused(_ answer: CredentialPlaces.Answer, _ document: TokenDocument?) -> ReadError {
      let code = document?.error.name ?? "status \(answer.status)"
      if answer.status == 400 {
        let whose = clientID == nil ? "" : " with this client ID"
        return ReadError(
          .notFound,
          "the managed identity's service gives no token: \(code): no identity\(whose) is assigned here: assign one")
      }
      // 404 and 410: the service is being updated.
      let passes = [404, 410, 429].contains(answer.status) || answer.status >= 500
      return ReadError(
        passes ? .inputOutput : .permissionDenied,
        "the managed identity's service gives no token: \(code): \(passes ? "try again later" : "check the identity")",
        isTransient: passes)
    }
  }

#endif
