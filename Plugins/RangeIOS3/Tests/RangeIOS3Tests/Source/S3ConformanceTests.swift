#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIORemoteTesting
  import Testing

  @testable import RangeIOS3

  /// Stores that check every signature and answer oddly.
  @Suite(.timeLimit(.minutes(20))) struct S3ConformanceTests {
    private let store = MiniatureStore()

    init() { store.set { $0.accepted = [StoreScene.keys.accessKeyID: StoreScene.keys] } }

    @Sendable private func accepts(_ request: OddServer.Request) -> Bool {
      let fields = request.fields.all.map { ServedField($0.name, $0.value) }
      return store.accepts(ServerRequest(method: request.method, target: request.target, fields: fields))
    }

    @Sendable private func source(_ origin: String, _ remote: RemoteConfiguration) -> S3Source {
      var configuration = S3Source.Configuration()
      configuration.endpoint = origin
      configuration.region = "us-east-1"
      configuration.credentials = .given(StoreScene.keys)
      configuration.remote = remote
      return S3Source("s3://bucket/folder/key", configuration: configuration)
    }

    @Test func `no odd answer makes a wrong read`() async throws {
      let secrets = [StoreScene.keys.secretAccessKey, "Signature="]
      try await RemoteConformance.check(
        RunScale.third(from: 0, of: OddServer.Answer.all), secrets: secrets, accepts: accepts, source)
    }

    @Test func `many reads of a store that answers oddly have no wrong byte`() async throws {
      let figures = try await RemoteConformance.read(
        RunScale.reads, seed: RunScale.seed, accepts: accepts, source)
      print("figures: s3, \(RunScale.reads) reads, seed \(RunScale.seed): \(figures) \(figures.errors)")
      #expect(figures.right > RunScale.reads / 4, "seed \(RunScale.seed): \(figures)")
    }
  }

#endif
