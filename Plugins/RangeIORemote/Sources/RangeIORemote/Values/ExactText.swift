/// Text of a header, compared by its bytes.
///
/// Swift strings are equal if Unicode treats them as the same text; to a server those are two tags.
package struct ExactText: Hashable, Sendable {
  /// As the server gave it.
  package let text: String

  /// For messages: at most 100 bytes, without control characters.
  var shown: String {
    let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
    let line = String(String.UnicodeScalarView(scalars))
    return line.utf8.count <= 100 ? line : String(decoding: line.utf8.prefix(96), as: UTF8.self) + "…"
  }

  /// Wraps `text`.
  package init(_ text: String) { self.text = text }

  /// True if all bytes are the same.
  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8.max)
  }
}

/// Comparisons of text as HTTP makes them: by bytes, with ASCII letters of either case equal.
package enum HTTPText {
  /// The byte with `A…Z` as `a…z`.
  package static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

  /// `text` with `A…Z` as `a…z`; no other letter changes.
  package static func lower(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(lower(_:)), as: UTF8.self)
  }

  /// True if both are the same but for the case of ASCII letters.
  package static func areEqual(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    // Most names differ in length already.
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).allSatisfy { $0 == $1 || lower($0) == lower($1) }
  }

  /// `text` without spaces and tabs at its ends.
  package static func trimmed(_ text: some StringProtocol) -> String {
    // Nearly all text has none.
    let isTrimmed = text.utf8.withContiguousStorageIfAvailable { !isSpace($0.first) && !isSpace($0.last) }
    if isTrimmed == true { return String(text) }
    var bytes = Array(text.utf8)[...]
    bytes = bytes.drop { isSpace($0) }
    while isSpace(bytes.last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8?) -> Bool { byte == 32 || byte == 9 }

  /// The number that `text` spells with digits only; `nil` for signs, other characters and what does not fit.
  package static func number(_ text: some StringProtocol) -> Int? {
    var number = 0
    for byte in text.utf8 {
      guard (48...57).contains(byte) else { return nil }
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, overrun) = tens.addingReportingOverflow(Int(byte - 48))
      guard !overflow, !overrun else { return nil }
      number = sum
    }
    return text.isEmpty ? nil : number
  }
}
