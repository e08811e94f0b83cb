#if S3
  import RangeIO
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  struct RoleTests {
    private static let keys = "aws_access_key_id = BASE\naws_secret_access_key = base secret\n"

    /// A token service that gives the keys of a role only for a right signature, and names them by the role and who took
    /// it on.
    private static func answer(_ request: CredentialPlaces.Request) -> CredentialPlaces.Answer {
      let body = String(decoding: request.body, as: UTF8.self)
      func field(_ name: String) -> String? {
        body.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
      }
      guard let sent = SentSignature(request.fields), let time = sent.time, let role = field("RoleArn"),
        let url = try? ObjectURL(request.url)
      else { return .init(status: 400, body: Array("<Code>MissingAuthenticationToken</Code>".utf8)) }
      let secret = sent.accessKeyID == "BASE" ? "base secret" : "secret of \(sent.accessKeyID)"
      let signer = RequestSigner(
        credentials: S3Credentials(
          accessKeyID: sent.accessKeyID, secretAccessKey: secret, sessionToken: sent.sessionToken),
        region: sent.region, service: "sts", keys: SigningKeys())
      let unsigned = UnsignedRequest("POST", PreparedRequest(url: url, fields: HeaderFields()))
      let right = signer.headers(for: unsigned, at: time, payload: .bytes(request.body)).last?.value
      guard request.fields["Authorization"] == right else {
        return .init(status: 403, body: Array("<Code>SignatureDoesNotMatch</Code>".utf8))
      }
      if field("ExternalId") == "wrong" { return .init(status: 403, body: Array("<Code>AccessDenied</Code>".utf8)) }
      let id = "\(role)-by-\(sent.accessKeyID)"
      return .init(
        status: 200,
        body: Array(
          """
          <AssumeRoleResponse><Credentials><AccessKeyId>\(id)</AccessKeyId><SecretAccessKey>secret of \(id)</SecretAccessKey>
          <SessionToken>t</SessionToken><Expiration>2026-01-02T03:04:05Z</Expiration></Credentials></AssumeRoleResponse>
          """.utf8))
    }

    private func chain(
      _ configuration: String, _ profile: String = "a", _ variables: [String: String] = [:]
    ) -> (CredentialsChain, Scene) {
      let scene = Scene(files: ["/home/u/.aws/config": configuration]) { Self.answer($0) }
      return (CredentialsChain(profile: profile, region: "eu-west-1", places: scene.places(variables)), scene)
    }

    @Test func `a role is taken on with the keys of another profile`() async throws {
      let (chain, scene) = chain(
        """
        [profile a]
        role_arn = r
        source_profile = b
        external_id = e/1
        role_session_name = me
        duration_seconds = 900
        [profile b]
        \(Self.keys)
        """)
      let found = try await chain.credentials()
      #expect(
        found
          == S3Credentials(
            accessKeyID: "r-by-BASE", secretAccessKey: "secret of r-by-BASE", sessionToken: "t", expiry: 1_767_323_045))
      let request = try #require(scene.requests.first)
      #expect(request.method == "POST" && request.url == "https://sts.eu-west-1.amazonaws.com/")
      #expect(
        String(decoding: request.body, as: UTF8.self)
          == "Action=AssumeRole&Version=2011-06-15&RoleArn=r&RoleSessionName=me&DurationSeconds=900&ExternalId=e%2F1")
    }

    @Test func `roles make chains, and a profile may take its role on by itself`() async throws {
      let (chain, scene) = chain(
        """
        [profile a]
        role_arn = r1
        source_profile = b
        [profile b]
        role_arn = r2
        source_profile = c
        [profile c]
        role_arn = r3
        source_profile = c
        \(Self.keys)
        """)
      #expect(try await chain.credentials().accessKeyID == "r1-by-r2-by-BASE")
      #expect(scene.requests.count == 2)
      let own = CredentialsChain(profile: "c", places: chain.places)
      #expect(try await own.credentials().accessKeyID == "r3-by-BASE")
    }

    @Test(arguments: [
      ["a": "a"], ["a": "b", "b": "a"], ["a": "b", "b": "c", "c": "b"],
    ])
    func `a circle of roles is told`(_ sources: [String: String]) async {
      let (chain, scene) = chain(
        sources.map { "[profile \($0)]\nrole_arn=r\nsource_profile=\($1)\n" }.joined())
      let error = await #expect(throws: ReadError.self) { _ = try await chain.credentials() }
      #expect(error?.code == .invalidConfiguration && error?.message.contains("circle") == true, "\(error as Any)")
      #expect(scene.requests.isEmpty)
    }

    @Test func `a role is taken on with credentials of the environment, a container or the machine`() async throws {
      let document =
        #"{"AccessKeyId":"BASE","SecretAccessKey":"base secret","Token":"t","Expiration":"2026-01-02T03:04:05Z"}"#
      for (source, variables) in [
        ("Environment", ["AWS_ACCESS_KEY_ID": "BASE", "AWS_SECRET_ACCESS_KEY": "base secret"]),
        ("EcsContainer", ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/x"]), ("ec2instancemetadata", [:]),
      ] {
        let scene = Scene(files: ["/home/u/.aws/config": "[profile a]\nrole_arn=r\ncredential_source=\(source)"]) {
          if !$0.isLocal { return Self.answer($0) }
          return CredentialPlaces.Answer(
            status: 200, body: Array($0.url.hasSuffix("credentials/") ? "role".utf8 : document.utf8))
        }
        let chain = CredentialsChain(profile: "a", places: scene.places(variables))
        #expect(try await chain.credentials().accessKeyID == "r-by-BASE", "\(source)")
        let empty = CredentialsChain(profile: "a", places: Scene(files: scene.files).places())
        let error = await #expect(throws: ReadError.self) { _ = try await empty.credentials() }
        #expect(error?.message.contains("'a'") == true, "\(error as Any)")
      }
    }

    @Test func `a wrong clock of this machine is learned from the token service`() async throws {
      let time = 1_767_236_645
      let scene = Scene(files: ["/home/u/.aws/config": "[profile a]\nrole_arn=r\nsource_profile=a\n\(Self.keys)"]) {
        request in
        let signed = SentSignature(request.fields)?.time?.secondsSince1970 ?? 0
        guard abs(signed - time) > 300 else { return Self.answer(request) }
        return .init(
          status: 403, fields: HeaderFields(["Date": "Thu, 01 Jan 2026 03:04:05 GMT"]),
          body: Array("<Code>SignatureDoesNotMatch</Code>".utf8))
      }
      let chain = CredentialsChain(profile: "a", places: scene.places())
      #expect(try await chain.credentials().accessKeyID == "r-by-BASE")
      #expect(scene.requests.count == 2)
    }

    @Test func `a role that is refused by a service with a clock of its own is asked for twice`() async {
      let scene = Scene(files: ["/home/u/.aws/config": "[profile a]\nrole_arn=r\nsource_profile=a\n\(Self.keys)"]) {
        _ in
        .init(
          status: 403, fields: HeaderFields(["Date": "Thu, 01 Jan 2026 03:04:05 GMT"]),
          body: Array("<Code>AccessDenied</Code>".utf8))
      }
      let chain = CredentialsChain(profile: "a", places: scene.places())
      let error = await #expect(throws: ReadError.self) { _ = try await chain.credentials() }
      #expect(error?.code == .permissionDenied && scene.requests.count == 2)
    }

    @Test func `a role that is refused says the code, and no key`() async {
      let (chain, _) = chain("[profile a]\nrole_arn=r\nsource_profile=a\nexternal_id=wrong\n\(Self.keys)")
      let error = await #expect(throws: ReadError.self) { _ = try await chain.credentials() }
      #expect(error?.code == .permissionDenied && error?.message.contains("AccessDenied") == true)
      #expect(error.map { !"\($0)".contains("BASE") && !"\($0)".contains("secret") } == true)
    }

    @Test func `the token service is the one that the environment, the section or the profile names`() async throws {
      let text = """
        [profile a]
        role_arn = r
        source_profile = a
        services = mine
        endpoint_url = http://profile.example
        \(Self.keys)
        [services mine]
        sts =
          endpoint_url = http://section.example/
        """
      for (variables, url) in [
        ([:], "http://section.example/"), (["AWS_ENDPOINT_URL": "http://all.example"], "http://all.example/"),
        (["AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_STS": "http://one.example"], "http://one.example/"),
        (["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "TRUE"], "https://sts.eu-west-1.amazonaws.com/"),
      ] as [([String: String], String)] {
        let (chain, scene) = chain(text, "a", variables)
        _ = try await chain.credentials()
        #expect(scene.requests.first?.url == url)
      }
      let (missing, _) = chain(text.replacing("[services mine]", with: "[services other]"))
      let error = await #expect(throws: ReadError.self) { _ = try await missing.credentials() }
      #expect(error?.message.contains("[services mine]") == true)
    }

    @Test func `the token service is asked through the proxy of the source`() async throws {
      let files = ["/home/u/.aws/config": "[profile a]\nrole_arn = r\nsource_profile = b\n[profile b]\n\(Self.keys)"]
      let scene = Scene(files: files) { _ in .init(status: 403, body: Array("<Code>AccessDenied</Code>".utf8)) }
      var configuration = S3Source.Configuration()
      configuration.credentials = .profile("a")
      configuration.remote.proxy = .server("http://proxy:3128")
      let source = S3Source(.success(try S3Address("s3://bucket/key")), configuration, places: scene.places())
      await #expect(throws: ReadError.self) { _ = try await source.describe() }
      #expect(scene.requests.map(\.proxy) == [.server("http://proxy:3128")])
    }
  }

#endif
