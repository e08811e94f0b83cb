internal import RangeIO

/// The path and query of a request, decoded and checked.
package struct RequestTarget: Equatable, Sendable {
  /// The names between slashes, decoded. None is empty, `.`, `..`, or has a slash or a NUL.
  package let names: [ServedName]
  package let endsInSlash: Bool
  /// The text after the question mark, as it was sent.
  package let query: Substring?

  /// Parses a path that begins with a slash. `nil` if it names nothing that could be served: a name that begins with a
  /// dot, so that none leads up or to a hidden file; an encoded slash or NUL.
  package init?(_ text: String) {
    let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
    self.init(Array(text[..<(mark ?? text.endIndex)].utf8), mark.map { text[text.utf8.index(after: $0)...] }) {
      ServedName(encoded: $0)
    }
  }

  /// The same of a path that was decoded already, and has no query.
  package init?(decoded path: [UInt8]) { self.init(path, nil) { ServedName(bytes: $0) } }

  private init?(_ path: [UInt8], _ query: Substring?, _ name: (ArraySlice<UInt8>) -> ServedName?) {
    let slash = UInt8(ascii: "/")
    guard path.first == slash else { return nil }
    var names: [ServedName] = []
    for part in path.split(separator: slash, omittingEmptySubsequences: true) {
      guard let name = name(part), name.isServed else { return nil }
      names.append(name)
    }
    self.names = names
    self.query = query
    endsInSlash = path.last == slash
  }

  /// The path for logs, in one line, and without what may be secret in it.
  package var shown: String {
    LoggedText.line(ShownName.target("/" + names.map(\.description).joined(separator: "/")))
  }

  /// The value of the first field called `name` in the query, decoded; `nil` also if it is no UTF-8.
  package func parameter(_ name: String) -> String? {
    bytes(of: name).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The value of the first field called `name` in the query, decoded.
  package func bytes(of name: String) -> [UInt8]? {
    for field in query?.split(separator: "&") ?? [] {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts[0] == name else { continue }
      return parts.count > 1 ? ServedName(encoded: parts[1].utf8)?.bytes : []
    }
    return nil
  }
}
