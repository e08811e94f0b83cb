/// Hides what must not be shown of a name that may be a URL: in errors, listings and logs, on a screen and on a disk.
///
/// An allow list, since no list of secret names is complete: shown are scheme, host, port and path, and of the query
/// what says which object it is and grants nothing. For anything else stands `…`. A secret that is a plain part of a path
/// is shown: nothing tells it from the name of an object.
///
/// ``SourceDescription`` and ``ReadError`` pass all names through it, so that sources and stages need not. What was
/// shown once is shown as it is.
package enum ShownName {
  /// Parameters of queries, in lower case.
  private static let harmless = ["versionid", "generation", "partnumber", "snapshot"]

  /// `name` as it may be shown, if there is a URL in it; anything else as it is. A path that begins with a slash, a dot or a
  /// tilde is anything else.
  package static func of(_ name: String) -> String {
    let bytes = name.utf8
    guard let first = bytes.first, !"/.~".utf8.contains(first), !bytes.starts(with: "file:".utf8),
      let end = endOfScheme(bytes[...]) ?? endOfInnerScheme(bytes), !bytes[end...].allSatisfy(isPlain)
    else { return name }
    return name[..<end] + afterScheme(name[end...])
  }

  /// A URL or a path that a user typed, as it may be shown. The scheme may be mistyped or forgotten; a path that begins with a
  /// slash, a dot or a tilde is shown as it is.
  package static func typed(_ text: String) -> String {
    let bytes = text.utf8
    if endOfScheme(bytes[...]) != nil || bytes.starts(with: "file:".utf8) { return of(text) }
    guard let first = bytes.first, bytes.starts(with: "//".utf8) || !"/.~".utf8.contains(first) else { return text }
    let start = startAfterTypo(bytes)
    if start > bytes.startIndex { return text[..<start] + afterScheme(text[start...]) }
    // Without a colon before it, a sign belongs to the name of a file, as in `logo@2x.png`.
    let isName = bytes.firstIndex(of: UInt8(ascii: ":")).map { !bytes[$0...].contains(UInt8(ascii: "@")) } ?? true
    guard let name = isName ? text[...] : afterPassword(text[...]) else { return "…" }
    let path = name.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }
    return name[..<path.endIndex] + (path.endIndex < name.endIndex ? "\(name[path.endIndex])…" : "")
  }

  /// The target of a request, which begins with a slash, as it may be shown.
  package static func target(_ target: String) -> String { self.target(target[...]) }

  // MARK: parts

  /// Where the slashes of `scheme://` end, of which one may have been lost. The name of a file has nothing to hide.
  private static func endOfScheme(_ text: Substring.UTF8View) -> String.Index? {
    // Most names are paths: they are done with here.
    guard let first = text.first, isLetter(first) else { return nil }
    let scheme = text.prefix { isLetter($0) || isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    let rest = text[scheme.endIndex...]
    guard scheme.count > 1, rest.first == UInt8(ascii: ":"), !scheme.elementsEqual("file".utf8) else { return nil }
    let slashes = rest.dropFirst().prefix { $0 == UInt8(ascii: "/") }
    return slashes.isEmpty ? nil : slashes.endIndex
  }

  /// Where the first `://` ends, whatever stands before it, as in `gz:https://host/`.
  private static func endOfInnerScheme(_ text: String.UTF8View) -> String.Index? {
    var slashes = 0
    var colon = false
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: ":"): (colon, slashes) = (true, 0)
      case UInt8(ascii: "/") where colon:
        slashes += 1
        if slashes == 2 { return text.index(after: index) }
      default: colon = false
      }
    }
    return nil
  }

  /// Where a scheme ends that was mistyped, such as `https;//`, `http//`, `https:` or `//`; the beginning if there is none.
  private static func startAfterTypo(_ text: String.UTF8View) -> String.Index {
    let letters = text.prefix { isLetter($0) || isDigit($0) }
    let marks = text[letters.endIndex...].prefix { ":;,./".utf8.contains($0) }
    let isKnown = ["http", "https", "s3", "gs"].contains(String(Substring(letters)).lowercased())
    if isKnown, !marks.isEmpty { return marks.endIndex }
    return marks.suffix(2).elementsEqual("//".utf8) ? marks.endIndex : text.startIndex
  }

  /// Host, path and query.
  private static func afterScheme(_ text: Substring) -> String {
    guard let rest = afterPassword(text) else { return "…" }
    let authority = rest.utf8.prefix { !"/?#;".utf8.contains($0) }
    let path = target(rest[authority.endIndex...])
    return startOfNoPort(authority).map { rest[..<$0] + "…" + path } ?? rest[..<authority.endIndex] + path
  }

  /// The text after a user and a password; `nil` if it cannot be told, because a password may have a question mark.
  ///
  /// A password that is not encoded may have any sign, also `@` and digits before a slash. So it ends at the last `@` of all,
  /// unless nothing but a host and a slash stand before it: what has a colon there may be a user and the beginning of a
  /// password. Of a URL with a port, or a user, and an `@` in its path this hides too much.
  private static func afterPassword(_ text: Substring) -> Substring? {
    let bytes = text.utf8
    guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return text }
    let authority = bytes.prefix { !"/?#".utf8.contains($0) }
    let isHost =
      authority.first == UInt8(ascii: "[")
      ? startOfNoPort(authority) == nil : !authority.contains { ":@".utf8.contains($0) }
    if isHost, bytes[authority.endIndex...].first == UInt8(ascii: "/") { return text }
    return bytes[..<at].contains { "?#".utf8.contains($0) } ? nil : text[bytes.index(after: at)...]
  }

  /// Where something follows a host that is no port; `nil` if nothing does.
  private static func startOfNoPort(_ authority: Substring.UTF8View) -> String.Index? {
    var rest = authority.drop { $0 != UInt8(ascii: ":") }
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return authority.startIndex }
      rest = authority[authority.index(after: close)...]
    }
    guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty ? nil : rest.startIndex }
    let port = rest.dropFirst()
    // Without digits it may be the first part of a password that begins with a slash.
    return !port.isEmpty && port.allSatisfy(isDigit) ? nil : port.startIndex
  }

  private static func target(_ text: Substring) -> String {
    let bytes = text.utf8
    let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment($0) }
    var shown = segments.joined(separator: "/")
    guard path.endIndex < bytes.endIndex else { return shown }
    if bytes[path.endIndex] == UInt8(ascii: "?") {
      let query = bytes[bytes.index(after: path.endIndex)...].prefix { $0 != UInt8(ascii: "#") }
      shown += "?" + self.query(query)
      guard query.endIndex < bytes.endIndex else { return shown }
    }
    return shown + "#…"
  }

  /// A part of a path without its parameters (`;jsessionid=…`), and without a value unless that is a number or a date, as
  /// in `/year=2026/`.
  private static func segment(_ segment: Substring.UTF8View) -> String {
    var index = segment.startIndex
    while index < segment.endIndex {
      let (byte, next) = decoded(segment, at: index)
      switch byte {
      case UInt8(ascii: "="):
        let value = segment[next...]
        guard !value.allSatisfy({ isDigit($0) || "-:.".utf8.contains($0) }) else { break }
        return String(Substring(segment[..<next])) + "…"
      case UInt8(ascii: ";"), UInt8(ascii: "?"): return String(Substring(segment[..<next])) + "…"
      default: break
      }
      index = next
    }
    return String(Substring(segment))
  }

  private static func query(_ query: Substring.UTF8View) -> String {
    let items = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    var shown = items.filter(isHarmless).map { String(Substring($0)) }
    if shown.count < items.count, !query.isEmpty { shown.append("…") }
    return shown.joined(separator: "&")
  }

  private static func isHarmless(_ item: Substring.UTF8View) -> Bool {
    guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return false }
    return harmless.contains(String(Substring(item[..<equals])).lowercased())
      && item[equals...].allSatisfy { isLetter($0) || isDigit($0) || "=-._:%+~/".utf8.contains($0) }
  }

  /// The byte that stands at `index`, encoded or not, and where the next one stands.
  private static func decoded(_ text: Substring.UTF8View, at index: String.Index) -> (UInt8, next: String.Index) {
    let next = text.index(after: index)
    guard text[index] == UInt8(ascii: "%"), let end = text.index(next, offsetBy: 2, limitedBy: text.endIndex),
      let byte = UInt8(Substring(text[next..<end]), radix: 16)
    else { return (text[index], next) }
    return (byte, end)
  }

  /// True if `byte` begins nothing in a URL that might be hidden.
  private static func isPlain(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || (0x2D...0x2F).contains(byte) || byte == UInt8(ascii: "_") || byte > 127
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }
  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
