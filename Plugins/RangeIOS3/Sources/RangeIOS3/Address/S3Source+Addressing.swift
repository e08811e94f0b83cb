#if S3

  extension S3Source {
    /// Where the bucket's name stands in a request.
    @nonexhaustive
    public enum Addressing: Hashable, Sendable {
      /// In the host for AWS, in the path for all other endpoints, and in the path for names that no host can have or no
      /// certificate covers (those with dots). The default.
      case automatic
      /// In the path: `https://endpoint/bucket/key`. MinIO and Ceph take it out of the box.
      case path
      /// In the host: `https://bucket.endpoint/key`. A name with capitals, which no host can have, stays in the path.
      case virtualHost
    }
  }

  /// The URL of an object, in parts that are encoded already.
  struct S3Location: Hashable, Sendable {
    var scheme: String
    /// Lower case; an IPv6 address in brackets.
    var host: String
    var port: Int?
    /// The encoded path.
    var path: String

    /// The value of the field `Host`.
    var authority: String {
      let usual = scheme == "http" ? 80 : 443
      return host + (port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
    }

    /// All of it as a URL, without a query.
    var url: String { "\(scheme)://\(authority)\(path)" }
  }

  extension S3Source.Addressing {
    /// `true` if the bucket is part of the host.
    func usesHost(_ bucket: String, _ endpoint: S3Endpoint) -> Bool {
      switch self {
      case .path: false
      // A host has no capitals: it would be that of another bucket.
      case .virtualHost: !bucket.utf8.contains { (65...90).contains($0) }
      case .automatic:
        // A certificate for *.s3.amazonaws.com does not cover a name with a dot in it.
        endpoint.isAWS && Self.isLabel(bucket)
      }
    }

    /// `true` if a bucket can be one label of a host (RFC 1123, 2.1), in lower case.
    private static func isLabel(_ bucket: String) -> Bool {
      let bytes = Array(bucket.utf8)
      let isMade = bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
      return isMade && 3...63 ~= bytes.count && bytes.first != UInt8(ascii: "-") && bytes.last != UInt8(ascii: "-")
    }
  }

#endif
