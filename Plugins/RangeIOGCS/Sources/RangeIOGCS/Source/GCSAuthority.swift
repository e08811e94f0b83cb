#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Gives the requests for one object their tokens or signatures, and mends what the store refuses: a token that ended, a
  /// clock that is wrong.
  final class GCSAuthority: RequestAuthority {
    /// The settings that stay the same.
    struct Target: Sendable {
      var address: GCSAddress
      /// The object's URL, without a generation.
      var url: ObjectURL
      /// The project that pays, if one is named.
      var userProject: String?
    }
    /// What permits requests.
    enum Permit: Sendable {
      case none
      case tokens(CredentialsFlight<GCSToken>)
      case key(HMACKey)
    }
    let versionField: String? = "x-goog-generation"
    let codingField: String? = "x-goog-stored-content-encoding"
    private let target: Target
    private let permit: Permit
    private let clock: ServerClock
    private let keys = SigningKeys(.google)

    init(_ target: Target, _ permit: Permit, clock: ServerClock) {
      self.target = target
      self.permit = permit
      self.clock = clock
    }

    nonisolated(nonsending) func prepare(_ plan: RequestPlan) async throws -> PreparedRequest {
      var request = PreparedRequest(url: try url(of: plan), fields: plan.fields)
      // Without it the store decompresses what is stored with gzip, and then knows no ranges.
      if !target.address.isBucket { request.fields.set("Accept-Encoding", "gzip") }
      var project = target.userProject
      if case .tokens(let flight) = permit {
        let token = try await flight.credentials()
        request.fields.set("Authorization", "Bearer \(token.value)")
        project = project ?? token.quotaProject
      }
      if let project { request.fields.set("x-goog-user-project", project) }
      if case .key(let key) = permit {
        let signer = RequestSigner(
          .google, keyID: key.accessID, secret: key.secret, region: "auto", service: "storage", keys: keys)
        let unsigned = UnsignedRequest(plan.method.rawValue, request)
        for header in signer.headers(for: unsigned, at: SigningTime(secondsSince1970: clock.now)) {
          request.fields.set(header.name, header.value)
        }
      }
      return request
    }

    /// Where the request goes: the object in its generation; or another place of the same server, if that sent us there.
    private func url(of plan: RequestPlan) throws(ReadError) -> ObjectURL {
      let own = target.url
      let url = plan.url.origin == own.origin ? plan.url : own
      guard let generation = plan.versionID ?? target.address.generation.map({ "\($0)" }) else { return url }
      let others = url.queryItems.filter { $0.name != "generation" }
      let items = others.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
      let query = (items + ["generation=\(ObjectURL.encodedQuery(generation))"]).joined(separator: "&")
      return try url.with(path: url.path, query: query)
    }

    func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> RefusalVerdict {
      var refusal = GCSRefusal(head, body: body)
      refusal.document.message = sent.quotable(refusal.document.message)
      refusal.document.code = sent.quotable(refusal.document.code)
      let request = GCSRefusal.Request(
        method: plan.method, permit: permit(of: sent), now: clock.local,
        hasUserProject: sent.fields["x-goog-user-project"] != nil, lists: target.address.isBucket)
      let verdict = refusal.verdict(on: request)
      if case .mend(.credentials) = verdict, case .tokens(let flight) = permit {
        let failure = refusal.failure(request)
        flight.noteRefusal(failure) { sent.fields.has("Authorization", "Bearer \($0.value)") }
        // Without a body: the GET that follows tells more.
        if plan.method != .head { return .mendOrFail(.credentials, failure) }
      }
      return verdict
    }

    private func permit(of sent: PreparedRequest) -> GCSRefusal.Permit {
      switch permit {
      case .none: return .none
      case .tokens: return .token
      case .key:
        let time = sent.fields["x-goog-date"].flatMap { SigningTime($0) }
        return .signature(at: time?.secondsSince1970 ?? clock.now)
      }
    }

    nonisolated(nonsending) func mend(_ mend: Remedy) async throws {
      switch mend {
      case .region, .currentVersion: break
      case .clock(let offset): clock.set(offset: offset)
      case .credentials:
        if case .tokens(let flight) = permit { try await flight.replaceRefused() }
      }
    }

    /// Ends waits for tokens.
    func close() {
      if case .tokens(let flight) = permit { flight.close() }
    }
  }

  extension UnsignedRequest {
    /// The request to be sent, as a signature covers it.
    init(_ method: String, _ request: PreparedRequest) {
      self.init(
        method: method, scheme: request.url.scheme.rawValue, host: request.url.authority, path: request.url.path,
        query: request.url.query ?? "", headers: request.fields.all.map { Header($0.name, $0.value) })
    }
  }

#endif
