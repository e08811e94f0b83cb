#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  @Suite(.timeLimit(.minutes(2))) struct SecrecyTests {
    private func dumped(_ value: Any) -> String {
      var text = ""
      dump(value, to: &text)
      return text
    }

    @Test func `a dump of a source or a reader shows no secret`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.remote.headers = [("x-amz-meta-key", "first secret")]
        let source = scene.source(
          "s3://bucket/key", configuration, variables: ["AWS_SECRET_ACCESS_KEY": "first secret"])
        #expect(!dumped(source).contains("first secret"))
        let reader = try await RangeReader(source)
        _ = try await reader.read(0..<10)
        for text in [dumped(source), dumped(reader), "\(source)", String(reflecting: source), "\(reader.statistics())"]
        {
          #expect(!text.contains("first secret"), "\(text)")
        }
        #expect(dumped(source).contains("s3://bucket/key"))
        await reader.close()
        let url = scene.server.url("/bucket/key").replacing("http://", with: "http://u:first%20secret@")
        configuration.remote.headers = [("X-Key", "first secret")]
        scene.store.set { $0.isPublic = true }
        scene.server.script = ServerScript { $0.honest }
        scene.server.objects.put(ServedObject(count: 10), at: "/bucket/key")
        let web = try await RangeReader(contentsOf: url, configuration: configuration)
        #expect(!dumped(web).contains("first secret") && !dumped(web).contains("first%20secret"))
        await web.close()
      }
    }

    @Test func `credentials of the transport are refused, not passed over`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.remote.credentials = .bearer("a-secret")
        let error = await scene.failure(scene.source("s3://bucket/key", configuration))
        #expect(error?.code == .invalidConfiguration && error?.message.contains("remote.credentials") == true)
        #expect(error.map { !"\($0)".contains("a-secret") } == true)
        configuration.remote.credentials = nil
        configuration.remote.headers = [("authorization", "a-secret")]
        let other = await scene.failure(scene.source("s3://bucket/key", configuration))
        #expect(other?.code == .invalidConfiguration && other?.message.contains("authorization") == true)
        #expect(scene.server.log.requestCount == 0)
        // No signature takes its place.
        configuration.credentials = .anonymous
        _ = await scene.failure(scene.source("s3://bucket/key", configuration))
        #expect(scene.server.log.requests.last?["authorization"] == "a-secret")
      }
    }

    @Test(arguments: ["Code", "Message"])
    func `a store that repeats a signature or a token does not have it shown`(_ element: String) async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        let signatures = Guarded<[String]>([])
        // The end of a long text is not shown, but a part of a token is not either.
        let token = String(repeating: "hiddenToken", count: 60)
        configuration.credentials = .given(
          S3Credentials(accessKeyID: "AKIDSECOND", secretAccessKey: "second secret", sessionToken: token))
        for repeatsToken in [false, true] {
          scene.server.script = ServerScript { asked in
            let signature = String(asked.request["Authorization"]?.split(separator: "=").last ?? "")
            signatures.withLock { $0.append(signature) }
            let text = repeatsToken ? "bad token: \(token)" : signature
            return ScriptedAnswer(403, text: "<Error><\(element)>\(text)</\(element)></Error>", type: "application/xml")
          }
          let error = try #require(await scene.failure(scene.source("s3://bucket/key", configuration)))
          let text = "\(error) \(String(reflecting: error))"
          #expect(error.code == .permissionDenied && !text.contains("hiddenToken"))
          #expect(!signatures.withLock { $0.isEmpty || $0.contains { text.contains($0) } }, "\(text)")
        }
      }
    }

    @Test(arguments: ["token\r\nX-Evil: 1", "token\n"])
    func `a session token that cannot stand in a head is refused, and neither sent nor shown`(_ token: String)
      async throws
    {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .given(
          S3Credentials(accessKeyID: "AKIDSECOND", secretAccessKey: "second secret", sessionToken: token))
        let error = await scene.failure(scene.source("s3://bucket/key", configuration))
        #expect(error?.code == .permissionDenied && error?.isTransient == false, "\(error as Any)")
        #expect(error.map { !"\($0)".contains("Evil") && $0.message.contains("x-amz-security-token") } == true)
        #expect(scene.server.log.requestCount == 0)
      }
    }
  }
#endif
