internal import RangeIO
internal import RangeIOSupport

extension ObjectURL {
  /// The URL that `location` means in an answer to this one (RFC 3986, section 5.2), without user info.
  ///
  /// Tolerates a `Location` that is not encoded. An absolute one stays as it is, with `..` and `//`, for it may be
  /// signed.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration`.
  func resolve(_ location: String) throws(ReadError) -> ObjectURL {
    let text = HTTPText.trimmed(location)
    if Self.hasScheme(text) { return try ObjectURL(text).withoutUser() }
    if text.utf8.starts(with: "//".utf8) { return try ObjectURL("\(scheme.rawValue):\(text)").withoutUser() }
    let reference = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    let parts = reference.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    // In ASCII each byte is a character.
    let newPath = PercentCoding.legal(parts.first.map { Substring($0) } ?? "")
    let newQuery = parts.count > 1 ? String(Substring(parts[1])) : nil
    let base = try withoutUser()
    if newPath.isEmpty { return try base.with(path: path, query: newQuery ?? query) }
    let merged = newPath.hasPrefix("/") ? newPath : Self.directory(path) + newPath
    return try base.with(path: Self.withoutDots(merged), query: newQuery)
  }

  private func withoutUser() throws(ReadError) -> ObjectURL {
    try ObjectURL(scheme: scheme, host: host, port: port, path: path, query: query)
  }

  /// True if a colon ends a scheme, before anything that a scheme cannot have.
  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first,
      (97...122).contains(HTTPText.lower(first))
    else { return false }
    return text.utf8[..<colon].allSatisfy { byte in
      let lower = HTTPText.lower(byte)
      return (97...122).contains(lower) || (48...57).contains(lower) || "+-.".utf8.contains(lower)
    }
  }

  /// `path` up to its last slash, with it.
  private static func directory(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  /// `path`, which begins with a slash, without the segments `.` and `..` (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
