/// The value of `Content-Range` (RFC 9110, section 14.4). `bytes=0-9/100`, as some servers write it, is the same.
enum ContentRange: Hashable, Sendable {
  /// `bytes 0-9/100`, or with a total of `*`.
  case range(Range<Int>, total: Int?)
  /// `bytes */100`: no range of these bytes can be had.
  case unsatisfied(total: Int)
  /// Another unit, `*/*`, or nonsense.
  case invalid

  init(_ value: String) {
    self = Self.usual(value) ?? Self.parse(value) ?? .invalid
  }

  /// The form that nearly all answers have, digit by digit: `bytes 0-9/100`. `nil` for all others.
  private static func usual(_ value: String) -> ContentRange? {
    var rest = value.utf8[...]
    func take(_ text: StaticString) -> Bool {
      text.withUTF8Buffer { expected in
        guard rest.starts(with: expected) else { return false }
        rest.removeFirst(expected.count)
        return true
      }
    }
    func number() -> Int? {
      var number = 0
      let digits = rest.prefix { (48...57).contains($0) }
      // More digits might overflow.
      guard (1...18).contains(digits.count) else { return nil }
      for digit in digits { number = number * 10 + Int(digit - 48) }
      rest.removeFirst(digits.count)
      return number
    }
    guard take("bytes "), let first = number(), take("-"), let last = number(), take("/"), let total = number(),
      rest.isEmpty, first <= last, last < total
    else { return nil }
    return .range(first..<last + 1, total: total)
  }

  private static func parse(_ value: String) -> ContentRange? {
    let text = HTTPText.trimmed(value)
    guard text.utf8.count > 6, HTTPText.areEqual(text.prefix(5), "bytes"),
      let separator = text.dropFirst(5).first, " \t=".contains(separator)
    else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false).map { HTTPText.trimmed($0) }
    guard parts.count == 2 else { return nil }
    let total = parts[1] == "*" ? nil : HTTPText.number(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    if parts[0] == "*" { return total.map { .unsatisfied(total: $0) } }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = HTTPText.number(ends[0]), let last = HTTPText.number(ends[1]), first <= last,
      last < total ?? .max
    else { return nil }
    return .range(first..<last + 1, total: total)
  }
}

extension ResponseHead {
  /// `nil` without such a field. Several are one only if they say the same.
  var contentRange: ContentRange? {
    let values = fields.values(of: "Content-Range")
    guard let first = values.first else { return nil }
    let range = ContentRange(first)
    return values.dropFirst().allSatisfy { ContentRange($0) == range } ? range : .invalid
  }
}
