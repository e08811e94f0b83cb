#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Testing

  @testable import RangeIOAzure

  @Suite(.timeLimit(.minutes(2))) struct SecrecyTests {
    private func dumped(_ value: Any) -> String {
      var text = ""
      dump(value, to: &text)
      return text
    }

    private static let secret = "aGlkZGVuIHNlY3JldA=="

    private static let kinds: [AzureCredentials] = [
      .sharedKey(secret), .sas("sv=1&sig=\(secret)"), .token { AzureToken(secret) },
      .clientSecret(tenantID: "t", clientID: "c", secret: secret),
      .connectionString("AccountName=maps;AccountKey=\(secret)"),
    ]

    @Test(arguments: kinds.indices) func `texts of credentials and settings hide secrets`(_ index: Int) throws {
      var configuration = AzureSource.Configuration()
      configuration.credentials = Self.kinds[index]
      configuration.remote.headers = [("x-ms-encryption-key", Self.secret)]
      let access: [Any] = [
        try BlobAccess.key(SharedKey(account: "maps", key: Self.secret)), AzureToken(Self.secret),
        try SharedKey(account: "maps", key: Self.secret), try SASQuery("sv=1&sig=\(Self.secret)"),
        BlobAccess.sas(try SASQuery("sv=1&sig=\(Self.secret)")), BlobAccess.token(AzureToken(Self.secret)),
      ]
      for value in [configuration, configuration.credentials] as [Any] + access {
        for text in ["\(value)", String(reflecting: value), dumped(value), dumped([value])] {
          #expect(!text.contains("aGlk"), "\(text)")
        }
      }
    }

    @Test func `a dump of a source or a reader, and all errors, show no secret`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.accepted = ["sig=\(Self.secret)", "Bearer \(Self.secret)"] }
        for credentials in [
          AzureCredentials.sas("sv=1&sig=\(Self.secret)"), .token { AzureToken(Self.secret) }, .sharedKey(Self.secret),
        ] {
          var configuration = scene.configuration(credentials)
          configuration.remote.headers = [("x-ms-encryption-key", Self.secret)]
          let source = scene.source(
            StoreScene.address, configuration, variables: ["AZURE_STORAGE_KEY": Self.secret])
          var texts = [dumped(source), "\(source)", String(reflecting: source)]
          do {
            let reader = try await RangeReader(source)
            _ = try await reader.read(0..<10)
            texts += [
              dumped(reader), "\(reader.statistics())", reader.source.id, reader.source.name, dumped(reader.source),
            ]
            scene.store.set { $0.accepted = [] }
            _ = try await reader.read(80_000..<80_010)
          } catch { texts += ["\(error)", dumped(error)] }
          for text in texts { #expect(!text.contains("aGlk") && !text.contains("sig="), "\(text)") }
          #expect(texts[0].contains(StoreScene.address))
          await source.close()
          scene.store.set { $0.accepted = ["sig=\(Self.secret)", "Bearer \(Self.secret)"] }
        }
      }
    }

    @Test func `a signature in a URL is in no name, identity or error`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration(.standard)
        configuration.endpoint = nil
        let source = scene.source(scene.server.url("/maps/tiles/blob?sv=1&sig=\(Self.secret)"), configuration)
        let error = await scene.failure(source)
        #expect(error?.code == .permissionDenied)
        for text in [source.name, "\(error as Any)", dumped(error as Any), dumped(source)] {
          #expect(!text.contains("aGlk"), "\(text)")
        }
      }
    }

    @Test(arguments: ["token\r\nX-Evil: 1", "token\n"])
    func `a token that cannot stand in a head is refused, and neither sent nor shown`(_ token: String) async throws {
      try await StoreScene.with { scene in
        let configuration = scene.configuration(.token { AzureToken(token) })
        let error = await scene.failure(scene.source(StoreScene.address, configuration))
        #expect(error?.code == .permissionDenied && error?.isTransient == false, "\(error as Any)")
        #expect(error.map { !"\($0)".contains("Evil") && $0.message.contains("Authorization") } == true)
        #expect(scene.server.log.requestCount == 0)
      }
    }
  }

#endif
