#if Azure
  import RangeIO
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOAzure

  struct CredentialsChainTests {
    private func found(_ environment: [String: String], _ scene: Scene = Scene()) async throws -> BlobAccess {
      try await CredentialsChain(account: "maps", places: scene.places(environment)).access()
    }

    private func failure(_ environment: [String: String], _ scene: Scene = Scene()) async -> ReadError? {
      await #expect(throws: ReadError.self) { _ = try await found(environment, scene) }
    }

    private let application = ["AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_CLIENT_SECRET": "s"]

    @Test func `what the environment has for storage comes first, in the vendor's order`() async throws {
      let key = BlobAccess.key(try SharedKey(account: "maps", key: "a2V5"))
      let sas = BlobAccess.sas(try SASQuery("sv=1&sig=a"))
      var environment = application
      environment["AZURE_STORAGE_SAS_TOKEN"] = "?sv=1&sig=a"
      #expect(try await found(environment) == sas)
      environment["AZURE_STORAGE_KEY"] = "a2V5"
      #expect(try await found(environment) == key)
      environment["AZURE_STORAGE_CONNECTION_STRING"] = "AccountName=maps;AccountKey=b3RoZXI="
      #expect(try await found(environment) == .key(try SharedKey(account: "maps", key: "b3RoZXI=")))
    }

    @Test func `what belongs to another account is not used, and is told`() async throws {
      let others = [
        "AZURE_STORAGE_CONNECTION_STRING": "AccountName=other;AccountKey=a2V5", "AZURE_STORAGE_ACCOUNT": "third",
        "AZURE_STORAGE_KEY": "a2V5",
      ]
      let error = await failure(others)
      #expect(error?.message.contains("is for 'other'") == true && error?.message.contains("is 'third'") == true)
    }

    @Test func `where none are found, the error says what was tried, in order`() async throws {
      let scene = Scene()
      let error = try #require(await failure([:], scene))
      #expect(error.code == .permissionDenied)
      var rest = error.message[...]
      for place in [
        "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE",
        "managed identity (the metadata service does not answer)", "az login", "anonymous",
      ] {
        let place = try #require(rest.firstRange(of: place), "\(place) in \(error)")
        rest = rest[place.upperBound...]
      }
      #expect(scene.requests.map(\.timeout) == [.seconds(1)] && scene.commands == [AzureCLI.command])
    }

    @Test func `a place that has some but cannot give them fails the search`() async {
      for environment in [
        ["AZURE_CLIENT_SECRET": "s"], ["AZURE_FEDERATED_TOKEN_FILE": "/token"],
        application.merging(["AZURE_FEDERATED_TOKEN_FILE": "/token"]) { $1 }, ["AZURE_STORAGE_KEY": "no key!"],
        ["AZURE_CLIENT_ID": "c", "AZURE_CLIENT_CERTIFICATE_PATH": "/c"], ["AZURE_TOKEN_CREDENTIALS": "everything"],
        ["AZURE_STORAGE_CONNECTION_STRING": "nothing"],
      ] {
        let scene = Scene(output: #"{"accessToken": "of az", "expires_on": 4102444800}"#) { _ in
          Scene.answer(#"{"error": "invalid_client", "error_codes": [7000215]}"#, status: 401)
        }
        let error = await failure(environment, scene)
        #expect(error != nil && scene.commands.isEmpty, "\(environment)")
      }
    }

    @Test func `AZURE_TOKEN_CREDENTIALS chooses places`() async throws {
      let scene = Scene(output: #"{"accessToken": "of az", "expires_on": 4102444800}"#)
      let token = BlobAccess.token(AzureToken("of az", expiry: 4_102_444_800))
      for name in ["dev", "AzureCliCredential"] {
        let environment = application.merging(["AZURE_TOKEN_CREDENTIALS": name]) { $1 }
        #expect(try await found(environment, scene) == token)
      }
      #expect(scene.requests.isEmpty)
      let error = await failure(["AZURE_TOKEN_CREDENTIALS": "prod"], scene)
      #expect(error?.message.contains("az login") == false && scene.commands.count == 2)
    }

    @Test func `a machine without an identity is passed over`() async throws {
      let scene = Scene(output: #"{"accessToken": "of az", "expiresOn": "2026-01-02 03:04:05.000000"}"#) { _ in
        Scene.answer(#"{"error": "invalid_request"}"#, status: 400)
      }
      let access = try await found([:], scene)
      guard case .token(let token) = access else {
        Issue.record("\(access) is no token")
        return
      }
      #expect(token.text == "of az" && token.expiry != nil)
      #expect(scene.requests.count == 2)
    }

    @Test(arguments: [200, 401, 404])
    func `the metadata service of another cloud is passed over`(_ status: Int) async throws {
      let scene = Scene(output: #"{"accessToken": "of az", "expires_on": 4102444800}"#) { _ in
        Scene.answer("<html>Not Found</html>", status: status)
      }
      #expect(try await found([:], scene) == .token(AzureToken("of az", expiry: 4_102_444_800)))
      #expect(scene.requests.count == 1)
    }

    @Test func `a managed identity that gave a token gives all others, and nothing takes its place`() async throws {
      let isLate = Guarded(false)
      let scene = Scene(output: #"{"accessToken": "of az", "expires_on": 4102444800}"#) { _ in
        if isLate.withLock({ $0 }) { throw ReadError(.timedOut, "late", isTransient: true) }
        return Scene.answer(#"{"access_token": "of the machine", "expires_on": "4102444800"}"#)
      }
      let chain = CredentialsChain(account: "maps", places: scene.places())
      for _ in 0..<2 {
        #expect(try await chain.access() == .token(AzureToken("of the machine", expiry: 4_102_444_800)))
      }
      isLate.withLock { $0 = true }
      let error = await #expect(throws: ReadError.self) { _ = try await chain.access() }
      #expect(error?.code == .timedOut && error?.isTransient == true && scene.commands.isEmpty)
    }

    @Test func `a cancelled search does not go on to the next place`() async {
      let scene = Scene { _ in throw CancellationError() }
      await #expect(throws: CancellationError.self) { _ = try await found([:], scene) }
      #expect(scene.commands.isEmpty)
    }
  }

#endif
