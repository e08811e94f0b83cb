#if S3

  /// Percent-encoding as S3 has it: all bytes of the UTF-8 but unreserved ones (RFC 3986, 2.3), with capital digits.
  enum PercentEncoding {
    /// One value or name of a query: `/` is encoded too.
    static func query(_ text: String) -> String { encode(text, keeping: nil) }

    /// The path of an object: `/` stays, also twice in a row, and so do `.` and `..`.
    static func path(_ text: String) -> String { encode(text, keeping: UInt8(ascii: "/")) }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encode(_ text: String, keeping kept: UInt8?) -> String {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.utf8.count)
      for byte in text.utf8 {
        if isUnreserved(byte) || byte == kept {
          bytes.append(byte)
        } else {
          bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
      default: false
      }
    }
  }

  extension String {
    /// Whether both have the same UTF-8. `==` also finds `é` as one character equal to `é` as two.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether the UTF-8 of this text comes first, byte by byte.
    func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
  }

#endif
