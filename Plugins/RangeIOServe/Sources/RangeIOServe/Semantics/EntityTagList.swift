package import RangeIORemote

/// The value of `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
package enum EntityTagList: Equatable, Sendable {
  /// `*`: any version.
  case any
  case tags([EntityTag])

  /// Parses the values of all fields of that name. What is no tag is left out, so that it matches nothing.
  package init(_ values: [String]) {
    var tags: [EntityTag] = []
    for value in values {
      if HTTPText.trimmed(value) == "*" {
        self = .any
        return
      }
      tags += Self.elements(of: value).compactMap { EntityTag($0) }.filter(\.isQuoted)
    }
    self = .tags(tags)
  }

  /// The parts between commas that stand outside of quotes.
  private static func elements(of value: String) -> [String] {
    var elements: [String] = []
    var element: [UInt8] = []
    var isQuoted = false
    for byte in value.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ","), !isQuoted {
        elements.append(String(decoding: element, as: UTF8.self))
        element = []
      } else {
        element.append(byte)
      }
    }
    return elements + [String(decoding: element, as: UTF8.self)]
  }

  /// `true` if one of these is `tag` and both are strong, and for `*`.
  package func matchesStrongly(_ tag: EntityTag?) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tag.map { tag in !tag.isWeak && tags.contains(tag) } ?? false
    }
  }

  /// `true` if one of these has the text of `tag`, weak or strong, and for `*`.
  package func matchesWeakly(_ tag: EntityTag?) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tag.map { tag in tags.contains { $0.opaque == tag.opaque } } ?? false
    }
  }
}
