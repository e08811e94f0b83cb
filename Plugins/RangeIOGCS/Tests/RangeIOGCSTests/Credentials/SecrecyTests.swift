#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOGCS

  @Suite(.timeLimit(.minutes(2))) struct SecrecyTests {
    private func dumped(_ value: Any) -> String {
      var text = ""
      dump(value, to: &text)
      return text
    }

    @Test func `a dump of a source or a reader shows no secret`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.tokens = ["a-secret"] }
        var configuration = scene.configuration
        configuration.credentials = .token(GCSToken("a-secret"))
        configuration.remote.headers = [("x-goog-meta-key", "a-secret")]
        let source = scene.source("gs://bucket/key", configuration, variables: ["X": "a-secret"])
        #expect(!dumped(source).contains("a-secret"))
        let reader = try await RangeReader(source)
        _ = try await reader.read(0..<10)
        for text in [dumped(source), dumped(reader), "\(source)", String(reflecting: source), "\(reader.statistics())"]
        {
          #expect(!text.contains("a-secret"), "\(text)")
        }
        #expect(dumped(source).contains("gs://bucket/key"))
        await reader.close()
      }
    }

    @Test func `texts of credentials hide all secrets`() throws {
      let secrets = [
        GCSCredentials.token(GCSToken("a-secret")), .hmac(accessID: "GOOG1", secret: "a-secret"), .json("a-secret"),
        .provider { GCSToken("a-secret") },
      ]
      for credentials in secrets {
        var configuration = GCSSource.Configuration()
        configuration.credentials = credentials
        for value in [credentials, configuration] as [Any] {
          for text in ["\(value)", String(reflecting: value), dumped(value), "\([value])"] {
            #expect(!text.contains("a-secret"), "\(text)")
          }
        }
      }
      #expect(!"\(GCSToken("a-secret"))".contains("a-secret") && !dumped(GCSToken("a-secret")).contains("a-secret"))
    }

    @Test(arguments: ["token\r\nX-Evil: 1", "token\n"])
    func `a token that cannot stand in a head is refused, and neither sent nor shown`(_ token: String) async throws {
      try await GCSScene.with { scene in
        let error = await scene.failure(of: .token(GCSToken(token)))
        #expect(error?.isTransient == false, "\(error as Any)")
        #expect(error.map { !"\($0)".contains("Evil") && $0.message.contains("Authorization") } == true)
        #expect(scene.server.log.requestCount == 0)
      }
    }

    @Test(arguments: [1, 60])
    func `a store that repeats a token does not have it shown, nor a part of it`(_ count: Int) async throws {
      let token = String(repeating: "a-secret-token", count: count)
      try await GCSScene.with { scene in
        scene.store.set { state in
          state.services["/bucket/key"] = { _ in MiniatureGCS.xml(403, "AccessDenied", "no", "Bearer \(token)") }
        }
        let error = await scene.failure(of: .token(GCSToken(token)))
        #expect(error?.code == .permissionDenied && error.map { !"\($0)".contains("a-secret-token") } == true)
      }
    }

    @Test func `credentials of the transport are refused, not passed over`() async throws {
      try await GCSScene.with { scene in
        var configuration = scene.configuration
        configuration.remote.credentials = .bearer("a-secret")
        let error = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(error?.code == .invalidConfiguration && error?.message.contains("remote.credentials") == true)
        configuration.remote.credentials = nil
        configuration.remote.headers = [("authorization", "a-secret")]
        let other = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(other?.code == .invalidConfiguration && other?.message.contains("authorization") == true)
      }
    }

    @Test func `only keys sign URLs, for a time that Google permits`() async throws {
      try await GCSScene.with { scene in
        for (credentials, duration) in [
          (GCSCredentials.token(GCSToken("a-secret")), Duration.seconds(60)), (.anonymous, .seconds(60)),
          (.hmac(accessID: "a", secret: "a-secret"), .seconds(604_801)),
          (.hmac(accessID: "a", secret: "a-secret"), .zero),
        ] {
          var configuration = scene.configuration
          configuration.credentials = credentials
          let source = scene.source("gs://bucket/key", configuration)
          let error = await #expect(throws: ReadError.self) { _ = try await source.signedURL(expiresIn: duration) }
          #expect(error?.code == .invalidConfiguration && error.map { !"\($0)".contains("a-secret") } == true)
          await source.close()
        }
        var configuration = scene.configuration
        configuration.credentials = .json(try SignatureCase.account())
        let source = scene.source("gs://bucket/key#7", configuration)
        let url = try await source.signedURL(expiresIn: .seconds(60))
        #expect(url.hasPrefix(scene.server.url("/bucket/key?generation=7&X-Goog-Algorithm=GOOG4-RSA-SHA256&")))
        await source.close()
      }
    }
  }

#endif
