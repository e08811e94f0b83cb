#if S3
  internal import RangeIO

  /// The settings of one profile of the AWS tools, from their credentials file and their configuration file.
  struct AWSProfile: Sendable {
    /// As in `[profile name]`.
    let name: String
    /// Settings by their lower-case names. Those below a setting have its name before theirs: `s3.endpoint_url`.
    let settings: [String: String]
    /// What the profile may refer to.
    let files: AWSFiles

    /// A setting; an empty one counts as none.
    subscript(setting: String) -> String? { settings[setting].flatMap { $0.isEmpty ? nil : $0 } }

    /// The credentials of a profile, or where they come from.
    enum Credentials: Equatable {
      case keys(S3Credentials)
      /// A command that prints them.
      case process(String)
      case webIdentity(WebIdentity)
      /// A role that the credentials of another place take on.
      case role(AssumedRole)
      case sso(SSOLogin)
      case login(LoginSession)
      /// Nothing: look elsewhere.
      case none
    }

    /// Determines how the profile gets credentials, in the order of the AWS tools.
    ///
    /// - Throws: `invalidConfiguration` for half of something, for ways that are not supported, and for settings that may
    ///   say how but are not known.
    func credentials() throws(ReadError) -> Credentials {
      try checkNames()
      if let role = self["role_arn"] {
        if let file = self["web_identity_token_file"] {
          return .webIdentity(WebIdentity(tokenFile: file, role: role, session: self["role_session_name"]))
        }
        return .role(try AssumedRole(role, self))
      }
      if self["web_identity_token_file"] != nil { throw missing("role_arn", beside: "web_identity_token_file") }
      if self["sso_role_name"] != nil || self["sso_account_id"] != nil { return .sso(try SSOLogin(self)) }
      if let keys = try keys() { return .keys(keys) }
      if let session = self["login_session"] { return .login(LoginSession(profile: name, session: session)) }
      if let command = self["credential_process"] { return .process(command) }
      if self["source_profile"] != nil { throw missing("role_arn", beside: "source_profile") }
      if self["credential_source"] != nil { throw missing("role_arn", beside: "credential_source") }
      if self["sso_session"] != nil || self["sso_start_url"] != nil {
        throw missing("sso_account_id and sso_role_name", beside: "a sign-in by SSO")
      }
      return .none
    }

    /// The keys that are written down; `nil` if there are none.
    func keys() throws(ReadError) -> S3Credentials? {
      switch (self["aws_access_key_id"], self["aws_secret_access_key"]) {
      case (nil, nil): return nil
      case (let id?, let secret?):
        return S3Credentials(
          accessKeyID: id, secretAccessKey: secret,
          sessionToken: self["aws_session_token"] ?? self["aws_security_token"])
      case (nil, _): throw missing("aws_access_key_id", beside: "aws_secret_access_key")
      case (_, nil): throw missing("aws_secret_access_key", beside: "aws_access_key_id")
      }
    }

    /// A setting that is `true` or `false`; `nil` if it is neither set.
    ///
    /// - Throws: `invalidConfiguration` for another value.
    func flag(_ setting: String) throws(ReadError) -> Bool? {
      try self[setting].map { text throws(ReadError) in try Self.flag(text, setting) }
    }

    /// `true` or `false`, in letters of any case.
    ///
    /// - Parameter name: what errors call it.
    static func flag(_ text: String, _ name: String) throws(ReadError) -> Bool {
      switch text.lowercased() {
      case "true": return true
      case "false": return false
      default: throw ReadError(.invalidConfiguration, "\(name) is neither true nor false: correct it")
      }
    }

    /// An error about this profile.
    func invalid(_ text: String) -> ReadError {
      ReadError(.invalidConfiguration, "the profile '\(name)' \(text)")
    }

    func missing(_ setting: String, beside other: String) -> ReadError {
      invalid("has \(other) without \(setting): add it")
    }
  }

#endif
