import CRangeIOSystem

/// The id of a source, compared and hashed by its bytes.
///
/// Swift strings are equal if Unicode treats them as the same text: `é` as one character equals `e` followed by an
/// accent. On most file systems those are two names, and to every server two URLs.
struct SourceID: Hashable, Sendable {
  /// As the source gave it.
  private(set) var text: String

  init(_ text: String) {
    self.text = text
    // Convert a string from Foundation on Apple platforms to UTF-8 once, not in each comparison.
    self.text.makeContiguousUTF8()
  }

  static func == (a: SourceID, b: SourceID) -> Bool { a.text.hasSameBytes(as: b.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // A terminator, as strings have: the length varies.
    hasher.combine(UInt8.max)
  }
}

extension String {
  /// Compares the UTF-8 bytes of both strings.
  func hasSameBytes(as other: String) -> Bool {
    var (a, b) = (self, other)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        // A loop over the bytes takes 33 instructions per byte.
        return memcmp(first, second, a.count) == 0
      }
    }
  }
}
