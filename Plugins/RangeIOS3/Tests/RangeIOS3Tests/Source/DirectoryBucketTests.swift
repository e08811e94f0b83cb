#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Testing

  @testable import RangeIOS3

  /// Directory buckets (S3 Express One Zone), which are read in sessions.
  @Suite(.timeLimit(.minutes(2))) struct DirectoryBucketTests {
    private static let bucket = "base--use1-az4--x-s3"

    private func with(_ body: (StoreScene) async throws -> Void) async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 100_000), at: "/\(Self.bucket)/a/key")
        try await body(scene)
      }
    }

    private func source(
      _ scene: StoreScene, _ configuration: S3Source.Configuration? = nil, _ variables: [String: String] = [:]
    ) -> S3Source {
      scene.source("s3://\(Self.bucket)/a/key", configuration, variables: variables)
    }

    @Test func `objects are read with the keys of one session, for reading only`() async throws {
      try await with { scene in
        try await scene.reading(source(scene)) { source in
          let description = try await source.describe()
          for start in stride(from: 0, to: 50_000, by: 10_000) {
            let bytes = try await source.read(start..<start + 10_000, of: description)
            #expect(Array(bytes) == StoreScene.content(start..<start + 10_000))
          }
        }
        #expect(scene.store.refusals.isEmpty && scene.store.set { $0.sessions } == 1)
        let (first, others) = (scene.server.log.requests.first, scene.server.log.requests.dropFirst())
        #expect(first?.target == "/\(Self.bucket)/?session" && first?["x-amz-create-session-mode"] == "ReadOnly")
        #expect(!others.isEmpty)
        #expect(others.allSatisfy { $0["x-amz-s3session-token"] == "session 1" && $0["x-amz-security-token"] == nil })
      }
    }

    @Test func `a session that ends is followed by another, by the clock and by the server's word`() async throws {
      try await with { scene in
        try await scene.reading(source(scene)) { source in
          let description = try await source.describe()
          // Less than the thirty seconds are left that a signature needs.
          scene.clockOffset.value = 280
          scene.store.set { $0.clockOffset = 280 }
          // Not the first bytes, which came with the description.
          #expect(
            try await Array(source.read(80_000..<81_000, of: description)) == StoreScene.content(80_000..<81_000))
          #expect(scene.store.set { $0.sessions } == 2)
          scene.store.set { _ = $0.expired.insert("SESSION2") }
          #expect(
            try await Array(source.read(90_000..<91_000, of: description)) == StoreScene.content(90_000..<91_000))
          #expect(scene.store.set { $0.sessions } == 3)
        }
        #expect(scene.store.refusals == ["ExpiredToken"])
      }
    }

    @Test func `credentials that have ended are replaced before a session begins`() async throws {
      try await with { scene in
        scene.store.set { _ = $0.expired.insert(StoreScene.keys.accessKeyID) }
        let asked = Mutexed(0)
        var configuration = scene.configuration
        configuration.credentials = .provider {
          asked.value += 1
          return asked.value == 1 ? StoreScene.keys : StoreScene.others
        }
        try await scene.expectContent(of: source(scene, configuration))
        #expect(asked.value == 2 && scene.store.refusals == ["ExpiredToken"])
      }
    }

    @Test func `a clock that is wrong is learnt when a session begins`() async throws {
      try await with { scene in
        scene.clockOffset.value = -7_200
        try await scene.expectContent(of: source(scene))
        #expect(scene.store.refusals == ["RequestTimeTooSkewed"])
      }
    }

    @Test func `a session that is refused says the code and what to do, and no secret`() async throws {
      try await with { scene in
        scene.store.set { $0.accepted[StoreScene.keys.accessKeyID] = StoreScene.others }
        let error = await scene.failure(source(scene))
        #expect(error?.code == .permissionDenied && error?.message.contains("s3express:CreateSession") == true)
        #expect(error.map { !"\($0)".contains("secret") && !"\($0)".contains("AKIDFIRST") } == true)
        scene.store.set { $0.isPublic = true }
        var configuration = scene.configuration
        configuration.credentials = .anonymous
        try await scene.expectContent(of: source(scene, configuration))
      }
    }

    @Test func `sessions may be switched off`() async throws {
      try await with { scene in
        try await scene.expectContent(of: source(scene, nil, ["AWS_S3_DISABLE_EXPRESS_SESSION_AUTH": "true"]))
        #expect(scene.store.set { $0.sessions } == 0)
        #expect(
          scene.server.log.requests.allSatisfy {
            $0["x-amz-s3session-token"] == nil && $0["Authorization"]?.contains("/s3express/") == true
          })
      }
    }
  }

#endif
