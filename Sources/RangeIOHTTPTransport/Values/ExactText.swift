/// Text of a header, compared by its bytes.
///
/// Swift strings are equal if Unicode treats them as the same text; to a server those are two tags.
public struct ExactText: Hashable, Sendable {
  /// As the server gave it.
  public let text: String

  /// For messages: at most 100 bytes, without control characters.
  var shown: String {
    let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
    let line = String(String.UnicodeScalarView(scalars))
    return line.utf8.count <= 100 ? line : String(decoding: line.utf8.prefix(96), as: UTF8.self) + "…"
  }

  /// Wraps `text`.
  public init(_ text: String) { self.text = text }

  /// Whether all bytes are the same.
  public static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8.max)
  }
}

/// Comparisons of text as HTTP makes them: by bytes, with ASCII letters of either case equal.
enum HTTPText {
  /// The byte with `A…Z` as `a…z`.
  static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

  /// `text` with `A…Z` as `a…z`; no other letter changes.
  static func lower(_ text: some StringProtocol) -> String { String(decoding: text.utf8.map(lower(_:)), as: UTF8.self) }

  /// Whether both are the same but for the case of ASCII letters.
  static func areEqual(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    a.utf8.lazy.map(lower(_:)).elementsEqual(b.utf8.lazy.map(lower(_:)))
  }

  /// `text` without spaces and tabs at its ends.
  static func trimmed(_ text: some StringProtocol) -> String {
    var bytes = Array(text.utf8)[...]
    bytes = bytes.drop { $0 == 32 || $0 == 9 }
    while bytes.last == 32 || bytes.last == 9 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number that `text` spells with digits only; `nil` for signs, other characters and what does not fit.
  static func number(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
