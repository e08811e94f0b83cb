/// A source as the user named it on the command line: a path, or a URL.
struct SourceName {
  enum Kind: Equatable { case path, http, s3 }

  let text: String
  let kind: Kind

  /// A file whose path begins like a URL can be named with `./` before it.
  init(_ text: String) {
    self.text = text
    let scheme = text.prefix { $0 != ":" }
    guard text[scheme.endIndex...].hasPrefix("://") else {
      kind = .path
      return
    }
    switch scheme.lowercased() {
    case "http", "https": kind = .http
    case "s3": kind = .s3
    default: kind = .path
    }
  }

  /// A path.
  init(path: String) {
    text = path
    kind = .path
  }

  var isURL: Bool { kind != .path }

  /// The name for messages, progress and statistics: without a password, and without the values of the query, which
  /// may be a signature or a token.
  var shown: String {
    guard isURL, let start = text.firstRange(of: "://")?.upperBound else { return text }
    let rest = text[start...].prefix { $0 != "#" }
    // An `@` in the path is none of a user, but one before any slash may be.
    let authority = rest.prefix { !"/?".contains($0) }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    let query = rest[path.endIndex...].dropFirst()
    let names = query.split(separator: "&", omittingEmptySubsequences: false).map { field in
      let name = field.prefix { $0 != "=" }
      if field.count == name.count || Self.harmless.contains(name.lowercased()) { return String(field) }
      return name + "=…"
    }
    return text[..<start] + host + path + (rest.contains("?") ? "?" + names.joined(separator: "&") : "")
  }

  /// Names in queries whose values say which object it is, and grant nothing.
  private static let harmless: Set<String> = ["versionid", "generation", "partnumber"]
}
