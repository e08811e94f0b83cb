#if HTTP
  internal import RangeIO
  internal import RangeIOSupport

  /// Sends the requests for one object to its present URL, which ends and is replaced: before its time, and where a
  /// server refuses it. One question brings a new URL for all reads that wait.
  final class RenewingAuthority: RequestAuthority {
    /// A URL, and when it is replaced.
    private struct Signed: Hashable, Sendable {
      let url: ObjectURL
      /// In seconds since 1970; `nil`: when it is refused.
      let expiry: Int?

      /// A URL that seems to have ended is used until it is refused: only the server's clock counts, and one that lasts
      /// for moments would be asked for with every request.
      init(_ url: ObjectURL, at now: Int) {
        self.url = url
        expiry = url.expiry.flatMap { $0 > now + 60 ? $0 : nil }
      }

      // The same URL is no other because it was brought later.
      static func == (a: Signed, b: Signed) -> Bool { a.url == b.url }
      func hash(into hasher: inout Hasher) { hasher.combine(url) }
    }

    /// The URL that stands for the present one in plans: names the object.
    private let origin: Guarded<ObjectURL?>
    private let flight: CredentialsFlight<Signed>
    private let clock: ServerClock

    /// - Parameters:
    ///   - first: the URL to begin with; `nil`: `renew` is asked for it.
    ///   - renew: brings a URL, as text.
    ///   - now: our clock, in seconds since 1970.
    init(
      _ first: ObjectURL?, now: @escaping @Sendable () -> Int = { WallClock.now },
      renew: @escaping @Sendable () async throws -> String
    ) {
      let (origin, given, clock) = (Guarded(first), Guarded(first), ServerClock(now))
      // Once it was, it stays so.
      let isSecure = Guarded(first?.scheme == .https)
      (self.origin, self.clock) = (origin, clock)
      flight = CredentialsFlight(expiry: \.expiry, now: { clock.now }) {
        if let first = given.withLock({ $0.take() }) { return Signed(first, at: clock.now) }
        let url = try await Self.url(from: renew)
        let wasSecure = isSecure.withLock { isSecure in
          defer { isSecure = isSecure || url.scheme == .https }
          return isSecure
        }
        guard !wasSecure || url.scheme == .https else {
          throw ReadError(
            .invalidConfiguration, "the new URL is one of http, and the one before was of https: bring one of https")
        }
        return Signed(url, at: clock.now)
      }
    }

    private static func url(from renew: @Sendable () async throws -> String) async throws -> ObjectURL {
      let text: String
      do { text = try await renew() } catch let error as ReadError { throw error } catch {
        // Its text is not shown: it may be about a URL.
        throw ReadError(
          .permissionDenied, "no new URL could be had: what was to bring one threw \(type(of: error)), see the cause",
          cause: error)
      }
      do throws(ReadError) { return try ObjectURL(text) } catch {
        throw ReadError(error.code, "what was brought as the new URL is none: \(error.message)")
      }
    }

    /// The URL that names the object: the first one.
    nonisolated(nonsending) func named() async throws -> ObjectURL {
      if let known = origin.withLock({ $0 }) { return known }
      let url = try await flight.credentials().url
      return origin.withLock { origin in
        origin = origin ?? url
        return origin ?? url
      }
    }

    nonisolated(nonsending) func prepare(_ plan: RequestPlan) async throws -> PreparedRequest {
      guard isOwn(plan) else {
        let request = PreparedRequest(url: plan.url, fields: plan.fields)
        // What the URL has goes to its own server alone, also where that redirects.
        guard let last = flight.last?.url, last.origin == plan.url.origin else { return request }
        return request.signedIn(by: last)
      }
      let url = try await flight.credentials().url
      var plan = plan
      if url.origin != plan.url.origin { plan.cookie = nil }
      return PreparedRequest(url: url, fields: plan.fields).signedIn(by: url)
    }

    /// `false` for a request to where a redirect has led.
    private func isOwn(_ plan: RequestPlan) -> Bool { origin.withLock { $0 == plan.url } }

    func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> RefusalVerdict {
      if let time = head.clock, abs(time - clock.now) > 10 { clock.set(offset: time - clock.local) }
      guard isOwn(plan), mayHaveEnded(head, body, plan, sent.url) else { return .none }
      let failure = ReadError(
        .permissionDenied,
        "the server answered \(head.status) to the URL, and what was to bring a new one brought the same again: "
          + "the URL has ended, or may not read the object")
      flight.noteRefusal(failure) { $0.url == sent.url }
      return .mend(.credentials)
    }

    /// Another signature may help.
    private func mayHaveEnded(_ head: ResponseHead, _ body: [UInt8], _ plan: RequestPlan, _ url: ObjectURL) -> Bool {
      switch head.status {
      case 401: true
      // A URL may be signed for GET alone: that one tells.
      case 403, 410: plan.method == .get
      // So a store answers to what has ended. Of others it speaks of the request.
      case 400:
        XMLText.first("Code", in: body)?.hasPrefix("ExpiredToken") == true || url.expiry.map { $0 <= clock.now } == true
      default: false
      }
    }

    nonisolated(nonsending) func mend(_ remedy: Remedy) async throws { try await flight.replaceRefused() }

    /// Ends waits for a URL.
    func close() { flight.close() }
  }

  extension PreparedRequest {
    /// The same with the user and the password of `url`, if it has some.
    fileprivate func signedIn(by url: ObjectURL) -> PreparedRequest {
      var request = self
      if let user = url.user {
        request.fields.set("Authorization", CredentialStore.basic(user: user, password: url.password ?? ""))
      }
      return request
    }
  }
#endif
