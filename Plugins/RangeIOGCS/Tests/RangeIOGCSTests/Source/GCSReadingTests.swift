#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOTesting
  import Testing

  @testable import RangeIOGCS

  @Suite(.timeLimit(.minutes(5))) struct GCSReadingTests {
    @Test(arguments: [GCSSource.API.xml, .json])
    func `an object of a bucket is a source`(_ api: GCSSource.API) async throws {
      try await GCSScene.with { scene in
        var configuration = scene.configuration
        configuration.api = api
        let settings = configuration
        try await SourceConformance.check(of: Bytes(GCSScene.content(0..<100_000))) {
          scene.source("gs://bucket/key", settings)
        }
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test(arguments: [
      "key", "a b", "a+b", "a//b/../c/.", "é/日本語", "e\u{301}", "a%20b", "a@b:c=d", "!'()*$,;&", "what?", "#", "a#b",
      "/lead", "trail/", "\"<>\\^`{|}[]", "~-_.", "x/\u{1}",
    ])
    func `any name is read, by a token and by a signature`(_ name: String) async throws {
      try await GCSScene.with { scene in
        scene.store.put(ServedObject(count: 1_000), at: "bucket/" + name, generation: 7)
        let key = HMACKey(accessID: "GOOG1", secret: "hidden")
        scene.store.set { $0.keys["GOOG1"] = key }
        let address = try GCSAddress(bucket: "bucket", object: name)
        for (api, credentials) in [
          (GCSSource.API.xml, GCSCredentials.token(GCSToken("token-1"))), (.json, .token(GCSToken("token-1"))),
          (.xml, .hmac(accessID: "GOOG1", secret: "hidden")),
        ] {
          var configuration = scene.configuration
          (configuration.api, configuration.credentials) = (api, credentials)
          try await scene.expectContent(of: scene.source(address.description, configuration))
        }
        #expect(scene.store.refusals.isEmpty)
        #expect(scene.server.log.requests.contains { $0.target.hasPrefix("/bucket/" + ObjectURL.encodedPath(name)) })
      }
    }

    @Test func `an object stored with gzip is read as it is stored`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { _ = $0.encoded.insert("bucket/key") }
        try await scene.expectContent(of: scene.source())
        #expect(scene.server.log.requests.allSatisfy { $0["Accept-Encoding"] == "gzip" })
      }
    }

    @Test(arguments: [false, true]) func `bytes that a proxy has compressed, or decompressed, are an error`(
      isStoredEncoded: Bool
    ) async throws {
      try await GCSScene.with { scene in
        scene.store.set { state in
          if isStoredEncoded { state.encoded.insert("bucket/key") }
        }
        let honest = scene.server.script
        scene.server.script = ServerScript { context in
          var answer = honest.answer(context)
          answer.fields["Content-Encoding"] = isStoredEncoded ? nil : "gzip"
          return answer
        }
        let error = await scene.failure(scene.source())
        #expect(error?.code == .invalidResponse && error?.message.contains("turn compression off") == true)
      }
    }

    @Test func `an anonymous reader sends neither token nor signature`() async throws {
      try await GCSScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .anonymous
        let refused = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(refused?.code == .permissionDenied && refused?.message.contains("anonymous") == true)
        scene.store.set { $0.isPublic = true }
        try await scene.expectContent(of: scene.source("gs://bucket/key", configuration))
        #expect(scene.server.log.requests.allSatisfy { $0["Authorization"] == nil })
      }
    }

    @Test func `an emulator is read by the JSON API without credentials`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.isPublic = true }
        for host in [scene.server.origin, String(scene.server.origin.dropFirst(7))] {
          var configuration = GCSSource.Configuration()
          configuration.remote.proxy = .none
          let source = scene.source("gs://bucket/key", configuration, variables: ["STORAGE_EMULATOR_HOST": host])
          try await scene.expectContent(of: source)
        }
        #expect(scene.server.log.requests.allSatisfy { $0.target.hasPrefix("/storage/v1/b/bucket/o/key?alt=media") })
        #expect(scene.server.log.requests.allSatisfy { $0["Authorization"] == nil })
      }
    }

    @Test func `the project that pays is named, from the configuration or the environment`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.demandsProject = true }
        let refused = await scene.failure(scene.source())
        #expect(refused?.code == .permissionDenied && refused?.message.contains("userProject") == true)
        var configuration = scene.configuration
        configuration.userProject = "maps-billing"
        scene.server.log.clear()
        try await scene.expectContent(of: scene.source("gs://bucket/key", configuration))
        #expect(scene.server.log.requests.allSatisfy { $0["x-goog-user-project"] == "maps-billing" })
        // Of the environment for the credentials of the environment only.
        let login = """
          {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r",
           "token_uri": "\(scene.tokens("/token", "token"))"}
          """
        let variables = ["GOOGLE_CLOUD_QUOTA_PROJECT": "quota", "GOOGLE_APPLICATION_CREDENTIALS": "/login"]
        configuration.userProject = nil
        let other = await scene.failure(scene.source("gs://bucket/key", configuration, variables: variables))
        #expect(other?.message.contains("userProject") == true)
        configuration.credentials = .standard
        scene.server.log.clear()
        try await scene.expectContent(
          of: scene.source("gs://bucket/key", configuration, variables: variables, files: ["/login": login]))
        #expect(scene.server.log.requests.contains { $0["x-goog-user-project"] == "quota" })
      }
    }

    @Test func `a signed URL that has expired is told, and not shown`() async throws {
      try await GCSScene.with { scene in
        scene.server.script = ServerScript { _ in MiniatureGCS.xml(400, "ExpiredToken", "Invalid argument.") }
        let url = scene.server.url("/bucket/key?X-Goog-Date=20260102T030405Z&X-Goog-Expires=60&X-Goog-Signature=hidden")
        let error = await #expect(throws: ReadError.self) {
          _ = try await RangeReader(gcs: url, configuration: scene.configuration)
        }
        #expect(error?.code == .permissionDenied && error?.message.contains("has expired: sign") == true)
        #expect(error.map { !"\($0)".contains("hidden") } == true)
      }
    }

    @Test func `a signed URL is read as it is, and is the same object under another signature`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.isPublic = true }
        var configuration = scene.configuration
        configuration.credentials = .hmac(accessID: "GOOG1", secret: "hidden")
        let source = scene.source("gs://bucket/key", configuration)
        let urls = [
          try await source.signedURL(expiresIn: .seconds(60)), try await source.signedURL(expiresIn: .seconds(90)),
        ]
        await source.close()
        var ids: Set<String> = []
        for url in urls {
          let reader = try await RangeReader(
            gcs: url, configuration: configuration, cache: MemoryStore(limit: .mebibytes(1)))
          #expect(try await Array(reader.read(0..<1_000)) == GCSScene.content())
          ids.insert(reader.source.id)
          await reader.close()
        }
        #expect(ids.count == 1 && !ids.contains { $0.contains("Signature") })
        #expect(
          scene.server.log.requests.allSatisfy { $0["Authorization"] == nil && $0.parameter("X-Goog-Signature") != nil }
        )
      }
    }
  }

#endif
