/// An entity tag (RFC 9110, section 8.8.3), as tolerant as servers need it: without quotes, with a small `w/`.
///
/// A suffix such as `-gzip` is part of the tag: it names another representation.
package struct EntityTag: Hashable, Sendable {
  /// The text within the quotes.
  package let opaque: ExactText
  /// Equal tags mean the same content but perhaps not the same bytes.
  package let isWeak: Bool
  /// The server put it in quotes. If not, it can be compared but not sent in `If-Match`.
  package let isQuoted: Bool

  /// Parses the value of an `ETag` field; `nil` if there is nothing in it.
  package init?(_ value: String) {
    // By bytes: a quote and a mark that combines with it are one character.
    var bytes = Array(HTTPText.trimmed(value).utf8)[...]
    isWeak = bytes.count > 2 && HTTPText.lower(bytes[0]) == UInt8(ascii: "w") && bytes[1] == UInt8(ascii: "/")
    if isWeak { bytes = bytes.dropFirst(2) }
    isQuoted = bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
    if isQuoted { bytes = bytes.dropFirst().dropLast() }
    let text = String(decoding: bytes, as: UTF8.self)
    // What was no UTF-8 has lost its bytes, so that two tags may look alike.
    guard !text.isEmpty, !text.unicodeScalars.contains("\u{fffd}") else { return nil }
    opaque = ExactText(text)
  }

  /// As `If-Match` needs it; `nil` for a tag that can never match there (section 13.1.1).
  var condition: String? { isWeak || !isQuoted ? nil : "\"\(opaque.text)\"" }

  /// The content behind an encoding may hide in this tag: `"5e1f-gzip"` (Apache), `"5e1f--gzip"` (Jetty).
  var namesEncoding: Bool {
    ["-gzip", "-br", "-zstd", "-deflate", ";gzip", ";br"].contains { HTTPText.lower(opaque.text).hasSuffix($0) }
  }

  /// True if both are the same tag, of the same strength. Quotes do not matter.
  package static func == (a: EntityTag, b: EntityTag) -> Bool { a.opaque == b.opaque && a.isWeak == b.isWeak }

  /// Hashes what is compared.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(opaque)
    hasher.combine(isWeak)
  }
}
