#if S3
  import RangeIO
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  /// Files, programs and services of a test.
  final class Scene: Sendable {
    private struct State {
      var requests: [CredentialPlaces.Request] = []
      var commands: [String] = []
    }
    private let state = Guarded(State())
    let files: [String: String]
    /// What a program prints.
    let output: @Sendable () -> String
    let answers: @Sendable (CredentialPlaces.Request) throws -> CredentialPlaces.Answer

    init(
      files: [String: String] = [:], output: @escaping @Sendable @autoclosure () -> String = "",
      answers: @escaping @Sendable (CredentialPlaces.Request) throws -> CredentialPlaces.Answer = { _ in
        throw ReadError(.timedOut, "nobody answers", isTransient: true)
      }
    ) {
      self.files = files
      self.output = output
      self.answers = answers
    }

    var requests: [CredentialPlaces.Request] { state.withLock { $0.requests } }
    var commands: [String] { state.withLock { $0.commands } }

    func places(_ environment: [String: String] = [:]) -> CredentialPlaces {
      CredentialPlaces(
        environment: environment, home: "/home/u", file: { [files] in files[$0] },
        run: { [self] command in
          state.withLock { $0.commands.append(command.text) }
          return Array(output().utf8)
        },
        send: { [self] request in
          state.withLock { $0.requests.append(request) }
          return try answers(request)
        }, now: { 0 })
    }
  }

  struct CredentialsChainTests {
    private let pair = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"]
    private let document =
      #"{"AccessKeyId":"DOC","SecretAccessKey":"s","Token":"t","Expiration":"2026-01-02T03:04:05Z"}"#
    private var found: S3Credentials {
      S3Credentials(accessKeyID: "DOC", secretAccessKey: "s", sessionToken: "t", expiry: 1_767_323_045)
    }

    private func answer(_ text: String, status: Int = 200) -> CredentialPlaces.Answer {
      CredentialPlaces.Answer(status: status, body: Array(text.utf8))
    }

    @Test func `the environment goes before the profile`() async throws {
      let scene = Scene(files: ["/home/u/.aws/credentials": "[default]\naws_access_key_id=P\naws_secret_access_key=s"])
      let keys = try await CredentialsChain(places: scene.places(pair)).credentials()
      #expect(keys == S3Credentials(accessKeyID: "ENV", secretAccessKey: "s"))
      // Who names a profile means it.
      let named = try await CredentialsChain(profile: "default", places: scene.places(pair)).credentials()
      #expect(named.accessKeyID == "P")
      #expect(try await CredentialsChain(places: scene.places()).credentials().accessKeyID == "P")
      #expect(scene.requests.isEmpty)
    }

    @Test func `a token and an end come from the environment too`() async throws {
      let more = ["AWS_SESSION_TOKEN": "t", "AWS_CREDENTIAL_EXPIRATION": "2026-01-02T03:04:05Z"]
      let keys = try await CredentialsChain(places: Scene().places(pair.merging(more) { $1 })).credentials()
      #expect(keys == S3Credentials(accessKeyID: "ENV", secretAccessKey: "s", sessionToken: "t", expiry: 1_767_323_045))
      // Its older name.
      let old = pair.merging(["AWS_SECURITY_TOKEN": "u"]) { $1 }
      let older = try await CredentialsChain(places: Scene().places(old)).credentials()
      #expect(older == S3Credentials(accessKeyID: "ENV", secretAccessKey: "s", sessionToken: "u"))
    }

    @Test func `half a key in the environment is an error, not somebody else's rights`() async {
      let scene = Scene(files: ["/home/u/.aws/credentials": "[default]\naws_access_key_id=P\naws_secret_access_key=s"])
      let error = await #expect(throws: ReadError.self) {
        _ = try await CredentialsChain(places: scene.places(["AWS_ACCESS_KEY_ID": "x"])).credentials()
      }
      #expect(error?.code == .invalidConfiguration)
    }

    @Test func `the files and the profile are those that the environment names`() async throws {
      let scene = Scene(files: [
        "/c": "[w]\naws_access_key_id=P\naws_secret_access_key=s", "/home/u/k": "[profile w]\nregion=r",
      ])
      let environment = ["AWS_PROFILE": "w", "AWS_SHARED_CREDENTIALS_FILE": "/c", "AWS_CONFIG_FILE": "~/k"]
      let chain = CredentialsChain(places: scene.places(environment))
      #expect(try await chain.credentials().accessKeyID == "P")
      #expect(try await chain.profileSettings()?["region"] == "r")
      let missing = CredentialsChain(places: scene.places(["AWS_PROFILE": "other"]))
      let error = await #expect(throws: ReadError.self) { _ = try await missing.credentials() }
      #expect(error?.message.contains("'other'") == true)
    }

    @Test func `a process prints credentials`() async throws {
      let files = ["/home/u/.aws/config": "[default]\ncredential_process = /opt/keys --for me"]
      let printed =
        #"{"Version":1,"AccessKeyId":"DOC","SecretAccessKey":"s","SessionToken":"t","Expiration":"2026-01-02T03:04:05Z"}"#
      let scene = Scene(files: files, output: printed)
      #expect(try await CredentialsChain(places: scene.places()).credentials() == found)
      #expect(scene.commands == ["/opt/keys --for me"])
      for wrong in [
        "", "{}", "[]", #"{"Version":2,"AccessKeyId":"hidden","SecretAccessKey":"hidden"}"#,
        #"{"AccessKeyId":"hidden"}"#,
      ] {
        let scene = Scene(files: files, output: wrong)
        let error = await #expect(throws: ReadError.self) {
          _ = try await CredentialsChain(places: scene.places()).credentials()
        }
        #expect(error?.code == .invalidResponse)
        #expect(error.map { !"\($0)".contains("hidden") } == true)
      }
    }

    @Test func `a web identity's token is exchanged, and is in no URL`() async throws {
      let scene = Scene(files: ["/token": " a.b-c=\n"]) { _ in
        CredentialPlaces.Answer(
          status: 200,
          body: Array(
            """
            <AssumeRoleWithWebIdentityResponse xmlns="x"><Credentials><SessionToken>t</SessionToken>
            <SecretAccessKey>s</SecretAccessKey><Expiration>2026-01-02T03:04:05Z</Expiration>
            <AccessKeyId>DOC</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResponse>
            """.utf8))
      }
      let environment = [
        "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/r+x", "AWS_REGION": "cn-north-1",
      ]
      #expect(try await CredentialsChain(places: scene.places(environment)).credentials() == found)
      let request = try #require(scene.requests.first)
      #expect(request.method == "POST" && request.url == "https://sts.cn-north-1.amazonaws.com.cn/")
      #expect(!request.isLocal)
      #expect(
        String(decoding: request.body, as: UTF8.self)
          == "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr%2Bx"
          + "&RoleSessionName=swift-range-io&WebIdentityToken=a.b-c%3D")
    }

    @Test func `a web identity of the environment goes before keys of the profile that nothing names`() async throws {
      let configuration = "[default]\naws_access_key_id=P\naws_secret_access_key=s"
      let scene = Scene(files: ["/token": "t", "/home/u/.aws/config": configuration]) { _ in
        let text = "<AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
        return CredentialPlaces.Answer(status: 200, body: Array(text.utf8))
      }
      let places = scene.places(["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "r"])
      #expect(try await CredentialsChain(places: places).credentials().accessKeyID == "ROLE")
      #expect(try await CredentialsChain(profile: "default", places: places).credentials().accessKeyID == "P")
    }

    @Test(arguments: ["Throttling", "IDPCommunicationError"])
    func `a token service that is busy may be asked again, though it says 400`(_ code: String) async {
      let scene = Scene(files: ["/token": "t"]) { _ in
        CredentialPlaces.Answer(status: 400, body: Array("<Code>\(code)</Code>".utf8))
      }
      let environment = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "r"]
      let error = await #expect(throws: ReadError.self) {
        _ = try await CredentialsChain(places: scene.places(environment)).credentials()
      }
      #expect(error?.code == .inputOutput && error?.isTransient == true && error?.message.contains(code) == true)
    }

    @Test func `a web identity that is refused says the code`() async throws {
      let scene = Scene(files: ["/token": "hidden"]) { _ in
        CredentialPlaces.Answer(
          status: 403, body: Array("<Code>ExpiredTokenException</Code><Message>hidden</Message>".utf8))
      }
      let environment = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "r"]
      let error = await #expect(throws: ReadError.self) {
        _ = try await CredentialsChain(places: scene.places(environment)).credentials()
      }
      #expect(error?.code == .permissionDenied && error?.message.contains("ExpiredTokenException") == true)
      #expect(error.map { !"\($0)".contains("hidden") } == true)
    }

    @Test func `a container's service is asked with its token`() async throws {
      let scene = Scene(files: ["/t": "tok\n"]) { [document] _ in
        CredentialPlaces.Answer(status: 200, body: Array(document.utf8))
      }
      for (environment, url, token) in [
        (["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x"], "http://169.254.170.2/v2/x", nil),
        (
          [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/t",
          ], "http://169.254.170.23/v1/credentials", "tok"
        ),
        (
          ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://[fd00:ec2::23]/", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "o"],
          "http://[fd00:ec2::23]/", "o"
        ),
        (["AWS_CONTAINER_CREDENTIALS_FULL_URI": "https://any.example/x"], "https://any.example/x", nil),
        (["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:99/x"], "http://127.0.0.1:99/x", nil),
      ] as [([String: String], String, String?)] {
        #expect(try await CredentialsChain(places: scene.places(environment)).credentials() == found)
        let request = try #require(scene.requests.last)
        #expect(request.url == url && request.isLocal)
        #expect(request.fields.all.map(\.value) == (token.map { [$0] } ?? []))
      }
    }

    @Test(arguments: [
      "http://example.com/", "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/", "ftp://127.0.0.1/",
      "http://",
      "http://169.254.170.2.example/", "http://[::2]/", "http://127.0.0.1\\@evil.example/", "http://127.0.0.1\\/",
      "http://localhost\\@evil.example/",
    ])
    func `a container's token does not go to another machine in the clear`(_ url: String) async {
      let scene = Scene()
      let error = await #expect(throws: ReadError.self) {
        _ = try await CredentialsChain(
          places: scene.places(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url])
        ).credentials()
      }
      #expect(error?.code == .invalidConfiguration)
      #expect(scene.requests.isEmpty)
    }

    @Test func `the metadata service is asked by its second version, for one second`() async throws {
      let scene = Scene { [document] request in
        if request.method == "PUT" { return CredentialPlaces.Answer(status: 200, body: Array("TOKEN".utf8)) }
        guard request.fields == HeaderFields(["X-aws-ec2-metadata-token": "TOKEN"]) else {
          return CredentialPlaces.Answer(status: 401, body: [])
        }
        let text = request.url.hasSuffix("/") ? "my-role\n" : document
        return CredentialPlaces.Answer(status: 200, body: Array(text.utf8))
      }
      #expect(try await CredentialsChain(places: scene.places()).credentials() == found)
      #expect(
        scene.requests.map(\.url) == [
          "http://169.254.169.254/latest/api/token",
          "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
          "http://169.254.169.254/latest/meta-data/iam/security-credentials/my-role",
        ])
      #expect(scene.requests.allSatisfy { $0.timeout == .seconds(1) && $0.isLocal })
    }

    @Test func `where no credentials are found, the error says where they were looked for`() async {
      for environment in [[:], ["AWS_EC2_METADATA_DISABLED": "true"]] {
        let scene = Scene()
        let error = await #expect(throws: ReadError.self) {
          _ = try await CredentialsChain(places: scene.places(environment)).credentials()
        }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("AWS_ACCESS_KEY_ID") == true && error?.message.contains("anonymous") == true)
        #expect(scene.requests.count == (environment.isEmpty ? 1 : 0))
      }
    }

    @Test func `a cancelled search does not go on to the next place`() async {
      let scene = Scene { _ in throw CancellationError() }
      await #expect(throws: CancellationError.self) {
        _ = try await CredentialsChain(places: scene.places()).credentials()
      }
    }
  }

#endif
