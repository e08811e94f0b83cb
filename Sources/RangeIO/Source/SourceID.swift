#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The id of a source, to be compared and hashed by its bytes.
///
/// Two strings are equal in Swift that Unicode takes for the same text: `é` as one character, and as `e` with an accent
/// after it. They are two names on most file systems, and two URLs to every server.
struct SourceID: Hashable, Sendable {
  /// As the source gave it.
  private(set) var text: String

  init(_ text: String) {
    self.text = text
    // A string that comes from Foundation on Apple platforms is brought into UTF-8 once, not in each comparison.
    self.text.makeContiguousUTF8()
  }

  static func == (a: SourceID, b: SourceID) -> Bool { a.text.hasSameBytes(as: b.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // Ends what is of any length, as strings do.
    hasher.combine(UInt8.max)
  }
}

extension String {
  /// Whether it is the same text in the same bytes of UTF-8.
  func hasSameBytes(as other: String) -> Bool {
    var (a, b) = (self, other)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        // A loop over the bytes takes 33 instructions for each.
        return memcmp(first, second, a.count) == 0
      }
    }
  }
}
