/// A request's target that is a whole URL, as proxies send it: its host, and what to ask it for.
///
/// - Source: RFC 9112, section 3.2.2; RFC 3986, sections 3.1 to 3.5.
package struct TargetURL: Equatable, Sendable {
  /// What stands between the slashes and the path, unchecked.
  package let authority: Substring
  /// The path and the query; `/` if there is none.
  package let path: String

  /// `nil` for what is a path, or no URL with an authority.
  package init?(_ target: String) {
    // Nearly every target is a path.
    guard target.utf8.first != UInt8(ascii: "/"), let mark = target.firstRange(of: "://") else { return nil }
    let scheme = target[..<mark.lowerBound].utf8
    guard let first = scheme.first, Self.isLetter(first),
      scheme.allSatisfy({ Self.isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0) })
    else { return nil }
    let rest = target[mark.upperBound...]
    authority = rest.prefix { !"/?#".contains($0) }
    let path = rest[authority.endIndex...].prefix { $0 != "#" }
    self.path = path.utf8.first == UInt8(ascii: "/") ? String(path) : "/" + path
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }
}
