#if GCS
  internal import RangeIO
  internal import RangeIOSupport

  /// A user's login, as `gcloud auth application-default login` leaves it.
  struct AuthorizedUser: TokenSource {
    private let clientID: String
    private let clientSecret: String
    private let refreshToken: String
    private let tokenURL: String
    private let quotaProject: String?

    init(_ document: CredentialsDocument) throws(ReadError) {
      clientID = try document.required(document.client_id, "client_id")
      clientSecret = try document.required(document.client_secret, "client_secret")
      refreshToken = try document.required(document.refresh_token, "refresh_token")
      tokenURL = try document.url(document.token_uri, "token_uri") ?? TokenExchange.googleURL
      quotaProject = document.quota_project_id
    }

    func token(for scope: TokenScope, _ places: CredentialPlaces) async throws -> GCSToken {
      // Without a scope: that of the login.
      try await TokenExchange(
        server: "the token server", url: tokenURL,
        form: [
          ("grant_type", "refresh_token"), ("client_id", clientID), ("client_secret", clientSecret),
          ("refresh_token", refreshToken),
        ],
        advice: "the login has ended or was revoked: run gcloud auth application-default login"
      ).token(places).counted(for: quotaProject)
    }
  }

#endif
