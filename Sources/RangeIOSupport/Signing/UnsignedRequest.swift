/// A request as a signature covers it: as it goes over the wire.
public struct UnsignedRequest: Equatable, Sendable {
  /// A field of the head. Names are compared without regard to case.
  public struct Header: Equatable, Sendable {
    /// As it was given.
    public var name: String
    /// As it was given.
    public var value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET`, `HEAD`.
  public var method = "GET"
  /// `http` or `https`.
  public var scheme = "https"
  /// The value of the field `Host`: with the port, unless that is the scheme's own.
  public var host: String
  /// The path, encoded, with the `/` that it begins with.
  public var path: String
  /// The text after the `?`, encoded; empty for nothing.
  public var query = ""
  /// The fields of the head that are known so far, except `Host`.
  public var headers: [Header] = []
  /// How the names of the fields begin that are all signed: `x-amz-`, or `x-goog-`.
  public var fieldPrefix = "x-amz-"

  /// A request.
  public init(
    method: String = "GET", scheme: String = "https", host: String, path: String, query: String = "",
    headers: [Header] = []
  ) {
    self.method = method
    self.scheme = scheme
    self.host = host
    self.path = path
    self.query = query
    self.headers = headers
  }
}

extension UnsignedRequest {
  /// The fields to sign, by name: `Host`, `Range`, `If-Match` and all that begin with ``fieldPrefix``.
  ///
  /// Stores demand `Host` and those of the prefix. The range and the condition decide which bytes come back. The rest may be
  /// changed on the way without harm, and is: a store behind a proxy that rewrites `Accept-Encoding` refuses a
  /// signature that covers it.
  public var signedFields: [(name: String, value: String)] {
    var values: [String: [String]] = ["host": [Self.trimmed(host)]]
    for header in headers {
      let name = header.name.lowercased()
      guard name == "range" || name == "if-match" || name.hasPrefix(fieldPrefix) else { continue }
      values[name, default: []].append(Self.trimmed(header.value))
    }
    return values.sorted { $0.key.precedesByBytes($1.key) }.map { ($0.key, $0.value.joined(separator: ",")) }
  }

  /// The query with its parameters in order of their names, then values.
  var canonicalQuery: String {
    guard !query.isEmpty else { return "" }
    let pairs = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      return (name: Array(name), value: Array(pair.dropFirst(name.count + 1)))
    }
    let sorted = pairs.sorted { a, b in
      a.name == b.name ? a.value.lexicographicallyPrecedes(b.value) : a.name.lexicographicallyPrecedes(b.name)
    }
    let text = sorted.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [UInt8(ascii: "&")])
    return String(decoding: Array(text), as: UTF8.self)
  }

  /// The text whose digest is signed: the canonical request of AWS Signature Version 4, and of Google's.
  public func canonical(payload: String) -> String {
    let fields = signedFields
    return """
      \(method)
      \(path)
      \(canonicalQuery)
      \(fields.map { "\($0.name):\($0.value)" }.joined(separator: "\n"))

      \(fields.map(\.name).joined(separator: ";"))
      \(payload)
      """
  }

  /// Without space around it, and with one space for several.
  private static func trimmed(_ value: String) -> String {
    let words = value.utf8.split { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
