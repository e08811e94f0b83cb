#if S3
  internal import RangeIO

  /// The settings of one profile of the AWS tools, from their credentials file and their configuration file.
  struct AWSProfile: Sendable {
    /// As in `[profile name]`.
    let name: String
    /// Settings by their lower-case names.
    private var settings: [String: String]

    /// Finds the profile called `name` in both files. What the credentials file says goes before.
    ///
    /// - Parameters:
    ///   - credentials: the text of `~/.aws/credentials`, whose sections are `[name]`.
    ///   - configuration: the text of `~/.aws/config`, whose sections are `[profile name]` and `[default]`.
    /// - Returns: `nil` if neither has it.
    init?(_ name: String, credentials: String?, configuration: String?) {
      let first = credentials.flatMap { INIText.sections(of: $0)[name] }
      let sections = configuration.map { INIText.sections(of: $0) } ?? [:]
      let second = sections["profile \(name)"] ?? (name == "default" ? sections["default"] : nil)
      guard first != nil || second != nil else { return nil }
      self.name = name
      settings = (second ?? [:]).merging(first ?? [:]) { $1 }
    }

    /// A setting; an empty one counts as none.
    subscript(setting: String) -> String? { settings[setting].flatMap { $0.isEmpty ? nil : $0 } }

    /// The credentials of a profile, or where they come from.
    enum Credentials: Equatable {
      case keys(S3Credentials)
      /// A command that prints them.
      case process(String)
      case webIdentity(WebIdentity)
      /// Nothing: look elsewhere.
      case none
    }

    /// Determines how the profile gets credentials.
    ///
    /// - Throws: `invalidConfiguration` for ways that are not supported, and for half a key.
    func credentials() throws(ReadError) -> Credentials {
      if let role = self["role_arn"] {
        guard let file = self["web_identity_token_file"] else { throw unsupported("takes on a role") }
        return .webIdentity(WebIdentity(tokenFile: file, role: role, session: self["role_session_name"]))
      }
      if let id = self["aws_access_key_id"] {
        guard let secret = self["aws_secret_access_key"] else {
          throw ReadError(
            .invalidConfiguration, "the profile '\(name)' has aws_access_key_id without aws_secret_access_key: add it")
        }
        return .keys(S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: self["aws_session_token"]))
      }
      if let command = self["credential_process"] { return .process(command) }
      if self["sso_session"] != nil || self["sso_start_url"] != nil { throw unsupported("signs in by SSO") }
      return .none
    }

    private func unsupported(_ what: String) -> ReadError {
      ReadError(
        .invalidConfiguration,
        "the profile '\(name)' \(what), which is not supported: add a profile with credential_process = "
          + "aws configure export-credentials --profile \(name), and use that")
    }
  }

  /// Text of sections with settings, as the AWS tools read it.
  enum INIText {
    /// The settings of each section. Section names are without brackets, quotes and extra space; of two sections of one
    /// name, the later settings count. Indented lines belong to the setting above and are left out, as are lines that
    /// make no sense.
    static func sections(of text: String) -> [String: [String: String]] {
      var sections: [String: [String: String]] = [:]
      var section: String?
      for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
        guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
        if first == UInt8(ascii: "[") {
          let name = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }
          // A section that never ends is none, and what follows belongs to nothing.
          section = name.endIndex < line.endIndex ? sectionName(name) : nil
          if let section { sections[section, default: [:]] = sections[section] ?? [:] }
          continue
        }
        guard let section, !isSpace(first), let mark = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
        let name = String(decoding: trimmed(line[..<mark]), as: UTF8.self).lowercased()
        sections[section, default: [:]][name] = String(
          decoding: trimmed(line[line.index(after: mark)...]), as: UTF8.self)
      }
      return sections
    }

    private static func sectionName(_ text: Substring.UTF8View) -> String {
      let words = text.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }.split(whereSeparator: isSpace)
      return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
      var text = text.drop(while: isSpace)
      while let last = text.last, isSpace(last) { text = text.dropLast() }
      return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
  }

#endif
