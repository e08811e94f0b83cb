#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOGCS

  /// A store on loopback, and sources that read it in places of their own.
  struct GCSScene: Sendable {
    let store: MiniatureGCS
    let server: LyingServer
    /// This machine's clock minus the right time, in seconds.
    let clockOffset = Guarded(0)

    /// Runs `body` with a store that accepts `token-1` and has `count` bytes at `gs://bucket/key`, generation 100.
    static func with(count: Int = 100_000, _ body: (GCSScene) async throws -> Void) async throws {
      let store = MiniatureGCS()
      store.put(ServedObject(count: count), at: "bucket/key", generation: 100)
      try await LyingServer.with { server in
        server.script = store.script
        try await body(GCSScene(store: store, server: server))
      }
    }

    var configuration: GCSSource.Configuration {
      var configuration = GCSSource.Configuration()
      configuration.endpoint = server.origin
      configuration.api = .xml
      configuration.credentials = .token(GCSToken("token-1"))
      configuration.remote.proxy = .none
      return configuration
    }

    /// Places with `variables` and `files` only.
    func places(_ variables: [String: String] = [:], files: [String: String] = [:]) -> CredentialPlaces {
      CredentialPlaces(
        environment: variables, home: "/home/u", file: { files[$0] }, run: { _ in [] },
        send: CredentialPlaces.sending,
        now: { [clockOffset] in HTTPTime.now + clockOffset.withLock { $0 } })
    }

    func source(
      _ url: String = "gs://bucket/key", _ configuration: GCSSource.Configuration? = nil,
      variables: [String: String] = [:], files: [String: String] = [:]
    ) -> GCSSource {
      GCSSource(
        Result { () throws(ReadError) in try GCSAddress(url) }, configuration ?? self.configuration,
        places: places(variables, files: files))
    }

    /// Lists by a source of this scene.
    func listing(
      _ url: String, isRecursive: Bool = false, pageSize: Int? = nil, _ configuration: GCSSource.Configuration? = nil
    ) -> RemoteListing {
      GCSSource.listing(url, isRecursive: isRecursive, pageSize: pageSize, pipeline: []) { address in
        GCSSource(address, configuration ?? self.configuration, places: places())
      }
    }

    func expect(
      _ listing: RemoteListing, lists names: [String], at location: SourceLocation = #_sourceLocation
    ) async throws {
      let listed = try await listing.reduce(into: []) { $0.append($1.name) }
      #expect(listed == names, sourceLocation: location)
    }

    /// The first bytes by `source`, which is closed after.
    func firstBytes(_ source: GCSSource, count: Int = 1_000) async throws -> [UInt8] {
      do {
        let bytes = try await Array(source.read(0..<count, of: source.describe()))
        await source.close()
        return bytes
      } catch {
        await source.close()
        throw error
      }
    }

    /// Reads by `source`, which is closed after, and compares.
    func expectContent(of source: GCSSource, at location: SourceLocation = #_sourceLocation) async throws {
      let bytes = try await firstBytes(source)
      #expect(bytes == Self.content(), sourceLocation: location)
    }

    /// The error of a first read by `source`, which is closed after.
    func failure(_ source: GCSSource) async -> ReadError? {
      await #expect(throws: ReadError.self) { _ = try await firstBytes(source) }
    }

    /// Bytes of the object of ``with(count:_:)``, by default the first.
    static func content(_ range: Range<Int> = 0..<1_000, version: Int = 1) -> [UInt8] {
      ServedObject.content(range, version: version)
    }

    /// The URL of the service at `path`, which answers as `service` says.
    func service(_ path: String, _ service: @escaping @Sendable (ServerRequest) -> ScriptedAnswer) -> String {
      store.set { $0.services[path] = service }
      return server.url(path)
    }

    /// A service that gives new tokens, `prefix` and a number, good for so many seconds, and makes the store accept them
    /// alone.
    func tokens(_ path: String, _ prefix: String, lasting seconds: Int = 3_600) -> String {
      let number = Guarded(0)
      return service(path) { _ in
        let name = number.withLock { number in
          number += 1
          return "\(prefix)-\(number)"
        }
        return MiniatureGCS.json(
          "{\"access_token\": \"\(name)\", \"expires_in\": \(seconds), \"token_type\": \"Bearer\"}")
      }
    }
  }

#endif
