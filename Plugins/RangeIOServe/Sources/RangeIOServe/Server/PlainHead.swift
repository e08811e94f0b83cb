#if Serve
  internal import HTTPTypes
  internal import NIOCore

  /// The head of a request that has nothing but what most have: a `GET` or `HEAD` of HTTP/1.1 for a path, with fields of visible
  /// ASCII, none of which tells of a body or of another protocol, and that leaves the connection open.
  ///
  /// SwiftNIO's parser and the handlers behind it make the same of such a head, at four times the cost. Whatever is not as plain is left to it.
  struct PlainHead {
    let request: HTTPRequest
    /// The bytes of the head.
    let count: Int

    private static let maxCount = 8 * 1024
    private static let maxFields = 64

    /// The head that `buffer` begins with; `nil` if that is not plain, or not there as a whole.
    init?(_ buffer: ByteBuffer) {
      let bytes = buffer.readableBytesUInt8Span
      var scan = Scan(end: min(bytes.count, Self.maxCount))
      let method: HTTPRequest.Method
      if scan.skip("GET ", bytes) {
        method = .get
      } else if scan.skip("HEAD ", bytes) {
        method = .head
      } else {
        return nil
      }
      let target = scan.take(bytes) { $0 > 0x20 && $0 < 0x7F }
      guard !target.isEmpty, bytes[target.lowerBound] == UInt8(ascii: "/"), scan.skip(" HTTP/1.1\r\n", bytes) else {
        return nil
      }
      var authority: String?
      var fields = HTTPFields()
      while !scan.skip("\r\n", bytes) {
        let name = scan.take(bytes, where: Self.isToken)
        guard !name.isEmpty, fields.count < Self.maxFields, scan.skip(": ", bytes) else { return nil }
        let value = scan.take(bytes) { $0 >= 0x20 && $0 < 0x7F }
        // The parser drops space at the ends.
        guard !value.isEmpty, bytes[value.lowerBound] != 0x20, bytes[value.upperBound - 1] != 0x20,
          scan.skip("\r\n", bytes), let name = HTTPField.Name(Self.text(name, of: buffer))
        else { return nil }
        let text = Self.text(value, of: buffer)
        switch name.canonicalName {
        case "host":
          guard authority == nil else { return nil }
          authority = text
        case "connection":
          // It says what is so anyway.
          guard text == "keep-alive" || text == "Keep-Alive" else { return nil }
        case "content-length", "transfer-encoding", "expect", "upgrade", "te", "trailer",
          // The parser takes it for `Connection`.
          "proxy-connection":
          return nil
        default: fields.append(HTTPField(name: name, value: text))
        }
      }
      guard let authority else { return nil }
      request = HTTPRequest(
        method: method, scheme: "http", authority: authority, path: Self.text(target, of: buffer), headerFields: fields)
      count = scan.at
    }

    private static func text(_ range: Range<Int>, of buffer: ByteBuffer) -> String {
      buffer.getString(at: buffer.readerIndex + range.lowerBound, length: range.count)!
    }

    /// What names of fields are made of (RFC 9110, section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"): true
      case UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"): true
      default: false
      }
    }

    /// How far the bytes were read.
    private struct Scan {
      var at = 0
      let end: Int

      /// Goes past `text`, if it comes next.
      mutating func skip(_ text: StaticString, _ bytes: Span<UInt8>) -> Bool {
        let count = text.utf8CodeUnitCount
        // By its address, since a static string has no other way in; it is there for good.
        guard end - at >= count else { return false }
        for index in 0..<count where bytes[at + index] != text.utf8Start[index] { return false }
        at += count
        return true
      }

      /// Goes past all bytes that are of a kind, up to the end.
      mutating func take(_ bytes: Span<UInt8>, where isOfKind: (UInt8) -> Bool) -> Range<Int> {
        let start = at
        while at < end, isOfKind(bytes[at]) { at += 1 }
        return start..<at
      }
    }
  }
#endif
