#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOTestSupport
  import Testing

  @testable import RangeIOS3

  @Suite(.timeLimit(.minutes(5))) struct S3MendingTests {
    @Test func `another region is found once and remembered for the bucket`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.region = "eu-central-1" }
        try await scene.expectContent(of: scene.source())
        #expect(scene.store.refusals == ["AuthorizationHeaderMalformed"])
        // Another source of the process knows it.
        try await scene.expectContent(of: scene.source())
        #expect(scene.store.refusals.count == 1)
        // The bucket has moved.
        scene.store.set { $0.region = "ap-south-1" }
        try await scene.expectContent(of: scene.source())
        #expect(scene.store.refusals.count == 2)
      }
    }

    @Test func `a region that changes with every answer ends with an explanation`() async throws {
      try await StoreScene.with { scene in
        let number = Mutexed(0)
        scene.server.script = ServerScript { _ in
          number.value += 1
          var answer = scene.store.error(
            400, "AuthorizationHeaderMalformed", "<Region>r-\(number.value)</Region>")
          answer.fields["Date"] = HTTPTime.text(HTTPTime.now)
          return answer
        }
        let error = await scene.failure(scene.source())
        #expect(error?.isTransient == false)
        #expect(number.value <= 4)
      }
    }

    @Test func `a wrong clock is learnt once, and an object is read`() async throws {
      for offset in [-7_200, 7_200, 40 * 86_400] {
        try await StoreScene.with { scene in
          scene.clockOffset.value = offset
          let source = scene.source()
          let description = try await source.describe()
          for start in stride(from: 0, to: 50_000, by: 10_000) {
            let bytes = try await source.read(start..<start + 100, of: description)
            #expect(Array(bytes) == StoreScene.content(start..<start + 100))
          }
          #expect(scene.store.refusals == ["RequestTimeTooSkewed"])
          await source.close()
        }
      }
    }

    @Test func `an expired token is replaced once, for all reads`() async throws {
      try await StoreScene.with(count: 1 << 20) { scene in
        let asked = Mutexed(0)
        var configuration = scene.configuration
        configuration.credentials = .provider {
          asked.value += 1
          return asked.value == 1 ? StoreScene.keys : StoreScene.others
        }
        let source = scene.source("s3://bucket/key", configuration)
        let description = try await source.describe()
        #expect(asked.value == 1)
        scene.store.set { _ = $0.expired.insert(StoreScene.keys.accessKeyID) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<32 {
            group.addTask {
              let range = index * 32_768..<(index + 1) * 32_768
              let bytes = try await source.read(range, of: description)
              #expect(Array(bytes) == StoreScene.content(range))
            }
          }
          try await group.waitForAll()
        }
        #expect(asked.value == 2)
        #expect(scene.store.refusals.allSatisfy { $0 == "ExpiredToken" })
        #expect(scene.server.log.requests.contains { $0["x-amz-security-token"] == "token" })
        await source.close()
      }
    }

    @Test func `an expired token that is not replaced is explained`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { _ = $0.expired.insert(StoreScene.keys.accessKeyID) }
        let error = await scene.failure(scene.source())
        #expect(error?.code == .permissionDenied && error?.isTransient == false)
        #expect(error?.message.contains("ExpiredToken") == true && error?.message.contains("new credentials") == true)
        #expect(scene.server.log.requestCount <= 3)
      }
    }

    @Test func `credentials that come expired are replaced before they are used`() async throws {
      try await StoreScene.with { scene in
        let asked = Mutexed(0)
        var configuration = scene.configuration
        configuration.credentials = .provider {
          asked.value += 1
          let (id, secret) = (StoreScene.keys.accessKeyID, StoreScene.keys.secretAccessKey)
          return S3Credentials(
            accessKeyID: id, secretAccessKey: secret, expiry: HTTPTime.now + 3_600 * (asked.value - 1))
        }
        let source = scene.source("s3://bucket/key", configuration)
        let description = try await source.describe()
        _ = try await source.read(70_000..<70_010, of: description)
        _ = try await source.read(80_000..<80_010, of: description)
        #expect(asked.value == 2)
        await source.close()
      }
    }

    @Test func `a wrong secret is explained and shown nowhere`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.credentials = .given(
          S3Credentials(accessKeyID: StoreScene.keys.accessKeyID, secretAccessKey: "hidden", sessionToken: "covered"))
        let source = scene.source("s3://bucket/key", configuration)
        let error = await scene.failure(source)
        #expect(error?.code == .permissionDenied && error?.message.contains("SignatureDoesNotMatch") == true)
        var texts = ["\(configuration)", "\(source.statistics())", error.map { "\($0)" } ?? ""]
        dump(configuration, to: &texts[0])
        dump(error as Any, to: &texts[2])
        for text in texts {
          #expect(!text.contains("hidden") && !text.contains("covered") && !text.contains("Signature="))
        }
      }
    }

    @Test func `a store that is busy is tried again by the stages`() async throws {
      try await StoreScene.with { scene in
        // MinIO has a code of its own.
        for busy in [scene.store.error(503, "SlowDown"), scene.store.error(503, "XMinioServerNotInitialized")] {
          scene.store.set { $0.answers = [busy] }
          let error = await scene.failure(scene.source())
          #expect(error?.isTransient == true)
          let reader = try await RangeReader(scene.source(), [.retrying()])
          scene.store.set { $0.answers = [busy, busy] }
          let bytes = try await reader.read(0..<1_000)
          #expect(Array(bytes) == StoreScene.content())
          await reader.close()
        }
      }
    }

    @Test func `what is not there is not found`() async throws {
      try await StoreScene.with { scene in
        for url in ["s3://bucket/other", "s3://other/key", "s3://bucket/key?versionId=none"] {
          let error = await scene.failure(scene.source(url))
          #expect(error?.code == .notFound, "\(url)")
          #expect(error?.source == url)
        }
      }
    }

    @Test func `a provider that hangs does not hold up a read that is cancelled`() async throws {
      try await StoreScene.with { scene in
        let provider = GatedProvider<S3Credentials>()
        var configuration = scene.configuration
        configuration.credentials = .provider(provider.value)
        let source = scene.source("s3://bucket/key", configuration)
        let task = Task { try await source.describe() }
        await provider.asked(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        let other = Task { try await source.describe() }
        await source.close()
        let error = await #expect(throws: ReadError.self) { _ = try await other.value }
        #expect(error?.code == .closed)
      }
    }
  }

#endif
