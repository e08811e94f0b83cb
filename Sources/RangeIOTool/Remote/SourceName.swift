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

  /// Whether a host, or a bucket, follows the scheme of the URL.
  var hasHost: Bool {
    guard isURL, let start = text.firstRange(of: "://")?.upperBound else { return false }
    return text[start...].first.map { !"/?#:".contains($0) } ?? false
  }

  /// What to add to the message that there is no such file: the path looks like a URL.
  var advice: String {
    guard kind == .path, let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound] }), !scheme.isEmpty,
      scheme.allSatisfy({ $0.isLetter || $0.isNumber })
    else { return "" }
    return " ('\(scheme)' is no scheme that rangeio reads: http, https, s3)"
  }

  /// The name for messages, progress and statistics: without a password, and without the values of the query, which
  /// may be a signature or a token.
  var shown: String {
    guard isURL, let start = text.firstRange(of: "://")?.upperBound else { return text }
    if let shown = Self.shownWithoutPassword(text[start...]) { return text[..<start] + shown }
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

  /// What can be shown of `rest`, which follows `://`, if a password in it has a character that ends a host, so that the
  /// text is no URL; `nil` if it is one.
  private static func shownWithoutPassword(_ rest: Substring) -> String? {
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.first == "[" ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
    let isHost = host.isEmpty ? authority.first != "[" || authority.last == "]" : host.first == ":"
    if authority.contains("@") || (isHost && host.dropFirst().allSatisfy(\.isNumber)) { return nil }
    let more = rest[authority.endIndex...]
    guard let at = more.lastIndex(of: "@") else { return nil }
    // Past a question mark, the sign may be one of a query.
    guard !more[..<at].contains(where: { "?#".contains($0) }) else { return "…" }
    return String(more[more.index(after: at)...].prefix { !"?#".contains($0) })
  }

  /// Names in queries whose values say which object it is, and grant nothing.
  private static let harmless: Set<String> = ["versionid", "generation", "partnumber"]
}
