#if S3
  internal import RangeIOSupport

  /// A request as a signature covers it: as it goes over the wire.
  struct UnsignedRequest: Equatable, Sendable {
    /// A field of the head. Names are compared without regard to case.
    struct Header: Equatable, Sendable {
      var name: String
      var value: String

      init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
      }
    }

    /// `GET`, `HEAD`.
    var method = "GET"
    /// `http` or `https`.
    var scheme = "https"
    /// The value of the field `Host`: with the port, unless that is the scheme's own.
    var host: String
    /// The path, encoded, with the `/` that it begins with.
    var path: String
    /// The text after the `?`, encoded; empty for nothing.
    var query = ""
    /// The fields of the head that are known so far, except `Host`.
    var headers: [Header] = []
  }

  extension UnsignedRequest {
    /// The fields to sign, by name: `Host`, `Range`, `If-Match` and all of `x-amz-`.
    ///
    /// S3 demands `Host` and `x-amz-`. The range and the condition decide which bytes come back. The rest may be
    /// changed on the way without harm, and is: a store behind a proxy that rewrites `Accept-Encoding` refuses a
    /// signature that covers it.
    var signedFields: [(name: String, value: String)] {
      var values: [String: [String]] = ["host": [Self.trimmed(host)]]
      for header in headers {
        let name = header.name.lowercased()
        guard name == "range" || name == "if-match" || name.hasPrefix("x-amz-") else { continue }
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

    /// The text whose digest is signed (AWS Signature Version 4, canonical request).
    func canonical(payload: String) -> String {
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

#endif
