#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOAzure

  /// Credentials that come by the wire, from services on loopback.
  @Suite(.timeLimit(.minutes(2))) struct AzureCredentialsTests {
    private let document = #"{"token_type": "Bearer", "expires_in": "3599", "access_token": "right"}"#

    /// Reads the blob with what `variables` lead to, by services that `answer`.
    private func read(
      _ variables: (LyingServer) -> [String: String], files: [String: String] = [:],
      _ answer: @escaping @Sendable (ServerRequest) -> ScriptedAnswer
    ) async throws {
      try await LyingServer.with { services in
        services.script = ServerScript { answer($0.request) }
        try await StoreScene.with { scene in
          scene.store.set { $0.accepted = ["Bearer right"] }
          let source = scene.source(
            StoreScene.address, scene.configuration(.standard), variables: variables(services), files: files)
          try await scene.expectContent(of: source)
          #expect(scene.server.log.requests.allSatisfy { $0["Authorization"] == "Bearer right" })
        }
        #expect(services.log.requestCount > 0)
      }
    }

    @Test func `the token service gives tokens for a secret and for a file`() async throws {
      let proofs: [(variables: [String: String], body: String)] = [
        (["AZURE_CLIENT_SECRET": "s"], "client_secret=s"),
        (["AZURE_FEDERATED_TOKEN_FILE": "/token"], "client_assertion=identity"),
      ]
      for proof in proofs {
        try await read(
          { services in
            ["AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_AUTHORITY_HOST": services.origin]
              .merging(proof.variables) { $1 }
          }, files: ["/token": "identity\n"]
        ) { [document, body = proof.body] request in
          let isRight =
            request.method == "POST" && request.target == "/t/oauth2/v2.0/token"
            && String(decoding: request.body, as: UTF8.self).hasSuffix("&\(body)")
          return isRight ? ScriptedAnswer(200, text: document) : ScriptedAnswer(400, text: "")
        }
      }
    }

    @Test func `the service of an app gives tokens`() async throws {
      try await read { services in
        ["IDENTITY_ENDPOINT": services.url("/msi/token"), "IDENTITY_HEADER": "h"]
      } _: { [document] request in
        let isRight = request.target.hasPrefix("/msi/token?api-version=2019") && request["X-IDENTITY-HEADER"] == "h"
        return isRight ? ScriptedAnswer(200, text: document) : ScriptedAnswer(401, text: "")
      }
    }

    @Test func `the metadata service gives tokens`() async throws {
      try await read { services in
        ["AZURE_POD_IDENTITY_AUTHORITY_HOST": services.origin]
      } _: { [document] request in
        request["Metadata"] == "true" ? ScriptedAnswer(200, text: document) : ScriptedAnswer(400, text: "{}")
      }
    }

    @Test func `a service that does not answer is not waited for`() async throws {
      try await LyingServer.with { services in
        services.script = ServerScript { _ in ScriptedAnswer(200, text: "late").interrupted(.stall, at: .head(0)) }
        try await StoreScene.with { scene in
          let source = scene.source(
            StoreScene.address, scene.configuration(.standard),
            variables: ["AZURE_POD_IDENTITY_AUTHORITY_HOST": services.origin])
          let error = await scene.failure(source)
          #expect(error?.code == .permissionDenied && error?.message.contains("does not answer") == true)
          #expect(scene.server.log.requestCount == 0)
        }
      }
    }

    @Test func `the connection string of the environment names the endpoint too`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration(.standard)
        configuration.endpoint = nil
        let text = "BlobEndpoint=\(scene.server.origin)/maps;AccountName=maps;AccountKey=\(StoreScene.key)"
        let variables = ["AZURE_STORAGE_CONNECTION_STRING": text]
        try await scene.expectContent(of: scene.source(StoreScene.address, configuration, variables: variables))
        configuration.credentials = .connectionString(text)
        try await scene.expectContent(of: scene.source(StoreScene.address, configuration))
        let error = await scene.failure(scene.source("az://other/tiles/blob", configuration))
        #expect(error?.code == .invalidConfiguration && error?.message.contains("'maps'") == true)
      }
    }

    private func source(_ address: String, _ credentials: AzureCredentials) -> AzureSource {
      var configuration = AzureSource.Configuration()
      configuration.credentials = credentials
      let variables = ["AZURE_STORAGE_SAS_TOKEN": "sv=1&sig=hidden"]
      return AzureSource(
        Result { () throws(ReadError) in try AzureAddress(address) }, configuration, Scene().places(variables))
    }

    @Test(arguments: [
      "https://maps.blob.evil.example/tiles/a", "https://maps.blob.core.windows.net.evil.example/tiles/a",
      "abfss://tiles@maps.dfs.evilcore.windows.net/a", "https://maps.blob.xcore.windows.net/tiles/a",
      "https://192.0.2.1/maps/tiles/a", "https://[2001:db8::1]/maps/tiles/a", "https://3221225985/maps/tiles/a",
      "https://0xc0000201/maps/tiles/a", "http://maps.blob.core.windows.example/tiles/a",
    ])
    func `credentials go to no server that only an address names`(_ address: String) async throws {
      for credentials in [
        AzureCredentials.standard, .sas("sv=1&sig=hidden"), .token { AzureToken("hidden") }, .managedIdentity(),
        .azureCLI, .sharedKey(StoreScene.key), .connectionString("AccountName=maps;AccountKey=\(StoreScene.key)"),
      ] {
        let source = source(address, credentials)
        let error = await #expect(throws: ReadError.self) { _ = try await source.object }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("none of Azure's") == true)
        #expect(error.map { !"\($0)".contains("hidden") } == true)
      }
      // What is sent there is its own.
      _ = try await source(address, .anonymous).object
      if address.hasPrefix("http") { _ = try await source(address + "?sv=1&sig=own", .standard).object }
    }

    @Test(arguments: [
      "https://maps.blob.core.windows.net/tiles/a", "https://maps-secondary.blob.core.windows.net/tiles/a",
      "https://maps.z01.blob.storage.azure.net/tiles/a", "abfss://tiles@maps.dfs.core.usgovcloudapi.net/a",
      "https://MAPS.blob.core.chinacloudapi.cn/tiles/a", "abfss://tiles@onelake.dfs.fabric.microsoft.com/a",
      "http://127.0.0.1:10000/maps/tiles/a", "http://[::1]:10000/maps/tiles/a", "http://azurite:10000/maps/tiles/a",
    ])
    func `credentials go to Azure's servers and to those nearby, by any address`(_ address: String) async throws {
      _ = try await source(address, .standard).object
    }

    @Test func `an address may name the server of the connection string`() async throws {
      let text = "BlobEndpoint=https://maps.blob.stack.example;AccountName=maps;AccountKey=\(StoreScene.key)"
      _ = try await source("https://maps.blob.stack.example/tiles/a", .connectionString(text)).object
    }

    @Test func `the key, the signature and az login of the environment read a blob`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.accepted = ["sv=1&sig=right", "Bearer right"] }
        let configuration = scene.configuration(.standard)
        for variables in [
          ["AZURE_STORAGE_ACCOUNT": "maps", "AZURE_STORAGE_KEY": StoreScene.key],
          ["AZURE_STORAGE_SAS_TOKEN": "?sv=1&sig=right"], ["AZURE_TOKEN_CREDENTIALS": "dev"],
        ] {
          let source = scene.source(
            StoreScene.address, configuration, variables: variables,
            output: { #"{"accessToken": "right", "expires_on": 4102444800}"# })
          try await scene.expectContent(of: source)
        }
        #expect(scene.store.refusals.isEmpty)
      }
    }
  }

#endif
