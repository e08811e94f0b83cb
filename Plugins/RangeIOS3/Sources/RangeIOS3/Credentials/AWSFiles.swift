#if S3

  /// The credentials file and the configuration file of the AWS tools.
  struct AWSFiles: Sendable {
    private let credentials: [String: [String: String]]
    private let configuration: [String: [String: String]]

    /// - Parameters:
    ///   - credentials: the text of `~/.aws/credentials`, whose sections are `[name]`.
    ///   - configuration: the text of `~/.aws/config`, whose sections are `[profile name]`, `[default]`, and others.
    init(credentials: String?, configuration: String?) {
      self.credentials = credentials.map { INIText.sections(of: $0) } ?? [:]
      self.configuration = configuration.map { INIText.sections(of: $0) } ?? [:]
    }

    private static let keys = [
      "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "aws_security_token",
    ]

    /// The profile called `name`, by both files. What the credentials file says goes before. `nil` if neither has it.
    func profile(_ name: String) -> AWSProfile? {
      var second = configuration["profile \(name)"] ?? (name == "default" ? configuration["default"] : nil)
      guard credentials[name] != nil || second != nil else { return nil }
      // Keys are of one file: a token of the other belongs to other keys.
      if let first = credentials[name], Self.keys.contains(where: { first[$0]?.isEmpty == false }) {
        for key in Self.keys { second?[key] = nil }
      }
      return AWSProfile(
        name: name, settings: (second ?? [:]).merging(credentials[name] ?? [:]) { $1 }, files: self)
    }

    /// The settings of `[kind name]` in the configuration file, such as `[sso-session name]`.
    func section(_ kind: String, _ name: String) -> [String: String]? { configuration["\(kind) \(name)"] }
  }

#endif
