#if S3
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// A role that a sign-in to IAM Identity Center (SSO) gives: what `aws sso login` is for.
  struct SSOLogin: Equatable, Sendable {
    /// The profile's name, for errors.
    let profile: String
    /// The name of the section `[sso-session name]`; `nil` for profiles of the older form, which name the portal themselves.
    let session: String?
    let startURL: String
    /// The region of the portal.
    let region: String
    let account: String
    let role: String

    /// - Throws: `invalidConfiguration` if something is missing, or the section says something else than the profile.
    init(_ profile: AWSProfile) throws(ReadError) {
      self.profile = profile.name
      session = profile["sso_session"]
      var section: [String: String] = [:]
      if let session {
        guard let found = profile.files.section("sso-session", session) else {
          throw profile.invalid("names the section [sso-session \(session)], which is not there: add it")
        }
        section = found
      }
      func setting(_ name: String) throws(ReadError) -> String {
        let (own, shared) = (profile[name], section[name].flatMap { $0.isEmpty ? nil : $0 })
        if let own, let shared, !own.hasSameBytes(as: shared) {
          throw profile.invalid("has another \(name) than its [sso-session] section: remove one")
        }
        guard let value = shared ?? own else { throw profile.missing(name, beside: "a sign-in by SSO") }
        return value
      }
      startURL = try setting("sso_start_url")
      region = try setting("sso_region")
      account = try setting("sso_account_id")
      role = try setting("sso_role_name")
    }

    private struct Answer: Decodable {
      struct Keys: Decodable {
        var accessKeyId: String
        var secretAccessKey: String
        var sessionToken: String
        /// Milliseconds since 1970.
        var expiration: Double
      }
      var roleCredentials: Keys
    }

    /// Gets the role's credentials (`GetRoleCredentials`), with the token that the sign-in has left.
    ///
    /// - Throws: `permissionDenied` if the sign-in has ended or does not give the role.
    func credentials(_ endpoints: ConfiguredEndpoints) async throws -> S3Credentials {
      let token = try await SSOToken(self).current(endpoints)
      let query = "role_name=\(ObjectURL.encodedQuery(role))&account_id=\(ObjectURL.encodedQuery(account))"
      let answer = try await endpoints.places.send(
        CredentialPlaces.Request(
          url: "\(try endpoints.url(of: .sso, in: region))/federation/credentials?\(query)",
          fields: HeaderFields(["x-amz-sso_bearer_token": token]), timeout: .seconds(10), isLocal: false))
      switch answer.status {
      case 200: break
      case 401: throw signIn("has ended")
      case 429, 500...:
        throw ReadError(
          .inputOutput, "the portal of the profile '\(profile)' (SSO) answered with status \(answer.status): try again",
          isTransient: true)
      default:
        throw ReadError(
          .permissionDenied,
          "the portal of the profile '\(profile)' (SSO) answered with status \(answer.status): check sso_account_id and "
            + "sso_role_name, and that you are assigned to them")
      }
      // `try?`: the decoder's error may show the keys.
      guard let keys = (try? JSONDecoder().decode(Answer.self, from: Data(answer.body)))?.roleCredentials else {
        throw ReadError(
          .invalidResponse, "the portal of the profile '\(profile)' (SSO) answered without credentials: try again",
          isTransient: true)
      }
      return S3Credentials(
        accessKeyID: keys.accessKeyId, secretAccessKey: keys.secretAccessKey, sessionToken: keys.sessionToken,
        expiry: Int(exactly: (keys.expiration / 1_000).rounded(.down)))
    }

    /// The error that asks to sign in.
    func signIn(_ how: String) -> ReadError {
      ReadError(
        .permissionDenied,
        "the sign-in of the profile '\(profile)' (SSO) \(how): run aws sso login --profile \(profile)")
    }
  }

#endif
