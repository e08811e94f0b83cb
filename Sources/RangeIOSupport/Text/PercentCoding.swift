/// Percent-encoding of URLs (RFC 3986, section 2.1).
public enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// `text` as it may stand in a path, or in a query (RFC 3986, 3.3 and 3.4). Encoded is only what may not: controls,
  /// spaces, what is not ASCII, brackets and their like, and a `%` that begins no `%XX`. All else stays as it is, since a
  /// signature or a server's look-up may depend on it.
  public static func legal(_ text: some StringProtocol, inQuery: Bool = false) -> String {
    let given = Array(text.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(given.count)
    for (index, byte) in given.enumerated() {
      let isLegal =
        switch byte {
        case UInt8(ascii: "%"): given[index...].dropFirst().prefix(2).count { value($0) != nil } == 2
        case UInt8(ascii: "?"): inQuery
        default: isLegal(byte)
        }
      if isLegal { bytes.append(byte) } else { bytes += encoded(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `byte` as `%XX`.
  public static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// `text` with all but unreserved bytes (RFC 3986, 2.3) as `%XX`, and `kept` as it is.
  public static func encoded(_ text: String, keeping kept: UInt8?) -> String {
    encoded(bytes: text.utf8, keeping: kept)
  }

  /// The same of any bytes.
  public static func encoded(bytes all: some Collection<UInt8>, keeping kept: UInt8?) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(all.count)
    for byte in all {
      if isUnreserved(byte) || byte == kept { bytes.append(byte) } else { bytes += encoded(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  /// A slash, or what may stand between two.
  private static func isLegal(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "/!$&'()*+,;=:@".utf8.contains(byte)
  }

  /// `text` with each `%XX` as the byte that it means. A `%` without two hexadecimal digits stays.
  public static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: decoded(bytes: Array(text.utf8)), as: UTF8.self)
  }

  /// The same of any bytes.
  public static func decoded(bytes encoded: some RandomAccessCollection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = value(rest[rest.startIndex]),
        let low = value(rest[rest.index(after: rest.startIndex)])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// The value of a hexadecimal digit.
  public static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }
}
