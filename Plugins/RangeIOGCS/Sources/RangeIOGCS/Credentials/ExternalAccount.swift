#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An identity of another provider (workload or workforce identity federation): its token is exchanged for one of
  /// Google's by the security token service (RFC 8693).
  struct ExternalAccount: TokenSource {
    private let audience: String
    private let tokenType: String
    private let tokenURL: String
    private let subject: SubjectToken
    private let client: (id: String, secret: String)?
    private let userProject: String?
    private let quotaProject: String?

    /// The account, and as which service account it asks, if it says so.
    static func source(_ document: CredentialsDocument) throws(ReadError) -> any TokenSource {
      let account = try ExternalAccount(document)
      guard document.service_account_impersonation_url != nil else { return account }
      return try Impersonation(document, by: account)
    }

    private init(_ document: CredentialsDocument) throws(ReadError) {
      audience = try document.required(document.audience, "audience")
      tokenType = try document.required(document.subject_token_type, "subject_token_type")
      tokenURL = try document.url(document.required(document.token_url, "token_url"), "token_url") ?? ""
      guard let source = document.credential_source else {
        _ = try document.required(nil, "credential_source")
        throw ReadError(.invalidConfiguration, "the credentials lack credential_source: make them again")
      }
      subject = try SubjectToken(source)
      userProject = document.workforce_pool_user_project
      quotaProject = document.quota_project_id
      if let id = document.client_id {
        client = (id, try document.required(document.client_secret, "client_secret"))
      } else {
        client = nil
      }
    }

    func token(for scope: TokenScope, _ places: CredentialPlaces) async throws -> GCSToken {
      var form = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", audience),
        ("scope", scope.rawValue), ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("subject_token", try await subject.text(places)), ("subject_token_type", tokenType),
      ]
      if client == nil, let userProject {
        form.append(("options", "{\"userProject\": \"\(userProject.filter { $0 != "\"" && $0 != "\\" })\"}"))
      }
      var fields = HeaderFields()
      if let client {
        fields.set("Authorization", "Basic " + Base64.text(Array("\(client.id):\(client.secret)".utf8)))
      }
      return try await TokenExchange(
        server: "the security token service", url: tokenURL, form: form.map { (name: $0.0, value: $0.1) },
        fields: fields,
        advice: "check the identity pool, its provider, and that the subject's token is new and for this audience"
      ).token(places).counted(for: quotaProject)
    }
  }

#endif
