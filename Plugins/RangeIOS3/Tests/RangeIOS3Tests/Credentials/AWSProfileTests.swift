#if S3
  import RangeIO
  import Testing

  @testable import RangeIOS3

  struct AWSProfileTests {
    private let credentialsFile = """
      # a comment
      [default]
      aws_access_key_id = AKID1
      aws_secret_access_key=secret/with=equals+and#hash
      [work]
      AWS_ACCESS_KEY_ID = AKID2\r
      aws_secret_access_key =   s2  \r
      aws_session_token = t2
      ; another
      [half]
      aws_access_key_id = AKID3
      """
    private let configurationFile = """
      [default]
      region = eu-west-1
      s3 =
        endpoint_url = http://nested.example
        aws_access_key_id = nested
      [profile work]
      region=us-west-2
      aws_access_key_id = hidden by the other file
      [profile "two words"]
      credential_process = /opt/keys "an argument" # kept
      [ profile\tpod ]
      role_arn = arn:aws:iam::1:role/x
      web_identity_token_file = /token
      role_session_name = me
      [profile chained]
      role_arn = arn:aws:iam::1:role/x
      source_profile = default
      [profile sso]
      sso_session = corporate
      [sso-session corporate]
      sso_region = us-east-1
      [profile mfa]
      role_arn = r
      source_profile = default
      mfa_serial = arn:aws:iam::1:mfa/me
      [profile unsourced]
      role_arn = r
      [profile twice]
      role_arn = r
      source_profile = default
      credential_source = Environment
      [profile odd source]
      role_arn = r
      credential_source = Moon
      [profile long]
      role_arn = r
      source_profile = default
      duration_seconds = 899
      [profile unknown]
      aws_access_key_id = A
      aws_secret_access_key = s
      sigv4a_signing_region_set = *
      [profile no session]
      sso_session = missing
      sso_account_id = 1
      sso_role_name = r
      [profile two portals]
      sso_session = corporate
      sso_region = eu-west-1
      sso_account_id = 1
      sso_role_name = r
      [profile tools]
      aws_access_key_id = A
      aws_secret_access_key = s
      output = json
      cli_pager =
      mfa_serial = m
      x_principal_arn = p
      aws_expiration = 2026-01-02T03:04:05Z
      endpoint_discovery_enabled = true
      [profile nothing]
      region = x
      [unclosed
      region = lost
      """

    private func profile(_ name: String) -> AWSProfile? {
      AWSFiles(credentials: credentialsFile, configuration: configurationFile).profile(name)
    }

    @Test func `both files make a profile, and the credentials file goes before`() throws {
      let first = try #require(profile("default"))
      #expect(first["region"] == "eu-west-1")
      #expect(
        try first.credentials()
          == .keys(S3Credentials(accessKeyID: "AKID1", secretAccessKey: "secret/with=equals+and#hash")))
      // Nested settings are of something else.
      #expect(first["endpoint_url"] == nil && first["s3.endpoint_url"] == "http://nested.example")
      let work = try #require(profile("work"))
      #expect(work["region"] == "us-west-2")
      #expect(
        try work.credentials() == .keys(S3Credentials(accessKeyID: "AKID2", secretAccessKey: "s2", sessionToken: "t2")))
    }

    @Test func `a process and a web identity are found, in names with space and quotes too`() throws {
      #expect(try profile("two words")?.credentials() == .process("/opt/keys \"an argument\" # kept"))
      #expect(
        try profile("pod")?.credentials()
          == .webIdentity(WebIdentity(tokenFile: "/token", role: "arn:aws:iam::1:role/x", session: "me")))
      #expect(
        try profile("chained")?.credentials()
          == .role(AssumedRole("arn:aws:iam::1:role/x", #require(profile("chained")))))
      // What is about other things, and what other tools write, does not matter.
      #expect(try profile("tools")?.credentials() == .keys(S3Credentials(accessKeyID: "A", secretAccessKey: "s")))
      #expect(try profile("nothing")?.credentials() == AWSProfile.Credentials.none)
    }

    @Test(arguments: [
      "sso", "half", "mfa", "unsourced", "twice", "odd source", "long", "unknown", "no session", "two portals",
    ])
    func `what is incomplete or not supported says what to do`(_ name: String) throws {
      let found = try #require(profile(name))
      let error = #expect(throws: ReadError.self) { _ = try found.credentials() }
      #expect(error?.code == .invalidConfiguration)
      #expect(error?.message.contains("'\(name)'") == true)
      let advice = ["add", "run", "remove", "write", "correct"]
      #expect(advice.contains { error?.message.contains(": \($0)") == true }, "\(error as Any)")
    }

    @Test func `a profile that is not written down is none`() {
      #expect(profile("missing") == nil)
      #expect(profile("unclosed") == nil)
      #expect(profile("corporate") == nil)
      #expect(AWSFiles(credentials: nil, configuration: nil).profile("default") == nil)
      // In the configuration file only `default` goes without the word.
      #expect(AWSFiles(credentials: nil, configuration: "[x]\na=b").profile("x") == nil)
    }

    /// What botocore 1.44 makes of these texts, but for the mark of the order of bytes, which it refuses.
    @Test(arguments: [
      ("[default]\n  a = 1\n  b = 2\n", ["default": ["a": "1", "b": "2"]]),
      ("  [default]\n  a = 1\n  [x]\n  a = 2\n", ["default": ["a": "1"], "x": ["a": "2"]]),
      ("[default]\n s3 =\n   b = c:d\n # no\n region = eu\n", ["default": ["s3": "", "s3.b": "c:d", "region": "eu"]]),
      ("[default]\na: 1\nb = c : d\n", ["default": ["a": "1", "b": "c : d"]]),
      ("[default]\na = 1\n  [x]\n  c = 2\n", ["default": ["a": "1"]]),
      ("\u{FEFF}[default]\r\na = 1\r\n", ["default": ["a": "1"]]),
    ]) func `indented lines, colons and a mark before the text mean what they do to the AWS tools`(
      text: String, sections: [String: [String: String]]
    ) {
      #expect(INIText.sections(of: text) == sections)
    }

    @Test func `keys of one file never have the token of the other`() throws {
      let (keys, others) = ("aws_access_key_id = A\naws_secret_access_key = s", "aws_session_token = other")
      let file = AWSFiles(credentials: "[default]\n\(keys)", configuration: "[default]\n\(others)\nregion = x")
      let found = try #require(file.profile("default"))
      #expect(try found.credentials() == .keys(S3Credentials(accessKeyID: "A", secretAccessKey: "s")))
      #expect(found["region"] == "x")
      let halves = AWSFiles(
        credentials: "[default]\naws_access_key_id = A", configuration: "[default]\naws_secret_access_key = other")
      #expect(throws: ReadError.self) { _ = try halves.profile("default")?.credentials() }
    }

    @Test func `no text makes the reader of files trap`() {
      let pieces = ["[", "]", "=", "\n", "\r", " ", "\t", "a", "#", "[a]\n", "a=b\n", "profile ", "\"", "é", "\u{0}"]
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<5_000 {
        let text = (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        for (section, settings) in INIText.sections(of: text) {
          #expect(
            !section.contains("\n") && settings.keys.allSatisfy { !$0.contains("\n") }, "\(text.debugDescription)")
        }
      }
    }
  }

#endif
