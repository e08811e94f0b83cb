#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The key of a service account, as a file of the type `service_account` has it.
  struct ServiceAccountKey: TokenSource {
    let email: String
    let key: RSAKey
    let keyID: String?
    /// Where assertions are exchanged for tokens.
    let tokenURL: String
    /// The key signs tokens itself, and no server is asked.
    var signsTokens: Bool

    /// The time that tokens are good for, in seconds.
    static let lifetime = 3_600

    init(_ document: CredentialsDocument, signsTokens: Bool = false) throws(ReadError) {
      email = try document.required(document.client_email, "client_email")
      key = try RSAKey(pem: try document.required(document.private_key, "private_key"))
      keyID = document.private_key_id
      tokenURL = try document.url(document.token_uri, "token_uri") ?? TokenExchange.googleURL
      self.signsTokens = signsTokens
    }

    func token(for scope: TokenScope, _ places: CredentialPlaces) async throws -> GCSToken {
      let now = places.now()
      if signsTokens {
        return GCSToken(try selfSigned(for: scope, at: now), expiry: now + Self.lifetime)
      }
      return try await TokenExchange(
        server: "the token server", url: tokenURL,
        form: [
          ("assertion", try assertion(for: scope, at: now)),
          ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
        ],
        advice: "check that the service account and its key exist, and this machine's clock"
      ).token(places)
    }

    /// What the token server gives a token for.
    func assertion(for scope: TokenScope, at now: Int) throws(ReadError) -> String {
      try JSONWebToken(claims: [
        ("iat", .number(now)), ("exp", .number(now + Self.lifetime)), ("iss", .text(email)),
        // Google demands its own address here, wherever the request goes.
        ("aud", .text(TokenExchange.googleURL)), ("scope", .text(scope.rawValue)),
      ]).signed(by: key, keyID: keyID)
    }

    /// A token that the store itself takes (AIP-4111).
    func selfSigned(for scope: TokenScope, at now: Int) throws(ReadError) -> String {
      try JSONWebToken(claims: [
        ("iss", .text(email)), ("sub", .text(email)), ("iat", .number(now)), ("exp", .number(now + Self.lifetime)),
        ("scope", .text(scope.rawValue)),
      ]).signed(by: key, keyID: keyID)
    }
  }

#endif
