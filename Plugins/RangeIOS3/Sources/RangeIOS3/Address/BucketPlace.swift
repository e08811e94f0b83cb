#if S3
  internal import RangeIO

  /// What a bucket's name stands for. The servers of S3 and the signatures depend on it.
  enum BucketPlace: Hashable, Sendable {
    /// A bucket, or the alias of an access point.
    case bucket
    /// A directory bucket (S3 Express One Zone), or an access point to one, in the zone of this id.
    case directory(zone: String)
    /// An access point, by its ARN.
    case accessPoint(AccessPoint)

    /// Finds out by the name.
    ///
    /// - Throws: `invalidConfiguration` for kinds that are not supported.
    init(_ bucket: String) throws(ReadError) {
      func invalid(_ text: String) -> ReadError { ReadError(.invalidConfiguration, text, source: bucket) }
      if bucket.hasPrefix("arn:") {
        self = .accessPoint(try AccessPoint(bucket))
        return
      }
      if bucket.hasSuffix(".mrap") { throw AccessPoint.multipleRegions(bucket) }
      if bucket.hasSuffix("--op-s3") { throw AccessPoint.unsupported("S3 on Outposts", bucket) }
      guard bucket.hasSuffix("--x-s3") || bucket.hasSuffix("--xa-s3") else {
        self = .bucket
        return
      }
      // Before the ending is the zone, before that the name, which may have hyphens too.
      let rest = bucket[..<bucket.index(bucket.endIndex, offsetBy: bucket.hasSuffix("--x-s3") ? -6 : -7)]
      let parts = rest.split(separator: "--", omittingEmptySubsequences: false)
      guard parts.count >= 2, let zone = parts.last, !zone.isEmpty, parts.first?.isEmpty == false else {
        throw invalid("the name of a directory bucket has no zone: write it as in name--use1-az4--x-s3")
      }
      self = .directory(zone: String(zone))
    }

    var isAccessPoint: Bool { if case .accessPoint = self { true } else { false } }

    /// What requests are signed for.
    var service: String { if case .directory = self { "s3express" } else { "s3" } }
  }

  /// An access point, as `arn:aws:s3:us-west-2:123456789012:accesspoint/name` names it.
  struct AccessPoint: Hashable, Sendable {
    let partition: String
    let region: String
    let account: String
    let name: String

    /// The label of its host.
    var label: String { "\(name)-\(account)" }

    /// - Throws: `invalidConfiguration` for an ARN of something else, and for access points that are not supported.
    init(_ arn: String) throws(ReadError) {
      func invalid(_ text: String) -> ReadError { ReadError(.invalidConfiguration, text, source: arn) }
      let example = "write it as in arn:aws:s3:us-west-2:123456789012:accesspoint/name"
      let fields = arn.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6, !fields[1].isEmpty else {
        throw invalid("this is no ARN of an access point: \(example)")
      }
      switch fields[2] {
      case "s3": break
      case "s3-outposts": throw Self.unsupported("S3 on Outposts", arn)
      case "s3-object-lambda": throw Self.unsupported("S3 Object Lambda", arn)
      default: throw invalid("this is no ARN of S3: \(example)")
      }
      let resource = fields[5].split(omittingEmptySubsequences: false) { $0 == "/" || $0 == ":" }.map(String.init)
      guard resource.count == 2, resource[0] == "accesspoint" else {
        throw invalid("this is no ARN of an access point: \(example)")
      }
      if fields[3].isEmpty { throw Self.multipleRegions(arn) }
      guard Self.isLabel(fields[3]), Self.isLabel(fields[4]), Self.isLabel(resource[1]) else {
        throw invalid("region, account and name of an access point have letters, digits and hyphens: \(example)")
      }
      (partition, region, account, name) = (fields[1], fields[3], fields[4], resource[1])
    }

    /// The ARN that `text` begins with, and what follows it after a slash.
    static func split(_ text: Substring) -> (arn: Substring, rest: Substring)? {
      let bytes = text.utf8
      // Five colons, the kind of the resource, a slash or a colon, a name.
      var colons = 0
      var isAfterKind = false
      for place in bytes.indices {
        switch bytes[place] {
        case UInt8(ascii: ":") where colons < 5: colons += 1
        case UInt8(ascii: "/") where colons < 5: return nil
        case UInt8(ascii: ":") where !isAfterKind: isAfterKind = true
        case UInt8(ascii: "/"):
          if isAfterKind { return (text[..<place], text[bytes.index(after: place)...]) }
          isAfterKind = true
        default: break
        }
      }
      return nil
    }

    static func multipleRegions(_ bucket: String) -> ReadError {
      ReadError(
        .invalidConfiguration,
        "access points of several regions need signatures of several regions (SigV4A), which are not supported: use an "
          + "access point or a bucket of one region", source: bucket)
    }

    static func unsupported(_ what: String, _ bucket: String) -> ReadError {
      ReadError(
        .invalidConfiguration, "\(what) is not supported: use a bucket, or an access point to one", source: bucket)
    }

    private static func isLabel(_ text: String) -> Bool {
      1...63 ~= text.utf8.count
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
          case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
          default: false
          }
        }
    }
  }

#endif
