#if GCS
  import RangeIOSupport
  import Testing

  @testable import RangeIOGCS

  struct SignatureTests {
    private func cases(_ kinds: SignatureCase.Kind...) throws -> [(SignatureCase, SigningTime)] {
      try SignatureCase.table().filter { kinds.contains($0.kind) }.map {
        ($0, try #require(SigningTime($0.time)))
      }
    }

    @Test func `there are many cases of each kind`() throws {
      let table = try SignatureCase.table()
      #expect(table.count >= 200)
      for (kind, least) in [
        (SignatureCase.Kind.assertion, 15), (.selfSigned, 15), (.url, 40), (.hmacURL, 80), (.head, 80),
      ] {
        #expect(table.count { $0.kind == kind } >= least)
      }
    }

    @Test func `every token equals google-auth's, claims and signature`() throws {
      for (one, time) in try cases(.assertion, .selfSigned) {
        let scope = try #require(one.scope.flatMap { TokenScope(rawValue: $0) })
        let account = try one.account()
        let made =
          one.kind == .assertion
          ? try account.assertion(for: scope, at: time.secondsSince1970)
          : try account.selfSigned(for: scope, at: time.secondsSince1970)
        #expect(made == one.signed, "\(one)")
      }
    }

    @Test func `every signed URL equals google-cloud-storage's`() throws {
      for (one, time) in try cases(.url, .hmacURL) {
        let request = try one.request()
        let expiry = try #require(one.expiry)
        let query =
          one.kind == .url
          ? try URLSigner.query(of: request, by: one.account(), at: time, expiry)
          : try URLSigner.query(of: request, by: one.key(), at: time, expiry)
        // The library sorts the parameters, which the signature does not depend on.
        #expect(query.split(separator: "&").sorted() == one.signed.split(separator: "&").sorted(), "\(one)")
      }
    }

    @Test func `every HMAC signature of a head equals that of the documentation`() throws {
      let keys = SigningKeys(.google)
      for (one, time) in try cases(.head) {
        let key = try one.key()
        let signer = RequestSigner(
          .google, keyID: key.accessID, secret: key.secret, region: "auto", service: "storage", keys: keys)
        let fields = signer.headers(for: try one.request(), at: time)
        #expect(fields.last?.value == one.signed, "\(one)")
        #expect(fields.map(\.name) == ["x-goog-content-sha256", "x-goog-date", "Authorization"])
      }
    }
  }

  extension SignatureCase {
    func key() throws -> HMACKey {
      let pair = try #require(hmac)
      return HMACKey(accessID: pair[0], secret: pair[1])
    }
  }

#endif
