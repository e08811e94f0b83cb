#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  /// A store on loopback, and sources that read it in places of their own.
  struct StoreScene: Sendable {
    let store: MiniatureStore
    let server: LyingServer
    /// Shared by the sources of the scene, and by no other test.
    let regions = BucketRegions()
    /// This machine's clock minus the right time, in seconds.
    let clockOffset = Mutexed(0)

    static let keys = S3Credentials(accessKeyID: "AKIDFIRST", secretAccessKey: "first secret")
    static let others = S3Credentials(
      accessKeyID: "AKIDSECOND", secretAccessKey: "second secret", sessionToken: "token")

    /// Runs `body` with a store that accepts ``keys`` and has `count` bytes at `s3://bucket/key`.
    static func with(count: Int = 100_000, _ body: (StoreScene) async throws -> Void) async throws {
      let store = MiniatureStore()
      store.set { $0.accepted = [keys.accessKeyID: keys, others.accessKeyID: others] }
      store.put(ServedObject(count: count), at: "/bucket/key")
      try await LyingServer.with { server in
        server.script = store.script
        try await body(StoreScene(store: store, server: server))
      }
    }

    var configuration: S3Source.Configuration {
      var configuration = S3Source.Configuration()
      configuration.endpoint = server.origin
      configuration.region = "us-east-1"
      configuration.credentials = .given(Self.keys)
      configuration.remote.proxy = .none
      return configuration
    }

    /// A source whose environment has `variables` only.
    ///
    /// - Parameters:
    ///   - isPatient: waits for services as long as a busy machine takes, not for a second or two.
    ///   - output: what a program prints.
    func source(
      _ url: String = "s3://bucket/key", _ configuration: S3Source.Configuration? = nil,
      variables: [String: String] = [:], files: [String: String] = [:], isPatient: Bool = false,
      output: @escaping @Sendable () -> String = { "" }
    ) -> S3Source {
      source(
        Result { () throws(ReadError) in try S3Address(url) }, configuration, variables: variables, files: files,
        isPatient: isPatient, output: output)
    }

    func source(
      _ address: Result<S3Address, ReadError>, _ configuration: S3Source.Configuration?,
      variables: [String: String] = [:], files: [String: String] = [:], isPatient: Bool = false,
      output: @escaping @Sendable () -> String = { "" }
    ) -> S3Source {
      var places = Scene(files: files, output: output()).places(variables)
      places.now = { [clockOffset] in HTTPTime.now + clockOffset.value }
      places.send = { request in
        var request = request
        if isPatient { request.timeout = .seconds(60) }
        return try await CredentialPlaces.sending(request)
      }
      return S3Source(address, configuration ?? self.configuration, places: places, regions: regions)
    }

    /// Reads with a source and closes it.
    func reading<Value>(_ source: S3Source, _ body: (S3Source) async throws -> Value) async throws -> Value {
      do {
        let value = try await body(source)
        await source.close()
        return value
      } catch {
        await source.close()
        throw error
      }
    }

    /// The first bytes by `source`, which is closed after.
    func firstBytes(_ source: S3Source, count: Int = 1_000) async throws -> [UInt8] {
      try await reading(source) { try await Array($0.read(0..<count, of: $0.describe())) }
    }

    /// Reads by `source`, which is closed after, and compares.
    func expectContent(of source: S3Source, at location: SourceLocation = #_sourceLocation) async throws {
      let bytes = try await firstBytes(source)
      #expect(bytes == Self.content(), sourceLocation: location)
    }

    /// The error of a first read by `source`, which is closed after.
    func failure(_ source: S3Source) async -> ReadError? {
      await #expect(throws: ReadError.self) { _ = try await firstBytes(source) }
    }

    /// Bytes of the object of ``with(count:_:)``, by default the first.
    static func content(_ range: Range<Int> = 0..<1_000, version: Int = 1) -> [UInt8] {
      ServedObject.content(range, version: version)
    }
  }

  /// A value that a test changes.
  final class Mutexed<Value: Sendable>: Sendable {
    private let mutex: Guarded<Value>
    init(_ value: Value) { mutex = Guarded(value) }
    var value: Value {
      get { mutex.withLock { $0 } }
      set { mutex.withLock { $0 = newValue } }
    }
  }

#endif
