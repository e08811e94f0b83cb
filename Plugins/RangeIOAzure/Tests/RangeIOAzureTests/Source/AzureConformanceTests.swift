#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIORemoteTesting
  import Testing

  @testable import RangeIOAzure

  /// Blob services that check every signature and answer oddly.
  @Suite(.timeLimit(.minutes(20))) struct AzureConformanceTests {
    private let store = BlobStore()

    init() throws {
      let key = try SharedKey(account: "maps", key: StoreScene.key)
      store.set { $0.keys = [key] }
    }

    @Sendable private func accepts(_ request: OddServer.Request) -> Bool {
      let fields = request.fields.all.map { ServedField($0.name, $0.value) }
      return store.accepts(ServerRequest(method: request.method, target: request.target, fields: fields))
    }

    @Sendable private func source(_ origin: String, _ remote: RemoteConfiguration) -> AzureSource {
      var configuration = AzureSource.Configuration()
      configuration.endpoint = origin + "/maps"
      configuration.credentials = .sharedKey(StoreScene.key)
      configuration.remote = remote
      return AzureSource(StoreScene.address, configuration: configuration)
    }

    @Test func `no odd answer makes a wrong read`() async throws {
      let secrets = [StoreScene.key, "SharedKey "]
      try await RemoteConformance.check(
        RunScale.third(from: 1, of: OddServer.Answer.all), secrets: secrets, accepts: accepts, source)
    }

    @Test func `many reads of a service that answers oddly have no wrong byte`() async throws {
      let figures = try await RemoteConformance.read(
        RunScale.reads, seed: RunScale.seed, accepts: accepts, source)
      print("figures: az, \(RunScale.reads) reads, seed \(RunScale.seed): \(figures) \(figures.errors)")
      #expect(figures.right > RunScale.reads / 4, "seed \(RunScale.seed): \(figures)")
    }
  }

#endif
