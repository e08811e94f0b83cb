#if Telemetry
  /// What a source is called, as an attribute: which one depends on what the name looks like.
  struct SourceName: Hashable, Sendable {
    /// `url.full` for a URL, `file.path` for an absolute path, `rangeio.source.name` for anything else.
    let key: TelemetryName
    let value: String

    init(_ name: String) {
      if name.firstRange(of: "://") != nil {
        (key, value) = (.url, Self.redacted(name))
      } else if name.hasPrefix("/") {
        (key, value) = (.filePath, name)
      } else {
        (key, value) = (.sourceName, name)
      }
    }

    private static let redaction = "REDACTED"

    /// The URL without user, password and the values of its query, which may be signatures.
    ///
    /// Names of sources have no secrets, by their contract; but what is sent to a backend stays there, so this does not
    /// rely on it. The form is that of OpenTelemetry's `url.full`.
    static func redacted(_ url: String) -> String {
      guard let scheme = url.firstRange(of: "://") else { return url }
      let rest = url[scheme.upperBound...]
      let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
      var authority = rest[..<authorityEnd]
      var user = ""
      if let at = authority.lastIndex(of: "@") {
        user = authority[..<at].contains(":") ? "\(redaction):\(redaction)@" : "\(redaction)@"
        authority = authority[authority.index(after: at)...]
      }
      // A fragment never reaches a server, and may have anything in it.
      let target = rest[authorityEnd...].prefix { $0 != "#" }
      let path = target.prefix { $0 != "?" }
      let query = target.dropFirst(path.count).dropFirst()
      let fields = query.split(separator: "&").map { field in
        field.contains("=") ? "\(field.prefix { $0 != "=" })=\(redaction)" : redaction
      }
      return url[..<scheme.upperBound] + user + authority + path
        + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }
  }
#endif
