#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

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
    ///
    /// - Parameter region: whose token service is asked.
    func credentials(_ places: CredentialPlaces, region: String) async throws -> S3Credentials {
      guard let contents = try await places.file(places.path(tokenFile)) else {
        throw ReadError(
          .notFound, "there is no file of the web identity's token: check AWS_WEB_IDENTITY_TOKEN_FILE",
          source: tokenFile)
      }
      let token = contents.filter { !$0.isWhitespace }
      let answer = try await places.send(request(token: token, places, region))
      guard answer.status == 200 else { throw Self.refused(answer) }
      func text(_ name: String) -> String? { XMLText.first(name, in: answer.body, limit: 16_384) }
      guard let id = text("AccessKeyId"), let secret = text("SecretAccessKey"), let sessionToken = text("SessionToken")
      else {
        throw ReadError(.invalidResponse, "the answer of the token service (STS) has no credentials", isTransient: true)
      }
      return S3Credentials(
        accessKeyID: id, secretAccessKey: secret, sessionToken: sessionToken,
        expiry: text("Expiration").flatMap { SigningTime($0) }?.secondsSince1970)
    }

    private func request(token: String, _ places: CredentialPlaces, _ region: String) -> CredentialPlaces.Request {
      let server =
        places.variable("AWS_ENDPOINT_URL_STS") ?? "https://sts.\(region).\(S3Endpoint.suffix(of: region))"
      let form = [
        ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
        ("RoleSessionName", session ?? "swift-range-io"), ("WebIdentityToken", token),
      ]
      // In the body: a URL may be logged on its way.
      let body = form.map { "\($0.0)=\(ObjectURL.encodedQuery($0.1))" }.joined(separator: "&")
      return CredentialPlaces.Request(
        method: "POST", url: server.hasSuffix("/") ? server : server + "/",
        fields: HeaderFields(["Content-Type": "application/x-www-form-urlencoded"]), body: Array(body.utf8),
        timeout: .seconds(10), isLocal: false)
    }

    private static func refused(_ answer: CredentialPlaces.Answer) -> ReadError {
      let document = ErrorDocument(answer.body)
      let isBusy = answer.status == 429 || answer.status >= 500
      let code = document.code ?? "status \(answer.status)"
      return ReadError(
        isBusy ? .inputOutput : .permissionDenied,
        "the token service (STS) did not exchange the web identity's token: \(code): check AWS_ROLE_ARN, and that the "
          + "role trusts the token's issuer", isTransient: isBusy)
    }
  }

#endif
