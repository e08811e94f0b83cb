#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOAzure

  /// A blob service on loopback, and sources that read it in surroundings of their own.
  struct StoreScene: Sendable {
    let store: BlobStore
    let server: LyingServer
    /// This machine's clock minus the right time, in seconds.
    let clockOffset = Shared(0)

    static let key = "Zmlyc3Qgc2VjcmV0"
    static let address = "az://maps/tiles/blob"

    /// Runs `body` with a store that accepts ``key`` and has `count` bytes at ``address``.
    static func with(count: Int = 100_000, _ body: (StoreScene) async throws -> Void) async throws {
      let store = BlobStore()
      let key = try SharedKey(account: "maps", key: key)
      store.set { $0.keys = [key] }
      store.put(ServedObject(count: count), at: "/maps/tiles/blob")
      try await LyingServer.with { server in
        server.script = store.script
        try await body(StoreScene(store: store, server: server))
      }
    }

    var configuration: AzureSource.Configuration { configuration(.sharedKey(Self.key)) }

    func configuration(_ credentials: AzureCredentials) -> AzureSource.Configuration {
      var configuration = AzureSource.Configuration()
      configuration.endpoint = server.origin + "/maps"
      configuration.credentials = credentials
      configuration.remote.proxy = .none
      return configuration
    }

    /// A source whose environment has `variables` only.
    func source(
      _ address: String = Self.address, _ configuration: AzureSource.Configuration? = nil,
      variables: [String: String] = [:], files: [String: String] = [:],
      output: @escaping @Sendable () -> String? = { nil }
    ) -> AzureSource {
      source(
        Result { () throws(ReadError) in try AzureAddress(address) }, configuration, variables: variables, files: files,
        output: output)
    }

    func source(
      _ address: Result<AzureAddress, ReadError>, _ configuration: AzureSource.Configuration?,
      variables: [String: String] = [:], files: [String: String] = [:],
      output: @escaping @Sendable () -> String? = { nil }
    ) -> AzureSource {
      var places = Scene(files: files, output: output()).places(variables)
      places.now = { [clockOffset] in HTTPTime.now + clockOffset.value }
      places.send = CredentialPlaces.sending
      return AzureSource(address, configuration ?? self.configuration, places)
    }

    /// Reads with a source and closes it.
    func reading<Value>(_ source: AzureSource, _ body: (AzureSource) async throws -> Value) async throws -> Value {
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
    func firstBytes(_ source: AzureSource, count: Int = 1_000) async throws -> [UInt8] {
      try await reading(source) { try await Array($0.read(0..<count, of: $0.describe())) }
    }

    /// Reads by `source`, which is closed after, and compares.
    func expectContent(of source: AzureSource, at location: SourceLocation = #_sourceLocation) async throws {
      let bytes = try await firstBytes(source)
      #expect(bytes == Self.content(), sourceLocation: location)
    }

    /// The error of a first read by `source`, which is closed after.
    func failure(_ source: AzureSource) async -> ReadError? {
      await #expect(throws: ReadError.self) { _ = try await firstBytes(source) }
    }

    /// Bytes of the blob of ``with(count:_:)``, by default the first.
    static func content(_ range: Range<Int> = 0..<1_000, version: Int = 1) -> [UInt8] {
      ServedObject.content(range, version: version)
    }
  }

  /// A value that a test changes.
  final class Shared<Value: Sendable>: Sendable {
    private let guarded: Guarded<Value>
    init(_ value: Value) { guarded = Guarded(value) }
    var value: Value {
      get { guarded.withLock { $0 } }
      set { guarded.withLock { $0 = newValue } }
    }
  }

  extension Shared<Int> {
    /// Adds one and returns the sum.
    func increment() -> Int {
      guarded.withLock { number in
        number += 1
        return number
      }
    }
  }

#endif
