#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOTesting
  import Testing

  @testable import RangeIOS3

  /// A bucket in moto.
  struct MotoBucket: Sendable {
    let server: RealServer
    let name: String

    /// Makes a bucket.
    static func make(_ server: RealServer, _ name: String, keepsVersions: Bool = false) async throws -> MotoBucket {
      let bucket = MotoBucket(server: server, name: name)
      try await bucket.send("PUT", "/\(name)")
      if keepsVersions {
        let document = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
        try await bucket.send("PUT", "/\(name)?versioning", Array(document.utf8))
      }
      return bucket
    }

    /// Puts an object at an encoded key.
    func put(_ bytes: Bytes, at key: String) async throws { try await send("PUT", "/\(name)/\(key)", Array(bytes)) }

    private func send(_ method: String, _ target: String, _ body: [UInt8] = []) async throws {
      // moto checks no signature, but who is to have signed: nobody in particular may not overwrite.
      let fields = HeaderFields([
        "Authorization": "AWS4-HMAC-SHA256 Credential=AKID/20260102/us-east-1/s3/aws4_request, SignedHeaders=host, "
          + "Signature=0"
      ])
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      let answer = try await SmallExchange.send(
        method: method, url: try ObjectURL(server.url(target)), fields: fields, body: body, timeout: .seconds(30),
        limit: 65_536, configuration: configuration)
      try #require(
        (200...204).contains(answer.status), "\(method) \(target): \(String(decoding: answer.body, as: UTF8.self))")
    }

    func source(_ key: String) -> S3Source {
      var configuration = S3Source.Configuration()
      configuration.endpoint = server.url("")
      configuration.region = "us-east-1"
      configuration.remote.proxy = .none
      configuration.credentials = .given(S3Credentials(accessKeyID: "AKID", secretAccessKey: "secret"))
      return S3Source("s3://\(name)/\(key)", configuration: configuration)
    }
  }

  @Suite(.timeLimit(.minutes(5)), .enabled(if: RealServer.Kind.moto.isUsable)) struct MotoTests {
    private func content(_ range: Range<Int>, version: UInt64 = 0) -> Bytes {
      SyntheticSource.bytes(range, version: version)
    }

    @Test func `an object in moto is a source`() async throws {
      try await RealServer.with(.moto) { server in
        let bucket = try await MotoBucket.make(server, "plain")
        let contents = content(0..<300_000)
        try await bucket.put(contents, at: "a/b%20c")
        try await SourceConformance.check(of: contents, rounds: 20) { bucket.source("a/b c") }
        try await bucket.put(Bytes(), at: "empty")
        let reader = try await RangeReader(bucket.source("empty"))
        #expect(reader.byteCount == 0)
        await reader.close()
        let error = await #expect(throws: ReadError.self) { _ = try await RangeReader(bucket.source("missing")) }
        #expect(error?.code == .notFound)
      }
    }

    @Test func `random ranges are those of the object`() async throws {
      try await RealServer.with(.moto) { server in
        let bucket = try await MotoBucket.make(server, "random")
        let count = 1 << 20
        try await bucket.put(content(0..<count), at: "key")
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SplitMix(seed)
        let source = bucket.source("key")
        let description = try await source.describe()
        for _ in 0..<100 {
          let start = Int(random.next() % UInt64(count))
          let end = min(count, start + 1 + Int(random.next() % 100_000))
          #expect(try await source.read(start..<end, of: description) == content(start..<end), "seed \(seed)")
        }
        await source.close()
      }
    }

    @Test func `overwritten while it is read: the old version in a bucket with versions, an error in another`()
      async throws
    {
      try await RealServer.with(.moto) { server in
        let count = 200_000
        for keepsVersions in [true, false] {
          let bucket = try await MotoBucket.make(server, "v-\(keepsVersions)", keepsVersions: keepsVersions)
          try await bucket.put(content(0..<count), at: "key")
          let source = bucket.source("key")
          let description = try await source.describe()
          #expect(try await source.read(0..<1_000, of: description) == content(0..<1_000))
          try await bucket.put(content(0..<count, version: 1), at: "key")
          do {
            let bytes = try await source.read(1_000..<count, of: description)
            #expect(keepsVersions && bytes == content(1_000..<count))
          } catch let error as ReadError {
            #expect(!keepsVersions && error.code == .sourceChanged)
          }
          let now = try await source.describe()
          #expect(try await source.read(0..<count, of: now) == content(0..<count, version: 1))
          await source.close()
        }
      }
    }
  }

  /// Numbers that depend on a seed.
  struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

#endif
