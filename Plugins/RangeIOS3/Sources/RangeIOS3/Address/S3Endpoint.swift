#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The server of a store: AWS, whose host depends on the region, or one with a URL.
  struct S3Endpoint: Hashable, Sendable {
    private struct Server: Hashable {
      var scheme: String
      var host: String
      var port: Int?
      /// The path before the bucket: empty, or without an ending `/`.
      var prefix: String
    }
    /// `nil`: AWS.
    private let server: Server?

    static let aws = S3Endpoint(server: nil)

    /// The path before the bucket: empty, or without an ending `/`.
    var prefix: String { server?.prefix ?? "" }

    var isAWS: Bool { server == nil }

    private init(server: Server?) { self.server = server }

    /// Parses `https://minio.example:9000`. A URL of AWS itself (`https://s3.eu-west-1.amazonaws.com`) is a server like any
    /// other.
    init(_ url: String) throws(ReadError) {
      func invalid(_ text: String) -> ReadError {
        // Not the URL itself, which may contain a password.
        ReadError(.invalidConfiguration, "the S3 endpoint \(text): write https://host or https://host:port")
      }
      guard let mark = url.utf8Range(of: "://") else { throw invalid("has no scheme") }
      let scheme = url[..<mark.lowerBound].lowercased()
      guard scheme == "https" || scheme == "http" else { throw invalid("is neither http nor https") }
      let rest = url[mark.upperBound...]
      guard !rest.contains("?"), !rest.contains("#") else { throw invalid("has a query") }
      let authority = rest.prefix { $0 != "/" }
      guard !authority.contains("@") else { throw invalid("has a user name; pass credentials in the configuration") }
      guard let (host, port) = Self.split(authority) else { throw invalid("has no valid host and port") }
      var prefix = rest[authority.endIndex...]
      while prefix.last == "/" { prefix = prefix.dropLast() }
      server = Server(scheme: scheme, host: host, port: port, prefix: String(prefix))
    }

    private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
      let host: Substring
      if authority.first == "[" {
        guard let end = authority.firstIndex(of: "]") else { return nil }
        host = authority[...end]
      } else {
        host = authority.prefix { $0 != ":" }
      }
      let allowed = host.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "\\") }
      guard !host.isEmpty, allowed else { return nil }
      let rest = authority[host.endIndex...]
      guard !rest.isEmpty else { return (host.lowercased(), nil) }
      guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
      return (host.lowercased(), Int(port))
    }

    /// Where the object of `address` is, in `region`. The version is not part of it.
    func location(of address: S3Address, region: String, addressing: S3Source.Addressing) -> S3Location {
      let server = server ?? Server(scheme: "https", host: "s3.\(region).\(Self.suffix(of: region))", prefix: "")
      let key = ObjectURL.encodedPath(address.key)
      if addressing.usesHost(address.bucket, self) {
        return S3Location(
          scheme: server.scheme, host: "\(address.bucket.lowercased()).\(server.host)", port: server.port,
          path: "\(server.prefix)/\(key)")
      }
      let bucket = ObjectURL.encodedQuery(address.bucket)
      return S3Location(
        scheme: server.scheme, host: server.host, port: server.port, path: "\(server.prefix)/\(bucket)/\(key)")
    }

    /// The domain of AWS that a region belongs to.
    static func suffix(of region: String) -> String {
      region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    }

    /// The server, for messages: never a password, since none is accepted.
    var name: String { server.map { "\($0.scheme)://\($0.host)" + ($0.port.map { ":\($0)" } ?? "") } ?? "AWS" }
  }

#endif
