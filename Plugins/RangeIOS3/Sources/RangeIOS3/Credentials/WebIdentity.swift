#if S3
  internal import RangeIO
  internal import RangeIORemote

  /// A token in a file that a role is taken on with, as Kubernetes gives it to its programs
  /// (`AssumeRoleWithWebIdentity`).
  struct WebIdentity: Equatable, Sendable {
    /// Read anew for each fetch: such tokens are replaced every hour.
    var tokenFile: String
    /// The role's ARN.
    var role: String
    /// The name of the session in the logs of AWS; `nil` for one of ours.
    var session: String?

    /// Exchanges the token for credentials.
    func credentials(_ service: TokenService) async throws -> S3Credentials {
      guard let contents = try await service.places.file(service.places.path(tokenFile)) else {
        throw ReadError(
          .notFound, "there is no file of the web identity's token: check AWS_WEB_IDENTITY_TOKEN_FILE",
          source: tokenFile)
      }
      let form = [
        ("RoleArn", role), ("RoleSessionName", session ?? TokenService.sessionName),
        ("WebIdentityToken", contents.filter { !$0.isWhitespace }),
      ]
      return try await service.credentials(
        by: "AssumeRoleWithWebIdentity", form, what: "exchange the web identity's token",
        advice: "check AWS_ROLE_ARN, and that the role trusts the token's issuer")
    }
  }

#endif
