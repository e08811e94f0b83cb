#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Signs the requests for one object, and mends what S3 refuses: credentials that expired, another region, a clock that
  /// is wrong. Keeps the session with a directory bucket.
  final class S3Authority: RequestAuthority {
    /// The settings that stay the same.
    struct Target: Sendable {
      var address: S3Address
      var endpoint: S3Endpoint
      var addressing: S3Source.Addressing
      /// The region to begin with.
      var region: String
      var requesterPays: Bool
      /// A directory bucket is asked with a session.
      var usesSessions = true
    }

    let versionField: String? = "x-amz-version-id"
    let target: Target
    /// `nil`: anonymous.
    private let credentials: CredentialsFlight<S3Credentials>?
    /// The session with a directory bucket; `nil` for other buckets.
    private let session: CredentialsFlight<S3Credentials>?
    private let clock: ServerClock
    private let regions: BucketRegions
    private let keys = SigningKeys()
    /// Requests name the version that was opened, until the store has refused that.
    private let namesPinned = Guarded(true)
    /// Settings for requests beside the object's.
    let remote: RemoteConfiguration

    init(
      _ target: Target, credentials: CredentialsFlight<S3Credentials>?, clock: ServerClock,
      regions: BucketRegions = .shared, remote: RemoteConfiguration = RemoteConfiguration()
    ) {
      self.target = target
      self.credentials = credentials
      self.regions = regions
      self.clock = clock
      self.remote = remote
      if case .directory = target.address.place, target.usesSessions, let credentials {
        let session = DirectorySession(target, credentials, clock, remote)
        self.session = CredentialsFlight(
          expiry: \.expiry, early: DirectorySession.early, now: { clock.now }, fetch: { try await session.create() })
      } else {
        session = nil
      }
    }

    /// What requests are signed with: the session's keys, or the credentials. `nil`: anonymous.
    private var signing: CredentialsFlight<S3Credentials>? { session ?? credentials }

    /// Signs for the object's bucket in a region.
    private func signer(_ keys: S3Credentials, in region: String) -> RequestSigner {
      RequestSigner(
        credentials: keys, region: region, service: target.address.place.service,
        form: session == nil ? .amazon : .amazonExpress, keys: self.keys)
    }

    /// The region that requests are signed for now.
    var region: String { regions.region(of: target.address.bucket, at: target.endpoint) ?? target.region }

    /// The object's URL, without a version, in the region known now.
    func origin(in region: String? = nil) throws(ReadError) -> ObjectURL {
      let location = target.endpoint.location(
        of: target.address, region: region ?? self.region, addressing: target.addressing)
      return try ObjectURL(location.url)
    }

    nonisolated(nonsending) func prepare(_ plan: RequestPlan) async throws -> PreparedRequest {
      let region = region
      var request = PreparedRequest(url: try url(of: plan, in: region), fields: plan.fields)
      if target.requesterPays { request.fields.set("x-amz-request-payer", "requester") }
      try await sign(&request, plan.method.rawValue, in: region)
      return request
    }

    /// Adds the signature to a request, unless access is anonymous.
    nonisolated(nonsending) func sign(_ request: inout PreparedRequest, _ method: String, in region: String)
      async throws
    {
      guard let signing else { return }
      let signer = signer(try await signing.credentials(), in: region)
      for header in signer.headers(
        for: UnsignedRequest(method, request), at: SigningTime(secondsSince1970: clock.now))
      {
        request.fields.set(header.name, header.value)
      }
    }

    /// Where the request goes: the object in its region and version; or another place of the same server, if that sent
    /// us there.
    private func url(of plan: RequestPlan, in region: String) throws(ReadError) -> ObjectURL {
      let own = try origin(in: region)
      if target.address.isBucket { return try own.with(path: own.path, query: plan.url.query) }
      let isRedirected = plan.url.origin == own.origin && !plan.url.path.hasSameBytes(as: own.path)
      let url = isRedirected ? plan.url : own
      let pinned = namesPinned.withLock { $0 } ? plan.versionID : nil
      guard let version = pinned ?? target.address.versionID else { return url }
      let others = isRedirected ? url.queryItems.filter { $0.name != "versionId" } : []
      let items = others.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
      let query = (items + ["versionId=\(ObjectURL.encodedQuery(version))"]).joined(separator: "&")
      return try url.with(path: url.path, query: query)
    }

    func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> RefusalVerdict {
      let signature = SentSignature(sent.fields)
      var refusal = S3Refusal(head, body: body)
      refusal.document.message = sent.quotable(refusal.document.message)
      refusal.document.code = sent.quotable(refusal.document.code)
      let request = S3Refusal.Request(
        method: plan.method, signature: signature, bucket: target.address.bucket,
        differs: { [self] region in differs(region, from: sent, signature) }, now: clock.local,
        requesterPays: target.requesterPays, lists: target.address.isBucket)
      let verdict = refusal.verdict(on: request)
      if case .mend(.credentials) = verdict, let signature {
        let failure = refusal.failure(request)
        signing?.noteRefusal(failure) { signature.isMade(with: $0) }
        // Without a body: the GET that follows tells more.
        if plan.method != .head { return .mendOrFail(.credentials, failure) }
      }
      if case .fail(let failure) = verdict, refusal.deniesAccess, namesPinnedVersion(plan, sent) {
        return .mendOrFail(.currentVersion, failure)
      }
      // Refused without it as well: the version was not the reason.
      if case .fail = verdict, refusal.deniesAccess, plan.versionID != nil { namesPinned.withLock { $0 = true } }
      return verdict
    }

    /// `true` if the request named a version that the user did not ask for: to read it needs s3:GetObjectVersion, and the current
    /// one s3:GetObject only.
    private func namesPinnedVersion(_ plan: RequestPlan, _ sent: PreparedRequest) -> Bool {
      plan.versionID != nil && target.address.versionID == nil
        && sent.url.queryItems.contains { $0.name == "versionId" }
    }

    /// `true` if a request for `region` would be another than the one that was sent.
    private func differs(_ region: String, from sent: PreparedRequest, _ signature: SentSignature?) -> Bool {
      if let signature, !signature.region.hasSameBytes(as: region) { return true }
      // `try?`: a region that makes no URL is no better than the one before.
      guard let url = try? origin(in: region) else { return false }
      return url.origin != sent.url.origin
    }

    nonisolated(nonsending) func mend(_ mend: Remedy) async throws {
      switch mend {
      case .region(let region): regions.learn(region, of: target.address.bucket, at: target.endpoint)
      case .clock(let offset): clock.set(offset: offset)
      case .credentials: try await signing?.replaceRefused()
      case .currentVersion: namesPinned.withLock { $0 = false }
      }
    }

    /// A URL of the object that anybody can read with until it expires.
    nonisolated(nonsending) func presignedURL(seconds: Int) async throws -> String {
      let region = region
      var url = try origin(in: region)
      if let version = target.address.versionID {
        url = try url.with(path: url.path, query: "versionId=\(ObjectURL.encodedQuery(version))")
      }
      guard let signing else {
        throw ReadError(.invalidConfiguration, "anonymous access cannot sign a URL: pass credentials")
      }
      let signer = signer(try await signing.credentials(), in: region)
      let unsigned = UnsignedRequest("GET", PreparedRequest(url: url, fields: HeaderFields()))
      let query = signer.presignedQuery(for: unsigned, at: SigningTime(secondsSince1970: clock.now), expiry: seconds)
      return try url.with(path: url.path, query: query).text
    }

    /// Ends waits for credentials.
    func close() {
      session?.close()
      credentials?.close()
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
