internal import RangeIORemote
internal import RangeIOSupport

/// A name in a path, byte for byte as in a file system or an object store.
///
/// Swift holds two spellings of a character for equal, such as "é" in one scalar and in two: there they are two names. And
/// a name need not be UTF-8.
public struct ServedName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes, without slashes.
  public let bytes: [UInt8]

  /// The name of these bytes.
  public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The name `text`, in UTF-8.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// The name `text`, in UTF-8.
  public init(stringLiteral text: String) { self.init(text) }

  /// The name as text. What is no UTF-8 shows as `\u{FFFD}`.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// `true` if ``description`` is all of it: the name is UTF-8.
  package var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// `false` for a name that is never served.
  package var isServed: Bool {
    !bytes.isEmpty && bytes.first != UInt8(ascii: ".") && !bytes.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }

  /// The name as it stands in a URL: all but the unreserved characters encoded.
  package var encoded: String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95, 126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }

  /// The name that stands so in a URL; `nil` for a `%` without two hexadecimal digits.
  init?(encoded text: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap({ PercentCoding.value($0) }),
        let low = rest.next().flatMap({ PercentCoding.value($0) })
      else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }
}
