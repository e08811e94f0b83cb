#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  /// Credentials that come by the wire, from services on loopback.
  @Suite(.timeLimit(.minutes(2))) struct S3CredentialsTests {
    private let document = """
      {"Code": "Success", "AccessKeyId": "\(StoreScene.others.accessKeyID)", "SecretAccessKey": "second secret",
       "Token": "token", "Expiration": "2099-01-01T00:00:00Z"}
      """

    /// Reads the object with what `variables` lead to, by services that `answer`.
    private func read(
      _ variables: (LyingServer) -> [String: String], files: [String: String] = [:],
      _ answer: @escaping @Sendable (ServerRequest) -> ScriptedAnswer
    ) async throws {
      try await LyingServer.with { services in
        services.script = ServerScript { answer($0.request) }
        try await StoreScene.with { scene in
          var configuration = scene.configuration
          configuration.credentials = .standard
          let source = scene.source(
            "s3://bucket/key", configuration, variables: variables(services), files: files, isPatient: true)
          try await scene.expectContent(of: source)
          #expect(scene.server.log.requests.allSatisfy { $0["x-amz-security-token"] == "token" })
        }
        #expect(services.log.requestCount > 0)
      }
    }

    @Test func `a container's service gives credentials`() async throws {
      try await read { services in
        ["AWS_CONTAINER_CREDENTIALS_FULL_URI": services.url("/c?a=b"), "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t"]
      } _: { [document] request in
        let isRight = request.target == "/c?a=b" && request["Authorization"] == "t"
        return isRight ? ScriptedAnswer(200, text: document) : ScriptedAnswer(404, text: "")
      }
    }

    @Test func `the metadata service gives credentials`() async throws {
      try await read { services in
        ["AWS_EC2_METADATA_SERVICE_ENDPOINT": services.url("/")]
      } _: { [document] request in
        switch (request.method, request.target, request["X-aws-ec2-metadata-token"]) {
        case ("PUT", "/latest/api/token", nil): ScriptedAnswer(200, text: "session")
        case ("GET", "/latest/meta-data/iam/security-credentials/", "session"?): ScriptedAnswer(200, text: "role")
        case ("GET", "/latest/meta-data/iam/security-credentials/role", "session"?): ScriptedAnswer(200, text: document)
        default: ScriptedAnswer(401, text: "")
        }
      }
    }

    @Test func `the token service gives credentials`() async throws {
      try await read(
        { services in
          [
            "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/r",
            "AWS_ENDPOINT_URL_STS": services.origin,
          ]
        }, files: ["/token": "identity"]
      ) { request in
        let body = String(decoding: request.body, as: UTF8.self)
        guard request.method == "POST", body.hasSuffix("&WebIdentityToken=identity") else {
          return ScriptedAnswer(400, text: body)
        }
        return ScriptedAnswer(
          200,
          text: """
            <r><AccessKeyId>\(StoreScene.others.accessKeyID)</AccessKeyId><SecretAccessKey>second secret</SecretAccessKey>
            <SessionToken>token</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></r>
            """)
      }
    }

    @Test func `a service that does not answer is not waited for`() async throws {
      try await LyingServer.with { services in
        services.script = ServerScript { _ in ScriptedAnswer(200, text: "late").interrupted(.stall, at: .head(0)) }
        try await StoreScene.with { scene in
          var configuration = scene.configuration
          configuration.credentials = .standard
          let source = scene.source(
            "s3://bucket/key", configuration,
            variables: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": services.origin])
          let error = await scene.failure(source)
          #expect(error?.code == .permissionDenied && error?.message.contains("no credentials") == true)
          #expect(scene.server.log.requestCount == 0)
        }
      }
    }

    @Test func `many sources take on a role once, and closing one leaves the others`() async throws {
      try await StoreScene.with { scene in
        let count = Guarded(0)
        let roles = Scene(files: ["/token": "t"]) { _ in
          let number = count.withLock { count in
            count += 1
            return count
          }
          scene.store.set {
            $0.accepted["ROLE\(number)"] = S3Credentials(
              accessKeyID: "ROLE\(number)", secretAccessKey: "s", sessionToken: "t")
          }
          let text = """
            <AccessKeyId>ROLE\(number)</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
            <Expiration>2099-01-01T00:00:00Z</Expiration>
            """
          return CredentialPlaces.Answer(status: 200, body: Array(text.utf8))
        }
        var places = roles.places(["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "r"])
        places.now = { HTTPTime.now }
        var configuration = scene.configuration
        configuration.credentials = .standard
        let address = Result { () throws(ReadError) in try S3Address("s3://bucket/key") }
        let sources = (0..<10).map { [configuration, places] _ in
          S3Source(address, configuration, places: places, regions: scene.regions)
        }
        func read(_ sources: some Sequence<S3Source>) async throws {
          try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for source in sources {
              group.addTask { try await Array(source.read(70_000..<71_000, of: source.describe())) }
            }
            for try await bytes in group { #expect(bytes == StoreScene.content(70_000..<71_000)) }
          }
        }
        try await read(sources)
        #expect(count.withLock { $0 } == 1)
        await sources[0].close()
        try await read(sources.dropFirst())
        // They end before their time: one fetch for all again.
        scene.store.set { _ = $0.expired.insert("ROLE1") }
        try await read(sources.dropFirst())
        #expect(count.withLock { $0 } == 2)
        for source in sources { await source.close() }
      }
    }

    @Test func `a home that cannot be read has no files, and a named file must be readable`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .standard
        var keys = [
          "AWS_ACCESS_KEY_ID": StoreScene.keys.accessKeyID, "AWS_SECRET_ACCESS_KEY": StoreScene.keys.secretAccessKey,
        ]
        func source() -> S3Source {
          var places = Scene().places(keys)
          places.now = { HTTPTime.now }
          places.file = { path in throw ReadError(.permissionDenied, "not yours", source: path) }
          let address = Result { () throws(ReadError) in try S3Address("s3://bucket/key") }
          return S3Source(address, configuration, places: places, regions: scene.regions)
        }
        try await scene.expectContent(of: source())
        keys["AWS_CONFIG_FILE"] = "/named"
        #expect(await scene.failure(source())?.message.contains("not yours") == true)
      }
    }

    @Test func `files that cannot be read do not matter to a source that has its credentials`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.isPublic = true }
        for credentials in [
          S3Source.CredentialsProvider.given(StoreScene.keys), .provider { StoreScene.keys }, .anonymous,
        ] {
          var configuration = scene.configuration
          configuration.region = nil
          configuration.credentials = credentials
          var places = Scene().places()
          places.now = { HTTPTime.now }
          places.file = { path in throw ReadError(.permissionDenied, "not yours", source: path) }
          let address = Result { () throws(ReadError) in try S3Address("s3://bucket/key") }
          try await scene.expectContent(
            of: S3Source(address, configuration, places: places, regions: scene.regions))
        }
      }
    }
  }

#endif
