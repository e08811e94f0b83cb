#if S3
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOTesting
  import Testing

  @testable import RangeIOS3

  @Suite(.timeLimit(.minutes(5))) struct S3ReadingTests {
    @Test func `an object of a bucket is a source`() async throws {
      try await StoreScene.with { scene in
        try await SourceConformance.check(of: Bytes(StoreScene.content(0..<100_000))) { scene.source() }
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `a name of one's own identifies an object in caches`() async throws {
      try await StoreScene.with { scene in
        let source = S3Source("s3://bucket/key", identifiedBy: "planet", configuration: scene.configuration)
        let description = try await scene.reading(source) { try await $0.describe() }
        #expect(description.id == "name:planet" && description.name == "s3://bucket/key")
      }
    }

    @Test(arguments: [
      "key", "a b", "a+b", "a//b/../c/.", "..", "é/日本語", "e\u{301}", "a%20b", "a@b:c=d", "!'()*$,;&", "what?", "#",
      "/lead", "trail/",
      "\"<>\\^`{|}[]", "~-_.", "x/\u{1}",
    ])
    func `the path on the wire is the one that was signed`(_ key: String) async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 1_000), at: "/bucket/" + key)
        let address = try S3Address(bucket: "bucket", key: key)
        try await scene.expectContent(of: scene.source(address.description))
        #expect(scene.store.refusals.isEmpty)
        #expect(scene.server.log.requests.allSatisfy { $0.target == "/bucket/" + ObjectURL.encodedPath(key) })
      }
    }

    @Test func `the fields of a user and the payer's promise are sent and signed`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.demandsPayment = true }
        let refused = await scene.failure(scene.source())
        #expect(refused?.code == .permissionDenied && refused?.message.contains("requesterPays") == true)
        var configuration = scene.configuration
        configuration.requesterPays = true
        configuration.remote.headers = [("x-amz-meta-who", "me  and you"), ("X-Other", "x")]
        scene.server.log.clear()
        try await scene.expectContent(of: scene.source("s3://bucket/key", configuration))
        for request in scene.server.log.requests {
          #expect(request["x-amz-meta-who"] == "me  and you" && request["X-Other"] == "x")
          let signed = request["Authorization"] ?? ""
          #expect(signed.contains("x-amz-meta-who;x-amz-request-payer") && !signed.contains("x-other"))
          #expect(!signed.contains("accept-encoding"))
        }
      }
    }

    @Test func `an object that was stored with an encoding is read as it is stored, if asked for`() async throws {
      try await StoreScene.with { scene in
        let store = scene.store
        for (coding, isRead) in [("gzip", false), ("UTF-8", true)] {
          scene.server.script = ServerScript { context in
            var answer = store.script.answer(context)
            answer.fields["Content-Encoding"] = coding
            return answer
          }
          if isRead {
            try await scene.expectContent(of: scene.source())
          } else {
            let refused = await scene.failure(scene.source())
            #expect(refused?.message.contains("acceptsEncoded") == true && refused?.message.contains(coding) == true)
          }
          var configuration = scene.configuration
          configuration.remote.acceptsEncoded = true
          try await scene.expectContent(of: scene.source("s3://bucket/key", configuration))
        }
      }
    }

    @Test func `AWS_CA_BUNDLE names the roots that are trusted`() async throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("bundle-\(UUID().uuidString).pem")
      try Data(TestCertificate.pem.utf8).write(to: file)
      // `try?`: what stays behind is the system's to clean.
      defer { try? FileManager.default.removeItem(at: file) }
      let store = MiniatureStore()
      store.set { $0.isPublic = true }
      store.put(ServedObject(count: 100_000), at: "/bucket/key")
      try await LyingServer.with(.tls()) { server in
        server.script = store.script
        let scene = StoreScene(store: store, server: server)
        var configuration = scene.configuration
        configuration.credentials = .anonymous
        let source = scene.source("s3://bucket/key", configuration, variables: ["AWS_CA_BUNDLE": file.path])
        try await scene.expectContent(of: source)
        let refused = await scene.failure(scene.source("s3://bucket/key", configuration))
        #expect(refused?.message.contains("not trusted") == true)
        // What the program sets itself goes before.
        configuration.remote.trustRootFile = file.path
        let own = scene.source("s3://bucket/key", configuration, variables: ["AWS_CA_BUNDLE": "/none/bundle.pem"])
        try await scene.expectContent(of: own)
      }
    }

    @Test func `an anonymous reader sends no signature`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .anonymous
        let refused = await scene.failure(scene.source("s3://bucket/key", configuration))
        #expect(refused?.code == .permissionDenied && refused?.message.contains("anonymous") == true)
        scene.store.set { $0.isPublic = true }
        try await scene.expectContent(of: scene.source("s3://bucket/key", configuration))
        #expect(scene.server.log.requests.allSatisfy { $0["Authorization"] == nil && $0["x-amz-date"] == nil })
      }
    }

    @Test func `endpoint, region and credentials come from the environment and the profile`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.region = "mars-1" }
        var configuration = S3Source.Configuration()
        configuration.remote.proxy = .none
        let variables = [
          "AWS_ENDPOINT_URL_S3": scene.server.origin, "AWS_REGION": "mars-1", "AWS_ACCESS_KEY_ID": "AKIDFIRST",
          "AWS_SECRET_ACCESS_KEY": "first secret",
        ]
        let one = scene.source("s3://bucket/key", configuration, variables: variables)
        try await scene.expectContent(of: one)
        configuration.credentials = .profile("work")
        let files = [
          "/home/u/.aws/config": "[profile work]\nregion = mars-1\nendpoint_url = \(scene.server.origin)\n",
          "/home/u/.aws/credentials": "[work]\naws_access_key_id = AKIDFIRST\naws_secret_access_key = first secret\n",
        ]
        let other = scene.source("s3://bucket/key", configuration, files: files)
        try await scene.expectContent(of: other)
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `a presigned URL is read as plain HTTP`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.isPublic = true }
        let source = scene.source("s3://bucket/a b?versionId=x/y")
        let url = try await source.presignedURL(expiresIn: .seconds(60))
        #expect(url.hasPrefix("\(scene.server.origin)/bucket/a%20b?versionId=x%2Fy&X-Amz-Algorithm="))
        scene.store.put(ServedObject(count: 1_000), at: "/bucket/a b", version: "x/y")
        let reader = try await RangeReader(contentsOf: url, configuration: scene.configuration)
        #expect(try await Array(reader.read(0..<1_000)) == StoreScene.content())
        // The last 64 digits are the signature.
        #expect(!reader.source.name.contains(url.suffix(64)) && !reader.source.id.contains(url.suffix(64)))
        await reader.close()
        for duration in [Duration.zero, .seconds(604_801)] {
          await #expect(throws: ReadError.self) { _ = try await source.presignedURL(expiresIn: duration) }
        }
        await source.close()
      }
    }

    @Test func `a reader with the ready-made stages reads s3 and http`() async throws {
      try await StoreScene.with { scene in
        let reader = try await RangeReader(contentsOf: "s3://bucket/key", configuration: scene.configuration)
        let ranges = [5..<50, 70_000..<99_999]
        #expect(try await reader.read(ranges).map { Array($0) } == ranges.map { StoreScene.content($0) })
        #expect(reader.source.name == "s3://bucket/key")
        await reader.close()
        scene.store.set { $0.isPublic = true }
        let plain = try await RangeReader(
          contentsOf: scene.server.url("/bucket/key"), configuration: scene.configuration)
        #expect(try await Array(plain.read(5..<50)) == StoreScene.content(5..<50))
        await plain.close()
      }
      for url in ["ftp://x/y", "/a/path", "s3://bucket", ""] {
        let error = await #expect(throws: ReadError.self) { _ = try await RangeReader(contentsOf: url) }
        #expect(error?.code == .invalidConfiguration, "\(url)")
      }
    }

    @Test func `a closed source throws closed, also before its first use`() async throws {
      try await StoreScene.with { scene in
        let source = scene.source()
        let description = try await source.describe()
        await source.close()
        let late = await #expect(throws: ReadError.self) { _ = try await source.read(0..<1, of: description) }
        #expect(late?.code == .closed)
        let unused = scene.source()
        await unused.close()
        let first = await #expect(throws: ReadError.self) { _ = try await unused.describe() }
        #expect(first?.code == .closed)
      }
    }
  }

#endif
