internal import RangeIO
internal import RangeIOSupport

/// The parts of an absolute URL (RFC 3986, section 3).
struct URLParser {
  /// Longer ones are refused.
  static let maxBytes = 32_768

  let scheme: ObjectURL.Scheme
  let user: String?
  let password: String?
  let host: String
  let port: Int?
  let path: String
  let query: String?

  init(_ text: String) throws(ReadError) {
    guard text.utf8.count <= Self.maxBytes else {
      throw ReadError.invalidURL("it is longer than \(Self.maxBytes) bytes")
    }
    var rest = Array(HTTPText.trimmed(text).utf8)[...]
    if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      let scheme = ObjectURL.Scheme(rawValue: HTTPText.lower(String(decoding: rest[..<colon], as: UTF8.self)))
    else { throw ReadError.invalidURL("it begins with neither http:// nor https://") }
    self.scheme = scheme
    rest = rest[(colon + 1)...]
    guard rest.starts(with: "//".utf8) else { throw ReadError.invalidURL("it has no host") }
    rest = rest.dropFirst(2)
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    var authority = rest[..<end]
    rest = rest[end...]
    var userInfo: ArraySlice<UInt8>?
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      userInfo = authority[..<at]
      authority = authority[(at + 1)...]
    }
    let names = userInfo?.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false) ?? []
    user = names.first.map { PercentCoding.decoded(String(decoding: $0, as: UTF8.self)) }
    password = names.count > 1 ? PercentCoding.decoded(String(decoding: names[1], as: UTF8.self)) : nil
    (host, port) = try Self.hostAndPort(authority)
    let mark = rest.firstIndex(of: UInt8(ascii: "?"))
    path = String(decoding: rest[..<(mark ?? rest.endIndex)], as: UTF8.self)
    query = mark.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) }
  }

  private static func hostAndPort(_ authority: ArraySlice<UInt8>) throws(ReadError) -> (String, Int?) {
    var (host, tail) = (authority, ArraySlice<UInt8>())
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
        throw ReadError.invalidURL("the bracket before its host is not closed")
      }
      host = authority[authority.index(after: authority.startIndex)..<close]
      tail = authority[(close + 1)...]
      guard host.contains(UInt8(ascii: ":")), tail.isEmpty || tail.first == UInt8(ascii: ":") else {
        throw ReadError.invalidURL("what stands in brackets is no IPv6 address")
      }
    } else if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
      (host, tail) = (authority[..<colon], authority[colon...])
    }
    let digits = String(decoding: tail.dropFirst(), as: UTF8.self)
    guard !digits.isEmpty else { return (String(decoding: host, as: UTF8.self), nil) }
    guard let port = HTTPText.number(digits), (1...65_535).contains(port) else {
      throw ReadError.invalidURL("its port is no number from 1 to 65,535")
    }
    return (String(decoding: host, as: UTF8.self), port)
  }

  /// `host` in lower case. Refuses what a resolver would not get as it stands here.
  static func checkedHost(_ host: String) throws(ReadError) -> String {
    guard !host.isEmpty else { throw ReadError.invalidURL("it has no host") }
    guard host.utf8.count <= 255 else { throw ReadError.invalidURL("its host is longer than 255 bytes") }
    let lower = HTTPText.lower(host)
    let isAddress = lower.utf8.contains(UInt8(ascii: ":"))
    let isLegal = lower.utf8.allSatisfy { byte in
      if isAddress { return PercentCoding.value(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") }
      return (97...122).contains(byte) || (48...57).contains(byte) || "-._~".utf8.contains(byte)
    }
    guard isLegal else {
      throw ReadError.invalidURL("its host is neither an address nor a name in ASCII: write other names as xn--")
    }
    return lower
  }
}
