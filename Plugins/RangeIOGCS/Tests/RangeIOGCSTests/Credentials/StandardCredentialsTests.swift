#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Testing

  @testable import RangeIOGCS

  /// Where credentials are looked for when none are named.
  @Suite(.timeLimit(.minutes(2))) struct StandardCredentialsTests {
    private let login = "/home/u/.config/gcloud/application_default_credentials.json"
    private let metadata = "/computeMetadata/v1/instance/service-accounts/default/token"

    private func user(_ url: String) -> String {
      """
      {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r", "token_uri": "\(url)"}
      """
    }

    /// The host of the scene's server, as `GCE_METADATA_HOST` has it.
    private func host(_ scene: GCSScene) -> String { String(scene.server.origin.dropFirst("http://".count)) }

    @Test func `the file that is named goes before the login, and that before the metadata server`() async throws {
      try await GCSScene.with { scene in
        let (named, gcloud) = (scene.tokens("/named", "named"), scene.tokens("/gcloud", "gcloud"))
        var files = [
          "/named.json": user(named), login: user(gcloud), "/cloud/application_default_credentials.json": user(named),
        ]
        let variables = ["GOOGLE_APPLICATION_CREDENTIALS": "/named.json"]
        try await scene.expectToken("named-1", from: .standard, variables: variables, files: files)
        try await scene.expectToken("gcloud-1", from: .standard, files: files)
        try await scene.expectToken("named-2", from: .standard, variables: ["CLOUDSDK_CONFIG": "/cloud"], files: files)
        files = [:]
        _ = scene.service(metadata) { request in
          request["Metadata-Flavor"] == "Google"
            ? MiniatureGCS.json(
              #"{"access_token": "machine", "expires_in": 3599}"#, [ServedField("Metadata-Flavor", "Google")])
            : MiniatureGCS.json("{}", status: 403)
        }
        try await scene.expectToken(
          "machine", from: .standard, variables: ["GCE_METADATA_HOST": host(scene)], files: files)
      }
    }

    @Test func `a file that is named and missing is not passed over`() async throws {
      try await GCSScene.with { scene in
        let files = [login: user(scene.tokens("/gcloud", "gcloud"))]
        let error = await scene.failure(
          of: .standard, variables: ["GOOGLE_APPLICATION_CREDENTIALS": "/missing.json"], files: files)
        #expect(error?.code == .notFound && error?.source == "/missing.json")
        #expect(scene.store.asked("/gcloud") == 0)
      }
    }

    @Test func `what answers without the flavor is no metadata server`() async throws {
      try await GCSScene.with { scene in
        _ = scene.service(metadata) { _ in MiniatureGCS.json(#"{"access_token": "machine", "expires_in": 3599}"#) }
        let error = await scene.failure(of: .metadataServer, variables: ["GCE_METADATA_HOST": host(scene)])
        #expect(error?.code == .invalidResponse && error?.message.contains("Metadata-Flavor") == true)
        // Something else answers at its usual address.
        let other = await scene.failure(of: .metadataServer, variables: ["GCE_METADATA_IP": host(scene)])
        #expect(other?.code == .permissionDenied && other?.message.contains("no metadata server") == true)
        _ = scene.service(metadata) { _ in
          MiniatureGCS.json("{}", status: 404, [ServedField("Metadata-Flavor", "Google")])
        }
        let none = await scene.failure(of: .metadataServer, variables: ["GCE_METADATA_HOST": host(scene)])
        #expect(none?.code == .permissionDenied && none?.message.contains("service account") == true)
      }
    }

    @Test func `a metadata server that must be there may be asked again`() async throws {
      try await GCSScene.with { scene in
        // Nothing listens there.
        let error = await scene.failure(of: .metadataServer, variables: ["GCE_METADATA_IP": "127.0.0.1:1"])
        #expect(error?.code == .inputOutput && error?.isTransient == true)
        let other = await scene.failure(of: .standard, variables: ["GCE_METADATA_IP": "127.0.0.1:1"])
        #expect(other?.code == .permissionDenied && other?.isTransient == false)
      }
    }

    @Test func `a login that cannot be read counts as none`() async throws {
      let places = CredentialPlaces(
        environment: [:], home: "/home/u",
        file: { path in throw ReadError(.permissionDenied, "not yours", source: path) }, run: { _ in [] },
        send: { _ in throw ReadError(.timedOut, "late", isTransient: true) }, now: { 0 })
      let found = try await StandardCredentials(places: places).source(expectsServer: false)
      #expect(found is MetadataServer)
      var named = places
      named.environment = ["CLOUDSDK_CONFIG": "/named"]
      let error = await #expect(throws: ReadError.self) {
        _ = try await StandardCredentials(places: named).source(expectsServer: false)
      }
      #expect(error?.message.contains("not yours") == true)
    }

    @Test func `where there is nothing the error says what to do`() async throws {
      try await GCSScene.with { scene in
        let error = await scene.failure(of: .standard, variables: ["NO_GCE_CHECK": "true"])
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("GOOGLE_APPLICATION_CREDENTIALS") == true)
        #expect(scene.server.log.requestCount == 0)
      }
    }

    @Test func `a token is not sent where others can read it, and an HMAC key not to the JSON API`() async throws {
      try await GCSScene.with { scene in
        var configuration = scene.configuration
        configuration.endpoint = "http://gcs.example:4443"
        let open = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(open?.code == .invalidConfiguration && open?.message.contains("https") == true)
        configuration = scene.configuration
        (configuration.api, configuration.credentials) = (.json, .hmac(accessID: "a", secret: "hidden"))
        let json = await scene.failure(scene.source("gs://bucket/key", configuration))
        #expect(json?.code == .invalidConfiguration && json?.message.contains("XML") == true)
      }
    }
  }

#endif
