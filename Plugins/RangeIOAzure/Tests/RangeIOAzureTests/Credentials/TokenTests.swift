#if Azure
  import RangeIO
  import RangeIORemote
  import Testing

  @testable import RangeIOAzure

  struct TokenTests {
    private let document = #"{"token_type": "Bearer", "expires_in": 3599, "access_token": "tok"}"#

    private func token(
      _ credentials: AzureCredentials, _ scene: Scene, _ environment: [String: String] = [:]
    ) async throws -> AzureToken? {
      let fetch = try credentials.fetch(for: "maps", scene.places(environment))
      guard case .token(let token)? = try await fetch?() else { return nil }
      return token
    }

    private func failure(
      _ credentials: AzureCredentials, _ scene: Scene, _ environment: [String: String] = [:]
    ) async -> ReadError? {
      await #expect(throws: ReadError.self) { _ = try await token(credentials, scene, environment) }
    }

    @Test func `a client's secret is exchanged, and is in no URL`() async throws {
      let scene = Scene { [document] _ in Scene.answer(document) }
      let credentials = AzureCredentials.clientSecret(tenantID: "t-1", clientID: "c 1", secret: "s+/=")
      #expect(try await token(credentials, scene) == AzureToken("tok", expiry: Scene.now + 3_599))
      let request = try #require(scene.requests.first)
      #expect(request.method == "POST" && !request.isLocal)
      #expect(request.url == "https://login.microsoftonline.com/t-1/oauth2/v2.0/token")
      #expect(
        String(decoding: request.body, as: UTF8.self)
          == "client_id=c%201&scope=https%3A%2F%2Fstorage.azure.com%2F.default&grant_type=client_credentials"
          + "&client_secret=s%2B%2F%3D")
    }

    @Test func `a federated token is read anew and exchanged where the environment says`() async throws {
      let scene = Scene(files: ["/token": " a.b-c \n"]) { [document] _ in Scene.answer(document) }
      let environment = [
        "AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_FEDERATED_TOKEN_FILE": "/token",
        "AZURE_AUTHORITY_HOST": "https://login.microsoftonline.us/",
      ]
      #expect(try await token(.workloadIdentity(), scene, environment)?.text == "tok")
      let request = try #require(scene.requests.first)
      #expect(request.url == "https://login.microsoftonline.us/t/oauth2/v2.0/token")
      let body = String(decoding: request.body, as: UTF8.self)
      #expect(
        body.hasSuffix(
          "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
            + "&client_assertion=a.b-c"))
      let missing = await failure(.workloadIdentity(tokenFile: "/none"), scene, environment)
      #expect(missing?.code == .notFound)
      #expect(await failure(.workloadIdentity(), scene)?.code == .invalidConfiguration)
    }

    @Test(
      arguments: [
        (
          401, #"{"error": "invalid_client", "error_codes": [7000215], "error_description": "hidden"}"#,
          "AADSTS7000215", false
        ),
        (400, #"{"error": "invalid_request", "error_codes": [90002]}"#, "AZURE_AUTHORITY_HOST", false),
        (400, "<html>hidden", "status 400", false), (429, "{}", "status 429", true), (503, "", "try again", true),
        (400, #"{"error": "hidden value!"}"#, "status 400", false),
      ])
    func `a token service that refuses says its code`(_ status: Int, _ body: String, _ part: String, _ passes: Bool)
      async
    {
      let scene = Scene { _ in Scene.answer(body, status: status) }
      let error = await failure(.clientSecret(tenantID: "t", clientID: "c", secret: "covered"), scene)
      #expect(error?.message.contains(part) == true && error?.isTransient == passes, "\(error as Any)")
      #expect(error.map { !"\($0)".contains("hidden") && !"\($0)".contains("covered") } == true)
    }

    @Test(arguments: ["http://login.example", "https://a/b", "https://u@a", "ftp://a", "a b"])
    func `a secret goes to no host in the clear`(_ host: String) async {
      let scene = Scene()
      let error = await failure(
        .clientSecret(tenantID: "t", clientID: "c", secret: "s", authorityHost: host), scene)
      #expect(error?.code == .invalidConfiguration && scene.requests.isEmpty)
    }

    @Test(arguments: ["", "a/b", "a?b", "..%2f", "ü"]) func `a tenant is a part of a path and no more`(_ tenant: String)
      async
    {
      let error = await failure(.clientSecret(tenantID: tenant, clientID: "c", secret: "s"), Scene())
      #expect(error?.code == .invalidConfiguration)
    }

    @Test func `a virtual machine's identity is asked of its metadata service`() async throws {
      let scene = Scene { _ in Scene.answer(#"{"access_token": "tok", "expires_on": "1767326645", "resource": "r"}"#) }
      let expected = AzureToken("tok", expiry: 1_767_326_645)
      #expect(try await token(.managedIdentity(clientID: "c/1"), scene) == expected)
      let request = try #require(scene.requests.first)
      #expect(
        request.url == "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01"
          + "&resource=https%3A%2F%2Fstorage.azure.com&client_id=c%2F1")
      #expect(request.fields == HeaderFields(["Metadata": "true"]) && request.isLocal && request.method == "GET")
      let pod = ["AZURE_POD_IDENTITY_AUTHORITY_HOST": "http://127.0.0.1:1/"]
      #expect(try await token(.managedIdentity(), scene, pod) == expected)
      #expect(scene.requests.last?.url.hasPrefix("http://127.0.0.1:1/metadata/") == true)
    }

    @Test func `an app's identity is asked with its header`() async throws {
      let scene = Scene { _ in Scene.answer(#"{"access_token": "tok", "expires_on": "1767326645"}"#) }
      for url in ["http://127.0.0.1:41/msi/token", "http://169.254.129.2:8081/msi/token", "https://a.example/x"] {
        let environment = ["IDENTITY_ENDPOINT": url, "IDENTITY_HEADER": "h", "AZURE_CLIENT_ID": "c"]
        #expect(try await token(.managedIdentity(), scene, environment)?.text == "tok")
        let request = try #require(scene.requests.last)
        #expect(
          request.url
            == "\(url)?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com&client_id=c")
        #expect(request.fields == HeaderFields(["X-IDENTITY-HEADER": "h"]) && request.isLocal)
      }
    }

    @Test(arguments: [
      "http://example.com/x", "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/", "ftp://x", "http://",
      "http://169.254.1.2.evil.example/", "http://169.254.1/",
    ]) func `an app's header does not go to another machine in the clear`(_ url: String) async {
      let scene = Scene()
      let error = await failure(.managedIdentity(), scene, ["IDENTITY_ENDPOINT": url, "IDENTITY_HEADER": "hidden"])
      #expect(error?.code == .invalidConfiguration && scene.requests.isEmpty)
      #expect(error.map { !"\($0)".contains("hidden") } == true)
    }

    @Test(arguments: [
      ["IDENTITY_ENDPOINT": "x", "IDENTITY_HEADER": "h", "IDENTITY_SERVER_THUMBPRINT": "t"],
      ["IDENTITY_ENDPOINT": "x", "IMDS_ENDPOINT": "y"], ["MSI_ENDPOINT": "x"],
    ]) func `services that are not supported are named`(_ environment: [String: String]) async {
      let scene = Scene()
      let error = await failure(.managedIdentity(), scene, environment)
      #expect(error?.message.contains("not supported") == true && scene.requests.isEmpty)
    }

    @Test(arguments: [
      (400, ReadError.Code.notFound, false), (404, .inputOutput, true), (410, .inputOutput, true),
      (403, .permissionDenied, false), (500, .inputOutput, true),
    ])
    func `a metadata service that refuses says why`(_ status: Int, _ code: ReadError.Code, _ passes: Bool) async {
      let scene = Scene { _ in
        Scene.answer(#"{"error": "invalid_request", "error_description": "hidden"}"#, status: status)
      }
      let error = await failure(.managedIdentity(), scene)
      #expect(error?.code == code && error?.isTransient == passes)
      #expect(error.map { !"\($0)".contains("hidden") } == true)
    }

    @Test func `az prints a token`() async throws {
      let scene = Scene(
        output: #"{"accessToken": "tok", "expires_on": 1767326645, "expiresOn": "2000-01-01 00:00:00.0"}"#)
      #expect(try await token(.azureCLI, scene) == AzureToken("tok", expiry: 1_767_326_645))
      let command = try #require(scene.commands.first)
      #expect(command.text.hasSuffix("az account get-access-token --resource https://storage.azure.com/ --output json"))
      #expect(command.timeLimit == 10)
      for wrong in ["", "{}", "[]", #"{"accessToken": ""}"#, #"{"accesstoken": "hidden"}"#] {
        let error = await failure(.azureCLI, Scene(output: wrong))
        #expect(error?.code == .invalidResponse && error.map { !"\($0)".contains("hidden") } == true)
      }
      #expect(await failure(.azureCLI, Scene())?.message.contains("az login") == true)
    }

    @Test(arguments: [
      (#""expires_on": 1767326645"#, 1_767_326_645), (#""expires_on": "1767326645""#, 1_767_326_645),
      (#""expires_in": "3600""#, Scene.now + 3_600), (#""expires_in": -5"#, Scene.now), (#""expires_in": 1e300"#, nil),
      (#""expires_on": "soon""#, nil), (#""expires_on": null"#, nil), (#""other": 1"#, nil),
    ]) func `an end is a number or a text`(_ field: String, _ expected: Int?) throws {
      let document = try #require(TokenDocument(Array(#"{"access_token": "t", \#(field)}"#.utf8)))
      #expect(document.token(at: Scene.now) == AzureToken("t", expiry: expected))
    }

    @Test func `the token service is asked through the proxy of the source`() async throws {
      let scene = Scene { _ in Scene.answer("no", status: 400) }
      var configuration = AzureSource.Configuration()
      configuration.credentials = .clientSecret(tenantID: "t", clientID: "c", secret: "s")
      configuration.remote.proxy = .server("http://proxy:3128")
      let source = AzureSource(.success(try AzureAddress("az://maps/c/b")), configuration, scene.places())
      await #expect(throws: ReadError.self) { _ = try await source.describe() }
      #expect(scene.requests.map(\.proxy) == [.server("http://proxy:3128")])
    }
  }

#endif
