#if S3
  import Crypto
  import Foundation
  import RangeIO
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  /// Sign-ins whose tokens are in files: SSO and `aws login`.
  struct SignInTests {
    /// Files that are written, and a server that renews.
    private final class Desk: Sendable {
      let files: Guarded<[String: String]>
      let sent = Guarded<[CredentialPlaces.Request]>([])
      let now = Mutexed(1_767_323_045)
      let answers: @Sendable (CredentialPlaces.Request) -> CredentialPlaces.Answer

      init(
        _ way: CredentialWay, answers: @escaping @Sendable (CredentialPlaces.Request) -> CredentialPlaces.Answer
      ) {
        files = Guarded(way.files)
        self.answers = answers
      }

      var places: CredentialPlaces {
        var places = Scene().places()
        places.file = { [files] path in files.withLock { $0[path] } }
        places.save = { [files] path, bytes in files.withLock { $0[path] = String(decoding: bytes, as: UTF8.self) } }
        places.send = { [self] request in
          sent.withLock { $0.append(request) }
          return answers(request)
        }
        places.now = { [now] in now.value }
        return places
      }

      func change(_ path: String, _ old: String, _ new: String) {
        files.withLock { $0[path] = $0[path]?.replacing(old, with: new) }
      }

      func credentials() async throws -> S3Credentials { try await CredentialsChain(places: places).credentials() }

      func failure() async -> ReadError? { await #expect(throws: ReadError.self) { _ = try await credentials() } }
    }

    private static let ssoFile = "/home/u/.aws/sso/cache/e276d18d65653fa285155bfd3e11ab029306830c.json"
    private static let olderFile = "/home/u/.aws/sso/cache/a51746d4aa793ae07b25e90c3a5db96fc7832bd7.json"
    private static let loginFile =
      "/home/u/.aws/login/cache/da19974a351c10e6ddab0fe8d7b1fb3a289211121e24f211c7eb19ed08e30e3a.json"
    private static let role = """
      {"roleCredentials": {"accessKeyId": "A", "secretAccessKey": "s", "sessionToken": "t", "expiration": 1767326645999}}
      """

    private func text(_ text: String, _ status: Int = 200) -> CredentialPlaces.Answer {
      .init(status: status, body: Array(text.utf8))
    }

    @Test func `a session of SSO is renewed, and its new token is written for the other tools`() async throws {
      let desk = Desk(.sso) { request in
        let text =
          request.url.hasSuffix("/token")
          ? #"{"accessToken": "new token", "expiresIn": 3600, "refreshToken": "new refresh"}"# : Self.role
        return .init(status: 200, body: Array(text.utf8))
      }
      let found = try await desk.credentials()
      #expect(
        found == S3Credentials(accessKeyID: "A", secretAccessKey: "s", sessionToken: "t", expiry: 1_767_326_645))
      let sent = desk.sent.withLock { $0 }
      #expect(
        sent.map(\.url) == [
          "https://oidc.eu-west-1.amazonaws.com/token",
          "https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?role_name=reader&account_id=1",
        ])
      #expect(sent.last?.fields["x-amz-sso_bearer_token"] == "new token")
      let written = try #require(desk.files.withLock { $0[Self.ssoFile] })
      let file = try #require(try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any])
      #expect(file["accessToken"] as? String == "new token" && file["refreshToken"] as? String == "new refresh")
      #expect(file["expiresAt"] as? String == "2026-01-02T04:04:05Z" && file["kept"] as? [Int] == [1])
      #expect(file["startUrl"] as? String == "https://corp.awsapps.com/start")
      // Good for an hour now: no second renewal.
      _ = try await desk.credentials()
      #expect(desk.sent.withLock { $0.count } == 3)
    }

    @Test func `a token that is good for a quarter of an hour is used, also if its renewal fails`() async throws {
      let desk = Desk(.sso) { request in
        request.url.hasSuffix("/token") ? .init(status: 500, body: []) : .init(status: 200, body: Array(Self.role.utf8))
      }
      desk.change(Self.ssoFile, "2020-01-01T00:00:00Z", "2026-01-02T03:19:05Z")
      #expect(try await desk.credentials().accessKeyID == "A")
      #expect(desk.sent.withLock { $0.count } == 1)
      desk.now.value += 600
      #expect(try await desk.credentials().accessKeyID == "A")
      #expect(desk.sent.withLock { $0.count } == 3)
      desk.now.value += 600
      #expect(await desk.failure()?.isTransient == true)
    }

    @Test func `a sign-in that has ended says which command begins another`() async {
      let denied: @Sendable (CredentialPlaces.Request) -> CredentialPlaces.Answer = { _ in .init(status: 401, body: [])
      }
      for change in [
        (Self.ssoFile, "2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z"), (Self.ssoFile, "refreshToken", "other"),
        (Self.ssoFile, "expiresAt", "other"), (Self.ssoFile, "accessToken", "other"),
      ] {
        let desk = Desk(.sso, answers: denied)
        desk.change(change.0, change.1, change.2)
        let error = await desk.failure()
        #expect(error?.code == .permissionDenied, "\(change)")
        #expect(error?.message.contains("aws sso login --profile default") == true, "\(error as Any)")
      }
      let older = Desk(.olderSSO, answers: denied)
      #expect(await older.failure()?.message.contains("aws sso login") == true)
      older.change(Self.olderFile, "2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z")
      #expect(await older.failure()?.message.contains("has ended") == true)
      // The older form is not renewed.
      #expect(older.sent.withLock { $0.count } == 1)
      let empty = Desk(.sso, answers: denied)
      empty.files.withLock { $0[Self.ssoFile] = nil }
      #expect(await empty.failure()?.message.contains("aws sso login") == true)
      let login = Desk(.login, answers: denied)
      #expect(await login.failure()?.message.contains("aws login --profile default") == true)
      login.change(Self.loginFile, "PRIVATE", "PUBLIC")
      #expect(await login.failure()?.message.contains("aws login --profile default") == true)
    }

    @Test func `the keys of aws login are used while they are good, then renewed with a proof`() async throws {
      let desk = Desk(.login) { _ in
        .init(
          status: 200,
          body: Array(
            """
            {"accessToken": {"accessKeyId": "NEW", "secretAccessKey": "s", "sessionToken": "t"}, "expiresIn": 900,
             "refreshToken": "new refresh"}
            """.utf8))
      }
      desk.change(Self.loginFile, "2020-01-01T00:00:00Z", "2026-01-02T03:14:05Z")
      #expect(try await desk.credentials().accessKeyID == "OLD")
      #expect(desk.sent.withLock { $0.isEmpty })
      desk.now.value += 400
      let found = try await desk.credentials()
      #expect(
        found
          == S3Credentials(accessKeyID: "NEW", secretAccessKey: "s", sessionToken: "t", expiry: desk.now.value + 900))
      let request = try #require(desk.sent.withLock { $0.first })
      #expect(request.method == "POST" && request.url == "https://eu-north-1.signin.aws.amazon.com/v1/token")
      try checkProof(try #require(request.fields["DPoP"]), url: request.url, time: desk.now.value)
      let body = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: String])
      #expect(body == ["clientId": "client", "grantType": "refresh_token", "refreshToken": "hidden refresh"])
      let written = try #require(desk.files.withLock { $0[Self.loginFile] })
      #expect(written.contains("new refresh") && written.contains(#""accountId":"1""#) && written.contains("dpopKey"))
      _ = try await desk.credentials()
      #expect(desk.sent.withLock { $0.count } == 1)
    }

    @Test(arguments: [CredentialWay.sso, .login])
    func `sources that share a sign-in renew it once, since a token that renews is good once`(
      way: CredentialWay
    ) async throws {
      let used = Guarded(Set<Data>())
      let keys = #"{"accessKeyId": "A", "secretAccessKey": "s", "sessionToken": "t"}"#
      let desk = Desk(way) { request in
        guard request.url.hasSuffix("/token") else { return .init(status: 200, body: Array(Self.role.utf8)) }
        guard used.withLock({ $0.insert(Data(request.body)).inserted }) else { return .init(status: 401, body: []) }
        let token = way == .login ? keys : #""new token""#
        let answer = #"{"accessToken": \#(token), "expiresIn": 3600, "refreshToken": "new refresh"}"#
        return .init(status: 200, body: Array(answer.utf8))
      }
      let begun = Guarded(0)
      var places = desk.places
      places.send = { [send = places.send] request in
        // The service takes its time: all have begun before it answers.
        while begun.withLock({ $0 < 8 }) { await Task.yield() }
        return try await send(request)
      }
      let shared = places
      let found = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            begun.withLock { $0 += 1 }
            return try await CredentialsChain(places: shared).credentials().accessKeyID
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(found == Array(repeating: "A", count: 8))
      #expect(used.withLock { $0.count } == 1)
    }

    @Test func `a region that would make another host gets no token`() async {
      for (way, file, region) in [
        (CredentialWay.olderSSO, "/home/u/.aws/config", "eu-west-1"), (.login, Self.loginFile, "eu-north-1"),
      ] {
        let desk = Desk(way) { _ in .init(status: 200, body: Array(Self.role.utf8)) }
        desk.change(file, region, "other.example/")
        #expect(await desk.failure()?.code == .invalidConfiguration)
        #expect(desk.sent.withLock { $0.isEmpty })
      }
    }

    @Test(arguments: ["9223372036854775807", "1e300", "-9223372036854775808"])
    func `a lifetime beyond all bounds does no harm`(seconds: String) async throws {
      let desk = Desk(.sso) { request in
        let text =
          request.url.hasSuffix("/token") ? #"{"accessToken": "new token", "expiresIn": \#(seconds)}"# : Self.role
        return .init(status: 200, body: Array(text.utf8))
      }
      #expect(try await desk.credentials().accessKeyID == "A")
      let written = try #require(desk.files.withLock { $0[Self.ssoFile] })
      #expect(written.contains(seconds.hasPrefix("-") ? "2026-01-02T03:04:05Z" : #""expiresAt":"2342-"#))
    }

    /// Checks a proof of RFC 9449, section 4.3.
    private func checkProof(_ proof: String, url: String, time: Int) throws {
      func bytes(_ text: Substring) throws -> Data {
        let usual = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: usual + String(repeating: "=", count: (4 - text.count % 4) % 4)))
      }
      let parts = proof.split(separator: ".")
      #expect(parts.count == 3)
      let head = try #require(try JSONSerialization.jsonObject(with: bytes(parts[0])) as? [String: Any])
      #expect(head["typ"] as? String == "dpop+jwt" && head["alg"] as? String == "ES256")
      let jwk = try #require(head["jwk"] as? [String: String])
      #expect(jwk["kty"] == "EC" && jwk["crv"] == "P-256" && jwk["d"] == nil)
      let point = try bytes(#require(jwk["x"])[...]) + bytes(#require(jwk["y"])[...])
      let key = try P256.Signing.PublicKey(rawRepresentation: point)
      let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes(parts[2]))
      #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
      #expect(key.rawRepresentation == CredentialWay.loginKey.publicKey.rawRepresentation)
      let claims = try #require(try JSONSerialization.jsonObject(with: bytes(parts[1])) as? [String: Any])
      #expect(claims["htm"] as? String == "POST" && claims["htu"] as? String == url && claims["iat"] as? Int == time)
      #expect((claims["jti"] as? String)?.count == 36)
    }
  }

#endif
