#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIORemoteTesting
  import Testing

  @testable import RangeIOGCS

  /// Stores that check every signature and answer oddly.
  @Suite(.timeLimit(.minutes(20))) struct GCSConformanceTests {
    private let store = MiniatureGCS()

    /// Not that of bytes under another coding. The suite gives it to the opening request too, and then it looks like an object
    /// that is stored so. Where the opening was another, `HeaderAnswerTests` of RangeIORemote have it.
    private static let answers = OddServer.Answer.all.filter { $0.name != "content encoding" }
    private let key = HMACKey(accessID: "GOOGTS7C7", secret: "a-secret-key")

    init() { store.set { [key] in $0.keys = [key.accessID: key] } }

    @Sendable private func accepts(_ request: OddServer.Request) -> Bool {
      let fields = request.fields.all.map { ServedField($0.name, $0.value) }
      return store.accepts(ServerRequest(method: request.method, target: request.target, fields: fields))
    }

    @Sendable private func source(_ origin: String, _ remote: RemoteConfiguration) -> GCSSource {
      var configuration = GCSSource.Configuration()
      configuration.endpoint = origin
      configuration.api = .xml
      configuration.credentials = .hmac(accessID: key.accessID, secret: key.secret)
      configuration.remote = remote
      return GCSSource("gs://bucket/folder/key", configuration: configuration)
    }

    @Test func `no odd answer makes a wrong read`() async throws {
      let secrets = [key.secret, "Signature="]
      try await RemoteConformance.check(
        RunScale.third(from: 2, of: Self.answers), secrets: secrets, accepts: accepts, source)
    }

    @Test func `many reads of a store that answers oddly have no wrong byte`() async throws {
      let figures = try await RemoteConformance.read(
        RunScale.reads, of: Self.answers, seed: RunScale.seed, accepts: accepts, source)
      print("figures: gs, \(RunScale.reads) reads, seed \(RunScale.seed): \(figures) \(figures.errors)")
      #expect(figures.right > RunScale.reads / 4, "seed \(RunScale.seed): \(figures)")
    }
  }

#endif
