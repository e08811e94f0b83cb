internal import RangeIO
internal import RangeIOHTTPTransport

/// The path and query of a request, decoded and checked.
package struct RequestTarget: Equatable, Sendable {
  /// The names between slashes, decoded. None is empty, `.`, `..`, or has a slash or a NUL.
  package let names: [String]
  /// Whether the path ends in a slash.
  package let endsInSlash: Bool
  /// What follows the question mark, as it was sent.
  package let query: Substring?

  /// Parses a path that begins with a slash. `nil` if it names nothing that could be served: a name that begins with a
  /// dot, so that none leads up or to a hidden file; an encoded slash or NUL; what is no UTF-8.
  package init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
    let path = text[..<(mark ?? text.endIndex)]
    query = mark.map { text[text.utf8.index(after: $0)...] }
    var names: [String] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      guard let name = Self.decoded(part), Self.isServed(name) else { return nil }
      names.append(name)
    }
    self.names = names
    endsInSlash = path.utf8.last == UInt8(ascii: "/")
  }

  /// The same of a path that was decoded already, and has no query.
  package init?(decoded path: String) {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    query = nil
    names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true).map { String(Substring($0)) }
    endsInSlash = path.utf8.last == UInt8(ascii: "/")
    guard names.allSatisfy(Self.isServed) else { return nil }
  }

  /// The path for logs, without what may be secret in it.
  var shown: String { ShownName.target("/" + names.joined(separator: "/")) }

  /// Whether `name` may be served at all.
  package static func isServed(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.first != UInt8(ascii: ".") && !name.utf8.contains { $0 == 0 || $0 == 47 }
  }

  /// The value of the first field called `name` in the query, decoded.
  package func parameter(_ name: String) -> String? {
    for field in query?.split(separator: "&") ?? [] {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts[0] == name else { continue }
      return parts.count > 1 ? Self.decoded(parts[1].utf8[...]) : ""
    }
    return nil
  }

  /// `nil` for a `%` without two hexadecimal digits, and for bytes that are no UTF-8.
  private static func decoded(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap({ PercentCoding.value($0) }),
        let low = rest.popFirst().flatMap({ PercentCoding.value($0) })
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// `name` as it stands in a URL: all but the unreserved characters encoded.
  package static func encoded(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95, 126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
