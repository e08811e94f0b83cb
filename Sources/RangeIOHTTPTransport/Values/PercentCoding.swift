/// Percent-encoding of URLs (RFC 3986, section 2.1).
package enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// The bytes of `text` with only those encoded that may not stand in a URL at all: controls, spaces and what is not
  /// ASCII. All others stay as they are, since a signature or a server's look-up may depend on them.
  static func legal(_ text: some StringProtocol) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte > 32, byte < 127 {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return bytes
  }

  /// `text` with each `%XX` as the byte that it means. A `%` without two hexadecimal digits stays.
  static func decoded(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    let encoded = Array(text.utf8)
    var index = 0
    while index < encoded.count {
      if encoded[index] == UInt8(ascii: "%"), index + 2 < encoded.count, let high = value(encoded[index + 1]),
        let low = value(encoded[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(encoded[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value of a hexadecimal digit.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }
}
