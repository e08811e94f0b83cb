#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOSupport
  import Testing

  @testable import RangeIOGCS

  /// Tokens that end while an object is read.
  @Suite(.timeLimit(.minutes(5))) struct RenewalTests {
    private func user(_ url: String) -> String {
      """
      {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r", "token_uri": "\(url)"}
      """
    }

    /// Where tokens come from.
    enum TokenWay: CaseIterable {
      case user, serviceAccount, externalAccount, impersonatedAccount, metadataServer
    }

    /// Credentials of `scene` whose tokens are `t-1`, `t-2` and so on, and how to count those.
    private func credentials(
      _ way: TokenWay, _ scene: GCSScene
    ) throws -> (credentials: GCSCredentials, variables: [String: String], path: String) {
      let (numbers, flavor) = (Guarded(0), [ServedField("Metadata-Flavor", "Google")])
      func numbered(_ path: String, _ text: @escaping @Sendable (Int) -> String) -> String {
        scene.service(path) { _ in
          let number = numbers.withLock { number in
            number += 1
            return number
          }
          return MiniatureGCS.json(text(number), flavor)
        }
      }
      switch way {
      case .user: return (.json(user(scene.tokens("/token", "t"))), [:], "/token")
      case .serviceAccount:
        return (.json(try SignatureCase.account(["token_uri": scene.tokens("/token", "t")])), [:], "/token")
      case .externalAccount:
        let json = """
          {"type": "external_account", "audience": "a", "subject_token_type": "jwt",
           "token_url": "\(scene.tokens("/token", "t"))", "credential_source": {"file": "/subject"}}
          """
        return (.json(json), [:], "/token")
      case .impersonatedAccount:
        let path = "/v1/projects/-/serviceAccounts/a@b:generateAccessToken"
        let url = numbered(path) { #"{"accessToken": "t-\#($0)", "expireTime": "2099-01-01T00:00:00Z"}"# }
        let json = """
          {"type": "impersonated_service_account", "service_account_impersonation_url": "\(url)",
           "source_credentials": \(user(scene.tokens("/token", "other")))}
          """
        return (.json(json), [:], path)
      case .metadataServer:
        let path = "/computeMetadata/v1/instance/service-accounts/default/token"
        _ = numbered(path) { #"{"access_token": "t-\#($0)", "expires_in": 3599}"# }
        return (.standard, ["GCE_METADATA_HOST": String(scene.server.origin.dropFirst("http://".count))], path)
      }
    }

    @Test(arguments: TokenWay.allCases)
    func `a token that the store refuses in mid-stream is replaced, and the stream goes on`(_ way: TokenWay)
      async throws
    {
      try await GCSScene.with(count: 4 << 20) { scene in
        scene.store.set { state in
          state.tokens = ["t-1"]
          // The first one ends with the third read.
          state.onRead = { state, reads in if reads == 3 { state.tokens = ["t-2"] } }
        }
        var configuration = scene.configuration
        let (credentials, variables, path) = try credentials(way, scene)
        configuration.credentials = credentials
        let reader = try await RangeReader(
          scene.source("gs://bucket/key", configuration, variables: variables, files: ["/subject": "subject"]))
        var bytes: [UInt8] = []
        for try await part in reader.stream(0..<4 << 20) { bytes += part }
        #expect(bytes == GCSScene.content(0..<4 << 20))
        #expect(scene.store.asked(path) == 2 && scene.store.refusals.allSatisfy { $0 == 401 })
        #expect(!scene.store.refusals.isEmpty)
        await reader.close()
      }
    }

    @Test func `a token is renewed before it ends, without a refusal`() async throws {
      try await GCSScene.with { scene in
        let url = scene.tokens("/token", "t", lasting: 3_600)
        scene.store.set { $0.tokens = ["t-1", "t-2"] }
        var configuration = scene.configuration
        configuration.credentials = .json(user(url))
        let source = scene.source("gs://bucket/key", configuration)
        let description = try await source.describe()
        scene.clockOffset.withLock { $0 = 3_000 }
        _ = try await source.read(70_000..<70_010, of: description)
        #expect(scene.store.asked("/token") == 1)
        // Thirty seconds before its end it is not used any more.
        scene.clockOffset.withLock { $0 = 3_580 }
        scene.store.set { $0.tokens = ["t-2"] }
        _ = try await source.read(80_000..<80_010, of: description)
        #expect(scene.store.asked("/token") == 2 && scene.store.refusals.isEmpty)
        await source.close()
      }
    }

    @Test func `a token that is refused to a HEAD is replaced too`() async throws {
      try await GCSScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .json(user(scene.tokens("/token", "t")))
        configuration.remote.opening = .head
        let source = scene.source("gs://bucket/key", configuration)
        scene.store.set { $0.tokens = ["t-2"] }
        let description = try await source.describe()
        #expect(description.byteCount == 100_000)
        #expect(scene.store.asked("/token") == 2 && scene.store.refusals == [401])
        await source.close()
      }
    }

    @Test func `many reads that are refused ask for one token`() async throws {
      try await GCSScene.with { scene in
        let url = scene.tokens("/token", "t")
        scene.store.set { $0.tokens = ["t-1"] }
        var configuration = scene.configuration
        configuration.credentials = .json(user(url))
        let source = scene.source("gs://bucket/key", configuration)
        let description = try await source.describe()
        scene.store.set { $0.tokens = ["t-2"] }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for start in 0..<20 {
            group.addTask {
              let range = 70_000 + start * 1_000..<70_100 + start * 1_000
              let bytes = try await source.read(range, of: description)
              #expect(Array(bytes) == GCSScene.content(range))
            }
          }
          try await group.waitForAll()
        }
        #expect(scene.store.asked("/token") == 2)
        await source.close()
      }
    }

    @Test func `a token that stays refused fails the read with the store's words`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.tokens = [] }
        let error = await scene.failure(scene.source())
        #expect(error?.code == .permissionDenied && error?.isTransient == false)
        #expect(error?.message.contains("AuthenticationRequired") == true)
        #expect(error.map { !"\($0)".contains("token-1") } == true)
      }
    }

    @Test func `a refused token that is replaced by one that is refused too fails with the store's words`() async throws
    {
      try await GCSScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .json(user(scene.tokens("/token", "t")))
        for opening in [RemoteOpening.head, configuration.remote.opening] {
          configuration.remote.opening = opening
          scene.server.log.clear()
          let error = await scene.failure(scene.source("gs://bucket/key", configuration))
          #expect(error?.code == .permissionDenied && error?.isTransient == false)
          #expect(error?.message.contains("AuthenticationRequired") == true, "\(error as Any)")
          #expect(scene.server.log.requestCount <= 5)
        }
      }
    }

    @Test func `a token with a space at its end is replaced too`() async throws {
      try await GCSScene.with { scene in
        let number = Guarded(0)
        var configuration = scene.configuration
        configuration.credentials = .provider {
          GCSToken("t-\(number.withLock { number in number += 1; return number }) ")
        }
        scene.store.set { $0.tokens = ["t-2"] }
        try await scene.expectContent(of: scene.source("gs://bucket/key", configuration))
      }
    }

    @Test func `what is missing, and what may not be read, is told`() async throws {
      try await GCSScene.with { scene in
        for url in ["gs://bucket/other", "gs://other/key", "gs://bucket/key#5"] {
          let error = await scene.failure(scene.source(url))
          #expect(error?.code == .notFound, "\(url)")
        }
        scene.store.set { $0.tokens = [] }
        var configuration = scene.configuration
        configuration.credentials = .hmac(accessID: "GOOG1", secret: "hidden")
        let error = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(error?.code == .permissionDenied && error?.message.contains("SignatureDoesNotMatch") == true)
        #expect(error.map { !"\($0)".contains("hidden") } == true)
      }
    }

    @Test func `a clock that is wrong is learnt once for signatures`() async throws {
      try await GCSScene.with { scene in
        let key = HMACKey(accessID: "GOOG1", secret: "hidden")
        scene.store.set { state in
          state.keys["GOOG1"] = key
          state.clockOffset = 7_200
        }
        var configuration = scene.configuration
        configuration.credentials = .hmac(accessID: "GOOG1", secret: "hidden")
        let source = scene.source("gs://bucket/key", configuration)
        let description = try await source.describe()
        for start in 0..<5 { _ = try await source.read(70_000 + start..<80_000, of: description) }
        #expect(scene.store.refusals == [403])
        await source.close()
      }
    }
  }

#endif
