#if Azure
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Signs the requests for one blob, and mends what the service refuses: signatures and tokens that expired, a clock that is
  /// wrong.
  final class AzureAuthority: RequestAuthority {
    /// The version of the service that is spoken. It knows versions of blobs, and signatures of all kinds.
    static let serviceVersion = "2021-12-02"

    private let address: AzureAddress
    /// `nil`: anonymous.
    private let flight: CredentialsFlight<BlobAccess>?
    private let clock: ServerClock

    init(_ address: AzureAddress, _ flight: CredentialsFlight<BlobAccess>?, clock: ServerClock) {
      self.address = address
      self.flight = flight
      self.clock = clock
    }

    nonisolated(nonsending) func prepare(_ plan: RequestPlan) async throws -> PreparedRequest {
      var request = PreparedRequest(url: plan.url, fields: plan.fields)
      request.fields.set("x-ms-version", Self.serviceVersion)
      guard let flight else { return request }
      let access = try await flight.credentials()
      switch access {
      case .key(let key):
        request.fields.set("x-ms-date", HTTPDate(secondsSince1970: clock.now).text)
        request.fields.set("Authorization", key.authorization(plan.method.rawValue, request))
      case .sas(let signature):
        let query = [request.url.query, signature.text].compactMap { $0 }.joined(separator: "&")
        request.url = try request.url.with(path: request.url.path, query: query)
      case .token(let token):
        guard request.url.scheme == .https || request.url.isLoopback else {
          throw ReadError(.invalidConfiguration, "a token would go over http in the clear: use an https address")
        }
        request.fields.set("Authorization", "Bearer \(token.text)")
      }
      return request
    }

    func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> RefusalVerdict {
      var refusal = AzureRefusal(head, body: body)
      refusal.message = sent.quotable(refusal.message)
      refusal.code = sent.quotable(refusal.code)
      let request = AzureRefusal.Request(
        method: plan.method, access: flight?.last,
        signed: sent.fields["x-ms-date"].flatMap { HTTPDate($0) }?.secondsSince1970,
        address: address, now: clock.local)
      let verdict = refusal.verdict(on: request)
      if case .mend(.credentials) = verdict {
        let failure = refusal.failure(request)
        flight?.noteRefusal(failure) { $0.isIn(sent) }
        // Without a body: the GET that follows tells more.
        if plan.method != .head { return .mendOrFail(.credentials, failure) }
      }
      return verdict
    }

    nonisolated(nonsending) func mend(_ remedy: Remedy) async throws {
      switch remedy {
      case .region, .currentVersion: break
      case .clock(let offset): clock.set(offset: offset)
      case .credentials: try await flight?.replaceRefused()
      }
    }

    /// Ends waits for credentials.
    func close() { flight?.close() }
  }

  extension BlobAccess {
    /// `true` if a request was sent with it. Two reads may be refused together: the second finds that the first has already
    /// replaced what was wrong.
    fileprivate func isIn(_ request: PreparedRequest) -> Bool {
      switch self {
      case .key: true
      case .sas(let signature): request.url.query?.utf8.reversed().starts(with: signature.text.utf8.reversed()) ?? false
      case .token(let token): request.fields.has("Authorization", "Bearer \(token.text)")
      }
    }
  }

#endif
