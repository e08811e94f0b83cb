import RangeIO

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

  /// The name for messages, progress and statistics, without what may be secret.
  var shown: String { ShownName.typed(text) }
}
