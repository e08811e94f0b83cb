#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOGCS

  /// Credentials of every type, and what they ask services on loopback.
  @Suite(.timeLimit(.minutes(2))) struct AccountTests {
    private let answer = #"{"access_token": "good", "expires_in": 3600}"#

    @Test func `a service account exchanges what its key has signed`() async throws {
      try await GCSScene.with { scene in
        let url = scene.service("/token") { [answer] request in
          let form = request.form
          let isRight =
            form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
            && form["assertion"]?.split(separator: ".").count == 3
          return isRight ? MiniatureGCS.json(answer) : MiniatureGCS.json("{}", status: 400)
        }
        try await scene.expectToken("good", from: .json(SignatureCase.account(["token_uri": url])))
        #expect(scene.store.asked("/token") == 1)
      }
    }

    @Test func `a service account's key signs tokens itself, if asked to`() async throws {
      try await GCSScene.with { scene in
        let url = scene.service("/token") { _ in MiniatureGCS.json("{}", status: 500) }
        let json = try SignatureCase.account(["token_uri": url])
        let account = try ServiceAccountKey(CredentialsDocument.parse(json))
        let now = HTTPTime.now
        // The second may change meanwhile.
        let tokens = try (now...now + 60).map { try account.selfSigned(for: .reading, at: $0) }
        scene.store.set { $0.tokens = Set(tokens) }
        var configuration = scene.configuration
        configuration.credentials = .json(json, signsTokens: true)
        try await scene.expectContent(of: scene.source("gs://bucket/key", configuration))
        #expect(scene.store.asked("/token") == 0)
      }
    }

    @Test(arguments: ["\"3599\"", "3599.0", "null", "\"soon\"", "1e300"])
    func `the seconds that a token lasts may be a text, as some servers write them`(_ seconds: String) async throws {
      try await GCSScene.with { scene in
        let url = scene.service("/token") { _ in
          MiniatureGCS.json("{\"access_token\": \"good\", \"expires_in\": \(seconds)}")
        }
        let json = """
          {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r",
           "token_uri": "\(url)"}
          """
        try await scene.expectToken("good", from: .json(json))
      }
    }

    @Test func `a user's login is refreshed, and quotas are counted for its project`() async throws {
      try await GCSScene.with { scene in
        let url = scene.service("/token") { [answer] request in
          let isRight =
            request.form == [
              "grant_type": "refresh_token", "client_id": "id", "client_secret": "s&=é", "refresh_token": "1//r+/",
            ]
          return isRight ? MiniatureGCS.json(answer) : MiniatureGCS.json("{}", status: 400)
        }
        let json = """
          {"type": "authorized_user", "client_id": "id", "client_secret": "s&=é", "refresh_token": "1//r+/",
           "token_uri": "\(url)", "quota_project_id": "quota", "account": ""}
          """
        try await scene.expectToken("good", from: .json(json))
        let reads = scene.server.log.requests.filter { $0.target.hasPrefix("/bucket") }
        #expect(!reads.isEmpty && reads.allSatisfy { $0["x-goog-user-project"] == "quota" })
      }
    }

    @Test(arguments: ["text", "json", "url"])
    func `an external account exchanges the token of another provider`(_ kind: String) async throws {
      try await GCSScene.with { scene in
        let subjects = scene.service("/subject") { request in
          request["X-Key"] == "k"
            ? MiniatureGCS.json(#"{"value": "subject", "n": 1}"#) : MiniatureGCS.json("{}", status: 403)
        }
        let url = scene.service("/sts") { [answer] request in
          let form = request.form
          let isRight =
            form["subject_token"] == "subject" && form["audience"] == "//iam/pool"
            && form["subject_token_type"] == "jwt"
            && form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange"
            && form["scope"] == TokenScope.reading.rawValue
          return isRight ? MiniatureGCS.json(answer) : MiniatureGCS.json("{}", status: 400)
        }
        let format = #""format": {"type": "json", "subject_token_field_name": "value"}"#
        let source =
          switch kind {
          case "text": #"{"file": "/subject"}"#
          case "json": #"{"file": "/subject.json", \#(format)}"#
          default: #"{"url": "\#(subjects)", "headers": {"X-Key": "k"}, \#(format)}"#
          }
        let json = """
          {"type": "external_account", "audience": "//iam/pool", "subject_token_type": "jwt", "token_url": "\(url)",
           "credential_source": \(source)}
          """
        let files = ["/subject": "subject\n", "/subject.json": #"{"value": "subject"}"#, "/c.json": json]
        try await scene.expectToken("good", from: .file("/c.json"), files: files)
      }
    }

    @Test func `an account that is impersonated gives a token to another`() async throws {
      try await GCSScene.with { scene in
        let token = scene.service("/token") { [answer] _ in MiniatureGCS.json(answer) }
        let path = "/v1/projects/-/serviceAccounts/a@b:generateAccessToken"
        let url = scene.service(path) { request in
          let body = String(decoding: request.body, as: UTF8.self)
          let isRight =
            request["Authorization"] == "Bearer good" && body.contains("devstorage.read_only")
            && body.contains("between")
            && body.contains("\"700s\"")
          return isRight
            ? MiniatureGCS.json(#"{"accessToken": "better", "expireTime": "2099-01-01T00:00:00Z"}"#)
            : MiniatureGCS.json("{}", status: 403)
        }
        let source = try SignatureCase.account(["token_uri": token])
        let json = """
          {"type": "impersonated_service_account", "service_account_impersonation_url": "\(url)", "delegates": ["between"],
           "service_account_impersonation": {"token_lifetime_seconds": 700},
           "source_credentials": \(source)}
          """
        try await scene.expectToken("better", from: .json(json))
        #expect(scene.store.asked(path) == 1)
      }
    }

    /// An external account whose token comes from `source`.
    private static func external(_ source: String) -> String {
      """
      {"type": "external_account", "audience": "a", "subject_token_type": "b", "token_url": "https://x",
       "credential_source": \(source)}
      """
    }

    @Test(
      arguments: [
        (#"{"type": "gdch_service_account"}"#, "gdch_service_account"),
        (#"{"type": "external_account_authorized_user"}"#, "external_account_authorized_user"),
        ("{}", "no type"), ("hidden", "no JSON"),
        (#"{"type": "service_account", "private_key": "hidden"}"#, "client_email"),
        (#"{"type": "service_account", "client_email": "a", "private_key": "hidden"}"#, "private_key"),
        (#"{"type": "authorized_user", "client_id": "a", "client_secret": "hidden"}"#, "refresh_token"),
        (#"{"type": "authorized_user", "universe_domain": "other.example"}"#, "other.example"),
        (
          #"{"type": "authorized_user", "client_id": "a", "client_secret": "hidden", "refresh_token": "hidden", "#
            + #""token_uri": "http://x/hidden"}"#,
          "token_uri"
        ),
        (
          #"{"type": "impersonated_service_account", "service_account_impersonation_url": "https://x"}"#,
          "source_credentials"
        ),
        (
          Self.external(#"{"environment_id": "aws1", "url": "http://169.254.169.254/"}"#),
          "environment_id"
        ),
        (
          Self.external(#"{"executable": {"command": "hidden"}}"#),
          "executable"
        ),
        (
          Self.external(#"{"file": "f", "format": {"type": "yaml"}}"#),
          "yaml"
        ),
      ])
    func `what is not understood is named, and nothing of it is shown`(_ json: String, _ word: String) async throws {
      try await GCSScene.with { scene in
        let error = await scene.failure(of: .json(json))
        #expect(error?.code == .invalidConfiguration && error?.message.contains(word) == true, "\(error as Any)")
        #expect(error.map { !"\($0)".contains("hidden") } == true)
        #expect(scene.server.log.requestCount == 0)
      }
    }

    @Test func `a host whose name begins as loopback does gets no secret over http`() async throws {
      try await GCSScene.with { scene in
        let url = "http://127.0.0.1.example.invalid"
        let error = await scene.failure(of: .json(try SignatureCase.account(["token_uri": "\(url)/token"])))
        #expect(error?.code == .invalidConfiguration && error?.message.contains("token_uri") == true)
        var configuration = scene.configuration
        configuration.endpoint = url
        let other = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(other?.code == .invalidConfiguration && other?.message.contains("http") == true)
      }
    }

    @Test func `a token server that refuses says why, without what was sent to it`() async throws {
      try await GCSScene.with { scene in
        for (text, shown) in [("Token has been revoked.", true), ("bad secret-secret", false)] {
          let url = scene.service("/token") { _ in
            MiniatureGCS.json(#"{"error": "invalid_grant", "error_description": "\#(text)"}"#, status: 400)
          }
          let json = """
            {"type": "authorized_user", "client_id": "i", "client_secret": "secret-secret", "refresh_token": "refresh-refresh",
             "token_uri": "\(url)"}
            """
          let error = await scene.failure(of: .json(json))
          #expect(error?.code == .permissionDenied && error?.isTransient == false)
          #expect(error?.message.contains("invalid_grant") == true && error?.message.contains("gcloud auth") == true)
          #expect(error?.message.contains(text) == shown)
        }
        let busy = scene.service("/token") { _ in MiniatureGCS.json("{}", status: 503) }
        let error = await scene.failure(of: .json(try SignatureCase.account(["token_uri": busy])))
        #expect(error?.code == .inputOutput && error?.isTransient == true)
      }
    }

    @Test func `the token service is asked through the proxy of the source`() async throws {
      let proxies = Guarded([RemoteConfiguration.Proxy]())
      let places = CredentialPlaces(
        environment: [:], home: "/home/u", file: { _ in nil }, run: { _ in [] },
        send: { request in
          proxies.withLock { $0.append(request.proxy) }
          return CredentialPlaces.Answer(status: 400, body: [])
        }, now: { 0 })
      var configuration = GCSSource.Configuration()
      configuration.credentials = .json(
        #"{"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r"}"#)
      configuration.remote.proxy = .server("http://proxy:3128")
      let source = GCSSource(.success(try GCSAddress("gs://bucket/key")), configuration, places: places)
      await #expect(throws: ReadError.self) { _ = try await source.describe() }
      #expect(proxies.withLock { $0 } == [.server("http://proxy:3128")])
    }
  }

#endif
