#if SharedCache
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOSharedCache

  /// Real engines that speak TLS.
  @Suite(.timeLimit(.minutes(5))) struct EngineTLSTests {
    private let patient = Duration.seconds(60)
    private let one = (key: SharedBlockKey(digest: [UInt8](repeating: 7, count: 32)), value: Bytes(1...200))

    /// True if a value can be put and comes back.
    private func works(
      _ engine: EngineProcess, at node: SharedCacheNode? = nil, _ tls: SharedCacheConnection.TLS
    ) async throws -> Bool {
      let store = try engine.store(at: node) {
        $0.tls = tls
        $0.connectTimeout = .seconds(60)
      }
      let isStored = await store.set([one], lifetime: .seconds(100)) == 1
      let answer = await store.get([one.key], lease: nil, within: patient)[0]
      await store.close()
      guard isStored, case .value(let value) = answer else { return false }
      return value == one.value
    }

    @Test(arguments: EngineProcess.Kind.allCases.filter(\.isInstalled))
    func `a node shows a certificate of its own name and of an issuer that is trusted, or gets nothing`(
      _ kind: EngineProcess.Kind
    ) async throws {
      let engine = try await EngineProcess.start(kind, certificate: .named)
      let trusted = [engine.certificate]
      let address = SharedCacheNode.host("127.0.0.1", port: try #require(engine.port), name: "engine")
      // The name of the node, and a name that is given.
      #expect(try await works(engine, .init(additionalTrustRoots: trusted)))
      #expect(try await works(engine, at: address, .init(serverName: "localhost", additionalTrustRoots: trusted)))
      // An address, and a name, that the certificate has not; and an issuer that nothing vouches for.
      #expect(try await !works(engine, at: address, .init(additionalTrustRoots: trusted)))
      #expect(try await !works(engine, .init(serverName: "cache.example", additionalTrustRoots: trusted)))
      #expect(try await !works(engine, .init()))
      try engine.end()
    }

    @Test(arguments: EngineProcess.Kind.allCases.filter(\.isInstalled))
    func `a certificate may be of the node's address`(_ kind: EngineProcess.Kind) async throws {
      let engine = try await EngineProcess.start(kind, certificate: .addressed)
      let address = SharedCacheNode.host("127.0.0.1", port: try #require(engine.port), name: "engine")
      #expect(try await works(engine, at: address, .init(additionalTrustRoots: [engine.certificate])))
      try engine.end()
    }

    @Test func `a name that is none, and files that are not there, are refused`() async throws {
      let node = SharedCacheNode.host("127.0.0.1", port: 1)
      for tls: SharedCacheConnection.TLS in [
        .init(serverName: "127.0.0.1"), .init(serverName: ""), .init(additionalTrustRoots: ["/nonexistent.pem"]),
      ] {
        var connection = SharedCacheConnection()
        connection.tls = tls
        let error = #expect(throws: ReadError.self) { try SharedCacheNodes(.memcached, [node], connection: connection) }
        #expect(error?.code == .invalidConfiguration)
      }
    }
  }
#endif
