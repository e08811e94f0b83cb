#if S3
  public import RangeIO
  internal import RangeIOSupport

  /// The name of an object: its bucket, its key and, if you want a certain one, its version.
  ///
  /// ```swift
  /// let address = try S3Address("s3://planet/tiles/2026.pmtiles")
  /// let old = try S3Address("s3://planet/tiles/2026.pmtiles?versionId=3sL4kqtJlcpXroDTDmJ")
  /// ```
  public struct S3Address: Sendable {
    /// The bucket, or the ARN of an access point.
    public let bucket: String
    /// The key of the object, as it is: not encoded. It may contain `//`, `..` and any other character.
    public let key: String
    /// The version to read. `nil`: the newest when the source is opened.
    public let versionID: String?
    /// What the bucket's name stands for.
    let place: BucketPlace

    /// Parses `s3://bucket/key`, as the AWS tools write it.
    ///
    /// The key is taken as it is, byte by byte: `%20` is three characters, and `?` and `#` belong to the key. Only an
    /// ending `?versionId=…` is not part of it. In place of the bucket there may be the ARN of an access point:
    /// `s3://arn:aws:s3:us-west-2:123456789012:accesspoint/name/key`.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public init(_ url: String) throws(ReadError) {
      guard url.prefix(5).lowercased() == "s3://" else {
        throw Self.invalid("this is no S3 address: write s3://bucket/key", url)
      }
      // By bytes: a key may begin with a character that combines with the slash.
      let rest = url.dropFirst(5)
      let bucket: String
      var key: Substring
      if rest.hasPrefix("arn:"), let (arn, after) = AccessPoint.split(rest) {
        (bucket, key) = (String(arn), after)
      } else {
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else {
          throw Self.invalid("the key is missing: write s3://bucket/key", url)
        }
        bucket = String(rest[..<slash])
        key = rest[rest.utf8.index(after: slash)...]
      }
      var versionID: String?
      if let mark = key.utf8.lastIndex(of: UInt8(ascii: "?")) {
        let query = key[key.utf8.index(after: mark)...]
        let name = query.prefix { $0 != "=" }
        if name.lowercased() == "versionid", name.endIndex < query.endIndex {
          versionID = String(query[query.index(after: name.endIndex)...])
          key = key[..<mark]
        }
      }
      try self.init(bucket: bucket, key: String(key), versionID: versionID)
    }

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - bucket: the bucket's name, without `/`, or the ARN of an access point.
    ///   - key: the object's key, not encoded; at most 1,024 bytes of UTF-8.
    ///   - versionID: the version to read. Default: the newest when the source is opened.
    /// - Throws: `ReadError` with `invalidConfiguration` for names that no store can have.
    public init(bucket: String, key: String, versionID: String? = nil) throws(ReadError) {
      guard !key.isEmpty else { throw Self.invalid("the key is missing: write s3://bucket/key", "s3://\(bucket)/") }
      try self.init(bucket, key, versionID)
    }

    /// An address without a key is that of the bucket.
    private init(_ bucket: String, _ key: String, _ versionID: String?) throws(ReadError) {
      let url = "s3://\(bucket)/\(key)"
      do { place = try BucketPlace(bucket) } catch { throw Self.invalid(error.message, url) }
      // What cannot stand in a host or a path segment of any store. Stores differ in the rest.
      let isName = bucket.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
      }
      guard isName || place.isAccessPoint, 1...255 ~= bucket.utf8.count, bucket != ".", bucket != ".." else {
        throw Self.invalid("the bucket's name is not valid: it has letters, digits, dots and hyphens", url)
      }
      guard key.utf8.count <= 1_024 else { throw Self.invalid("the key has more than 1,024 bytes", url) }
      if let versionID, versionID.isEmpty || versionID.utf8.count > 1_024 {
        throw Self.invalid("the version ID is empty or too long", url)
      }
      self.bucket = bucket
      self.key = key
      self.versionID = versionID
    }

    /// The bucket, or the access point, of `s3://bucket/prefix`, and the prefix, which may be missing, byte by byte.
    static func bucket(of url: String) throws(ReadError) -> (S3Address, prefix: String) {
      guard url.prefix(5).lowercased() == "s3://" else {
        throw invalid("this is no S3 address: write s3://bucket/prefix", url)
      }
      let rest = url.dropFirst(5)
      if rest.hasPrefix("arn:") {
        let (arn, prefix) = AccessPoint.split(rest) ?? (rest, "")
        return (try S3Address(String(arn), "", nil), String(prefix))
      }
      let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      return (try S3Address(String(rest[..<slash]), "", nil), String(Substring(rest[slash...].utf8.dropFirst())))
    }

    /// The address is that of a bucket, of which names are listed.
    var isBucket: Bool { key.isEmpty }

    private static func invalid(_ text: String, _ url: String) -> ReadError {
      ReadError(.invalidConfiguration, text, source: String(url.prefix(2_048)))
    }
  }

  extension S3Address: Hashable {
    /// Compares byte by byte: `é` as one character and as two are different keys.
    public static func == (a: S3Address, b: S3Address) -> Bool {
      a.bucket.hasSameBytes(as: b.bucket) && a.key.hasSameBytes(as: b.key)
        && Array((a.versionID ?? "").utf8) == Array((b.versionID ?? "").utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(Array(bucket.utf8))
      hasher.combine(Array(key.utf8))
      hasher.combine(Array((versionID ?? "").utf8))
    }
  }

  extension S3Address: CustomStringConvertible {
    /// The address as a URL.
    public var description: String {
      "s3://\(bucket)/\(key)" + (versionID.map { "?versionId=\($0)" } ?? "")
    }
  }

#endif
