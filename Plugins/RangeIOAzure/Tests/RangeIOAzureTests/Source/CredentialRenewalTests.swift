#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOAzure

  /// Every way to get tokens and signatures, with some that end in the middle of reading.
  @Suite(.timeLimit(.minutes(5))) struct CredentialRenewalTests {
    enum Way: CaseIterable {
      case sasProvider, tokenProvider, clientSecret, workloadIdentity, machine, app, azureCLI

      /// The credentials; `next` names the next ones.
      func credentials(_ origin: String, _ next: @escaping @Sendable () -> String) -> AzureCredentials {
        switch self {
        case .sasProvider: .sas { "sv=1&se=2099-01-01&sig=\(next())" }
        case .tokenProvider: .token { AzureToken(next(), expiry: 4_102_444_800) }
        case .clientSecret: .clientSecret(tenantID: "t", clientID: "c", secret: "hidden", authorityHost: origin)
        case .workloadIdentity, .machine, .app: .standard
        case .azureCLI: .azureCLI
        }
      }

      func variables(_ origin: String) -> [String: String] {
        switch self {
        case .workloadIdentity:
          [
            "AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_FEDERATED_TOKEN_FILE": "/token",
            "AZURE_AUTHORITY_HOST": origin,
          ]
        case .machine: ["AZURE_POD_IDENTITY_AUTHORITY_HOST": origin]
        case .app: ["IDENTITY_ENDPOINT": "\(origin)/app", "IDENTITY_HEADER": "hidden"]
        default: [:]
        }
      }
    }

    @Test(arguments: Way.allCases)
    func `credentials that end while a stream is read are replaced`(_ way: Way) async throws {
      try await StoreScene.with(count: 1 << 20) { scene in
        let given = Shared(0)
        let next: @Sendable () -> String = { "hidden\(given.increment())" }
        let document: @Sendable () -> String = {
          #"{"access_token": "\#(next())", "accessToken": "hidden\#(given.value)", "expires_on": 4102444800}"#
        }
        func accept(_ number: Int) {
          scene.store.set { $0.accepted = ["sig=hidden\(number)", "Bearer hidden\(number)"] }
        }
        try await LyingServer.with { server in
          server.script = ServerScript { context in
            let isRight =
              switch context.request.path {
              case "/t/oauth2/v2.0/token": context.request.method == "POST"
              case "/metadata/identity/oauth2/token": context.request["Metadata"] == "true"
              case "/app": context.request["X-IDENTITY-HEADER"] == "hidden"
              default: false
              }
            return isRight ? ScriptedAnswer(200, text: document()) : ScriptedAnswer(404, text: "hidden")
          }
          let configuration = scene.configuration(way.credentials(server.origin, next))
          let source = scene.source(
            StoreScene.address, configuration, variables: way.variables(server.origin),
            files: ["/token": "hidden identity"], output: document)
          accept(1)
          let reader = try await RangeReader(source)
          var place = 0
          for range in [0..<1 << 19, 1 << 19..<1 << 20] {
            for try await piece in reader.stream(range, chunkSize: .kibibytes(64)) {
              #expect(Array(piece) == StoreScene.content(place..<place + piece.count))
              place += piece.count
            }
            accept(2)
          }
          #expect(place == 1 << 20 && given.value == 2 && !scene.store.refusals.isEmpty)
          var dumped = ""
          dump(source, to: &dumped)
          dump(reader, to: &dumped)
          for text in [dumped, "\(source)", "\(reader.statistics())", String(reflecting: source)] {
            #expect(!text.contains("hidden"), "\(text)")
          }
          await reader.close()
        }
      }
    }
  }

#endif
