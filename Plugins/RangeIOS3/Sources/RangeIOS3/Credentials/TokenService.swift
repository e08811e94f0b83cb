#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The token service of AWS (STS), which gives credentials of roles.
  struct TokenService: Sendable {
    let url: String
    /// The region that requests are signed for.
    let region: String
    let places: CredentialPlaces

    /// The name of a session if the profile gives none.
    static let sessionName = "swift-range-io"

    /// Codes of what passes, which it sends with status 400.
    private static let passing: Set = [
      "Throttling", "ThrottlingException", "RequestLimitExceeded", "IDPCommunicationError",
    ]

    /// Sends a form, and reads the credentials of the answer. If this machine's clock is wrong, so that the signature is
    /// refused, it signs once more by that of the service.
    ///
    /// - Parameters:
    ///   - action: the name of the request.
    ///   - source: who signs it; `nil` for a request that is not signed.
    ///   - what: what the service is to do, for errors.
    ///   - advice: what to do if it does not.
    /// - Throws: `permissionDenied` with the code of the service, or `inputOutput` if it is busy; errors of sending.
    func credentials(
      by action: String, _ form: [(String, String)], signedBy source: S3Credentials? = nil, what: String, advice: String
    ) async throws -> S3Credentials {
      let form = [("Action", action), ("Version", "2011-06-15")] + form
      let now = places.now()
      var answer = try await places.send(try request(form, signedBy: source, at: now))
      var refusal: S3Refusal {
        S3Refusal(ResponseHead(status: answer.status, fields: answer.fields), body: answer.body)
      }
      if source != nil, 400..<500 ~= answer.status, let time = refusal.serverTime, abs(time - now) > S3Refusal.tolerance
      {
        answer = try await places.send(try request(form, signedBy: source, at: time))
      }
      guard answer.status == 200 else {
        // Not the service's own words: they may repeat what was sent.
        let code = refusal.document.code
        let isBusy = answer.status == 429 || answer.status >= 500 || code.map(Self.passing.contains) ?? false
        throw ReadError(
          isBusy ? .inputOutput : .permissionDenied,
          "the token service (STS) did not \(what): \(code ?? "status \(answer.status)"): \(advice)",
          isTransient: isBusy)
      }
      guard let found = S3Credentials(xml: answer.body) else {
        throw ReadError(.invalidResponse, "the answer of the token service (STS) has no credentials", isTransient: true)
      }
      return found
    }

    private func request(
      _ form: [(String, String)], signedBy source: S3Credentials?, at secondsSince1970: Int
    ) throws(ReadError) -> CredentialPlaces.Request {
      // In the body: a URL may be logged on its way.
      let body = Array(form.map { "\($0.0)=\(ObjectURL.encodedQuery($0.1))" }.joined(separator: "&").utf8)
      var request = CredentialPlaces.Request(
        method: "POST", url: url + "/",
        fields: HeaderFields(["Content-Type": "application/x-www-form-urlencoded"]), body: body, timeout: .seconds(10),
        isLocal: false)
      guard let source else { return request }
      let signer = RequestSigner(credentials: source, region: region, service: "sts", keys: SigningKeys())
      let unsigned = UnsignedRequest(
        "POST", PreparedRequest(url: try ObjectURL(request.url), fields: HeaderFields()))
      let time = SigningTime(secondsSince1970: secondsSince1970)
      for header in signer.headers(for: unsigned, at: time, payload: .bytes(body)) {
        request.fields.set(header.name, header.value)
      }
      return request
    }
  }

  extension S3Credentials {
    /// Those in an answer of the token service, or of a directory bucket; `nil` if some part is missing.
    init?(xml body: [UInt8]) {
      func text(_ name: String) -> String? { XMLText.first(name, in: body) }
      guard let id = text("AccessKeyId"), let secret = text("SecretAccessKey"), let token = text("SessionToken") else {
        return nil
      }
      self.init(
        accessKeyID: id, secretAccessKey: secret, sessionToken: token,
        expiry: text("Expiration").flatMap { SigningTime($0) }?.secondsSince1970)
    }
  }

#endif
