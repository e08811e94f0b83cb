/// The ranges that a `Range` field asks for (RFC 9110, sections 14.1.1 and 14.2).
public struct RangeField: Equatable, Sendable {
  /// One range of the field.
  public enum Element: Equatable, Sendable {
    /// From `first` to `last`, both included; to the end without `last`.
    case from(Int, through: Int?)
    /// The last bytes.
    case suffix(Int)

    /// The bytes of an object of `size` bytes that this means; `nil` if it has none of them.
    public func resolved(in size: Int) -> Range<Int>? {
      switch self {
      case .from(let first, let last):
        guard first < size else { return nil }
        let end = last.map { $0 < size ? $0 + 1 : size } ?? size
        return first..<end
      case .suffix(let count): return count > 0 && size > 0 ? size - min(count, size)..<size : nil
      }
    }
  }

  /// In the order of the field; at least one.
  public let elements: [Element]

  /// Parses the value of a `Range` field.
  ///
  /// `nil` for another unit and for what is no set of ranges, such as `bytes=5-2`: a server ignores both. Numbers that
  /// are too large stand for the largest.
  public init?(_ value: String) {
    let bytes = value.utf8
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
      Self.trimmed(bytes[..<equals]).elementsEqual("bytes".utf8, by: { $0 | 0x20 == $1 })
    else { return nil }
    var elements: [Element] = []
    for part in bytes[bytes.index(after: equals)...].split(separator: UInt8(ascii: ",")) {
      let text = Self.trimmed(part)
      // Empty elements of a list count for nothing (RFC 9110, section 5.6.1.2).
      if text.isEmpty { continue }
      guard let element = Self.element(text) else { return nil }
      elements.append(element)
    }
    guard !elements.isEmpty else { return nil }
    self.elements = elements
  }

  /// Without spaces and tabs at its ends.
  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    var text = text.drop { $0 == 32 || $0 == 9 }
    while text.last == 32 || text.last == 9 { text.removeLast() }
    return text
  }

  private static func element(_ text: Substring.UTF8View) -> Element? {
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (first, last) = (text[..<dash], text[text.index(after: dash)...])
    guard !first.isEmpty else { return number(last).map { .suffix($0) } }
    guard let start = number(first) else { return nil }
    guard !last.isEmpty else { return .from(start, through: nil) }
    guard let end = number(last), start <= end else { return nil }
    return .from(start, through: end)
  }

  private static func number(_ text: Substring.UTF8View) -> Int? {
    guard !text.isEmpty, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(Substring(text)) ?? .max
  }
}
