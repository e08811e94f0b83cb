#if HTTP

  /// A request as a server of the tests received it.
  public struct ServerRequest: Sendable {
    /// `GET`, `HEAD`.
    public var method: String
    /// The path and query as on the wire.
    public var target: String
    /// The header fields in their order, without those that HTTP/2 begins with a colon.
    public var fields: [ServedField]
    /// The body; most requests have none.
    public var body: [UInt8] = []
    /// The number of the request at this server, from 0.
    public var number = 0
    /// The number of the connection at this server, from 0.
    public var connection = 0
    /// The number of the request on its connection, from 0.
    public var numberOnConnection = 0
    /// Whether it came over HTTP/2.
    public var isHTTP2 = false

    /// Creates a request.
    public init(method: String, target: String, fields: [ServedField] = []) {
      self.method = method
      self.target = target
      self.fields = fields
    }

    /// The first value of a header.
    public subscript(name: String) -> String? { fields[name] }

    /// The target without the query, percent-decoded.
    public var path: String {
      let raw = target.utf8.prefix { $0 != UInt8(ascii: "?") }
      return String(decoding: decoded(Array(raw)), as: UTF8.self)
    }

    /// What follows the first question mark of the target, as on the wire.
    public var query: String? {
      target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[target.utf8.index(after: $0)...]) }
    }

    /// The value of a parameter of the query, as on the wire.
    public func parameter(_ name: String) -> String? {
      for part in (query ?? "").split(separator: "&") {
        let pair = part.split(separator: "=", maxSplits: 1)
        if pair.first.map(String.init) == name { return pair.count > 1 ? String(pair[1]) : "" }
      }
      return nil
    }

    /// Whether it asks for a range, of one part.
    public var range: RequestedRange? { self["Range"].flatMap { RequestedRange($0) } }

    private func decoded(_ raw: [UInt8]) -> [UInt8] {
      var (all, index) = ([UInt8](), 0)
      while index < raw.count {
        if raw[index] == UInt8(ascii: "%"), index + 2 < raw.count,
          let byte = UInt8(String(decoding: raw[index + 1...index + 2], as: UTF8.self), radix: 16)
        {
          all.append(byte)
          index += 3
        } else {
          all.append(raw[index])
          index += 1
        }
      }
      return all
    }
  }

  /// The one range of a `Range` header (RFC 9110, 14.1.2).
  public enum RequestedRange: Hashable, Sendable {
    /// `bytes=first-last`; without a last byte to the end.
    case from(Int, through: Int?)
    /// `bytes=-count`: so many bytes at the end.
    case suffix(Int)

    /// Reads a header. `nil` for several ranges and for what is none.
    public init?(_ text: String) {
      guard text.hasPrefix("bytes=") else { return nil }
      let ends = text.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      guard ends.count == 2 else { return nil }
      switch (Int(ends[0]), Int(ends[1])) {
      case (let first?, let last?) where first <= last: self = .from(first, through: last)
      case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
      case (nil, let count?) where ends[0].isEmpty: self = .suffix(count)
      default: return nil
      }
    }

    /// Which bytes of `count` that is, or `nil` if none.
    public func resolved(in count: Int) -> Range<Int>? {
      switch self {
      case .from(let first, let last):
        guard first < count else { return nil }
        return first..<Swift.min(last ?? .max - 1, count - 1) + 1
      case .suffix(let suffix):
        guard suffix > 0, count > 0 else { return nil }
        return Swift.max(0, count - suffix)..<count
      }
    }
  }

#endif
