/// The cookies that redirects have set, for the requests of one read: some servers send their visitors in a circle until
/// they have one. Each goes back to the origin that set it and to no other, whatever its domain and path (RFC 6265).
struct RedirectCookies: Hashable, Sendable {
  /// More are left out.
  static let maxCount = 32
  /// Longer ones are left out, in bytes of name and value.
  static let maxBytes = 4096

  private struct Cookie: Hashable, Sendable {
    let origin: ObjectURL.Origin
    let name: String
    let value: String
  }
  private var all: [Cookie] = []

  /// Takes what an answer of `origin` sets, and drops what it ends.
  mutating func take(_ head: ResponseHead, from origin: ObjectURL.Origin, at now: Int) {
    for field in head.fields.values(of: "Set-Cookie") {
      let parts = field.split(separator: ";", omittingEmptySubsequences: false)
      guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { continue }
      let name = HTTPText.trimmed(pair[..<equals])
      let value = HTTPText.trimmed(pair[pair.index(after: equals)...])
      guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.maxBytes, HeaderFields.isValue(name + value)
      else { continue }
      all.removeAll { $0.origin == origin && $0.name == name }
      if all.count < Self.maxCount, !Self.isOver(parts.dropFirst(), at: now) {
        all.append(Cookie(origin: origin, name: name, value: value))
      }
    }
  }

  /// The value of the field `Cookie` for `origin`; `nil`: there is none.
  func field(for origin: ObjectURL.Origin) -> String? {
    let pairs = all.filter { $0.origin == origin }.map { "\($0.name)=\($0.value)" }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  /// True if a cookie with these attributes is to be forgotten. `Max-Age` goes before `Expires`.
  private static func isOver(_ attributes: ArraySlice<Substring>, at now: Int) -> Bool {
    func value(_ name: String) -> String? {
      attributes.lazy.map { $0.split(separator: "=", maxSplits: 1).map { HTTPText.trimmed($0) } }
        .last { $0.count == 2 && HTTPText.areEqual($0[0], name) }?[1]
    }
    if let age = value("Max-Age") { return age.hasPrefix("-") || HTTPText.number(age) == 0 }
    return value("Expires").flatMap { HTTPDate($0) }.map { $0.secondsSince1970 <= now } ?? false
  }
}
