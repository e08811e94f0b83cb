#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Begins sessions with a directory bucket (S3 Express One Zone): its objects are read with keys of five minutes, which
  /// one request gives (`CreateSession`).
  struct DirectorySession: Sendable {
    private let target: S3Authority.Target
    private let credentials: CredentialsFlight<S3Credentials>
    private let clock: ServerClock
    private let remote: RemoteConfiguration

    /// Sessions are renewed this many seconds before they end.
    static let early = 60
    /// The most requests for one session: a first one, and one after each remedy.
    private static let tries = 3

    init(
      _ target: S3Authority.Target, _ credentials: CredentialsFlight<S3Credentials>, _ clock: ServerClock,
      _ remote: RemoteConfiguration
    ) {
      self.target = target
      self.credentials = credentials
      self.clock = clock
      self.remote = remote
    }

    /// The keys of a new session, for reading only.
    ///
    /// - Throws: `permissionDenied` with the store's code and what to do; errors of the credentials and of sending.
    func create() async throws -> S3Credentials {
      var tries = Self.tries
      while true {
        tries -= 1
        let keys = try await credentials.credentials()
        let request = try request(signedBy: keys)
        let answer = try await SmallExchange.send(
          method: "GET", url: request.url, fields: request.fields, timeout: .seconds(10), limit: 65_536,
          configuration: remote)
        if answer.status == 200 {
          guard let session = S3Credentials(xml: answer.body) else {
            throw ReadError(.invalidResponse, "the answer of CreateSession has no credentials", isTransient: true)
          }
          return session
        }
        let refusal = S3Refusal(ResponseHead(status: answer.status, fields: answer.fields), body: answer.body)
        let asked = S3Refusal.Request(
          method: .get, signature: SentSignature(request.fields), bucket: target.address.bucket,
          differs: { _ in false },
          now: clock.local, requesterPays: true)
        switch refusal.verdict(on: asked) {
        case .mend(.clock(let offset)) where tries > 0: clock.set(offset: offset)
        case .mend(.credentials) where tries > 0, .mendOrFail(.credentials, _) where tries > 0:
          credentials.noteRefusal(refusal.failure(asked)) { $0 == keys }
          try await credentials.replaceRefused()
        case .none,
          .fail where answer.status == 429 || answer.status >= 500:
          throw ReadError(
            .inputOutput, "the directory bucket began no session: status \(answer.status): try again",
            isTransient: answer.status == 429 || answer.status >= 500)
        case .fail, .mend, .mendOrFail:
          let code = refusal.document.code ?? "status \(answer.status)"
          throw ReadError(
            .permissionDenied,
            "the directory bucket began no session: \(code): check that these credentials may begin one "
              + "(s3express:CreateSession), and the bucket's name and region")
        }
      }
    }

    private func request(signedBy keys: S3Credentials) throws(ReadError) -> PreparedRequest {
      let object = target.endpoint.location(
        of: target.address, region: target.region, addressing: target.addressing)
      let url = try ObjectURL(object.url)
      let bucket = String(url.path.dropLast(ObjectURL.encodedPath(target.address.key).count))
      var request = PreparedRequest(
        url: try url.with(path: bucket, query: "session"),
        fields: HeaderFields(["x-amz-create-session-mode": "ReadOnly"]))
      let signer = RequestSigner(
        credentials: keys, region: target.region, service: target.address.place.service, keys: SigningKeys())
      let time = SigningTime(secondsSince1970: clock.now)
      for header in signer.headers(for: UnsignedRequest("GET", request), at: time) {
        request.fields.set(header.name, header.value)
      }
      return request
    }
  }

#endif
