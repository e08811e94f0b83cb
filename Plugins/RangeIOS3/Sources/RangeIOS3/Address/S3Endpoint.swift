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
    /// The hosts of AWS.
    let hosts: AWSHosts

    static let aws = S3Endpoint()

    /// The path before the bucket: empty, or without an ending `/`.
    var prefix: String { server?.prefix ?? "" }

    var isAWS: Bool { server == nil }

    /// AWS, by these hosts.
    init(_ hosts: AWSHosts = AWSHosts()) {
      server = nil
      self.hosts = hosts
    }

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
      hosts = AWSHosts()
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
      let server = server ?? Server(scheme: "https", host: hosts.host(of: address.place, in: region), prefix: "")
      let key = ObjectURL.encodedPath(address.key)
      if let label = hostLabel(of: address, addressing) {
        return S3Location(
          scheme: server.scheme, host: "\(label.lowercased()).\(server.host)", port: server.port,
          path: "\(server.prefix)/\(key)")
      }
      let bucket = ObjectURL.encodedQuery(address.bucket)
      return S3Location(
        scheme: server.scheme, host: server.host, port: server.port, path: "\(server.prefix)/\(bucket)/\(key)")
    }

    /// What stands before the server's host; `nil` if the bucket is in the path.
    private func hostLabel(of address: S3Address, _ addressing: S3Source.Addressing) -> String? {
      switch address.place {
      case .accessPoint(let point): point.label
      // Their hosts have no other form.
      case .directory where isAWS: address.bucket
      case .directory, .bucket: addressing.usesHost(address.bucket, self) ? address.bucket : nil
      }
    }

    /// Checks that the bucket can be asked for here, by a client of `region`, and returns the region to ask.
    ///
    /// - Parameter usesOtherRegions: whether the region of an access point may be another one (`use_arn_region`).
    /// - Throws: `invalidConfiguration`.
    func region(
      of address: S3Address, from region: String, _ addressing: S3Source.Addressing, usesOtherRegions: Bool
    ) throws(ReadError) -> String {
      func invalid(_ text: String) -> ReadError {
        ReadError(.invalidConfiguration, text, source: address.description)
      }
      var result = region
      let partition = AWSPartition(of: region).id
      if case .accessPoint(let point) = address.place {
        if addressing == .path { throw invalid("an access point cannot be in the path: do not choose .path") }
        guard point.partition == partition, AWSPartition(of: point.region).id == partition else {
          throw invalid(
            "the access point is in the partition '\(point.partition)', not in that of \(region): set the region to its own"
          )
        }
        if !usesOtherRegions, point.region != region {
          throw invalid(
            "the access point is in \(point.region), and s3_use_arn_region is false: set the region to its own")
        }
        result = point.region
      }
      if isAWS, hosts.usesFIPS, partition == "aws-cn" {
        throw invalid("there are no FIPS hosts in \(region): switch use_fips_endpoint off")
      }
      return result
    }

    /// The server, for messages: never a password, since none is accepted.
    var name: String { server.map { "\($0.scheme)://\($0.host)" + ($0.port.map { ":\($0)" } ?? "") } ?? "AWS" }
  }

#endif
