#if GCS
  public import RangeIO
  internal import RangeIOSupport

  /// The name of an object: its bucket, its name in there and, if you want a certain one, its generation.
  ///
  /// ```swift
  /// let address = try GCSAddress("gs://planet/tiles/2026.pmtiles")
  /// let old = try GCSAddress("gs://planet/tiles/2026.pmtiles#1767323045000000")
  /// ```
  public struct GCSAddress: Sendable {
    /// The bucket.
    public let bucket: String
    /// The object's name, as it is: not encoded. It may contain `//` and any other character.
    public let object: String
    /// The generation to read. `nil`: the newest when the source is opened.
    public let generation: Int64?

    /// Parses `gs://bucket/object`, as Google's tools write it, or an address of Google's servers that is not signed:
    /// `https://storage.googleapis.com/bucket/object`.
    ///
    /// After `gs://` the name is taken as it is, byte by byte: `%20` is three characters, and `?` and `#` belong to the name.
    /// Only an ending `#` with digits is the generation. After `https://` the name is percent-encoded, and the generation is
    /// `?generation=…`.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public init(_ url: String) throws(ReadError) {
      if url.prefix(8).lowercased() == "https://" {
        self = try GCSWebAddress.address(url)
        return
      }
      guard url.prefix(5).lowercased() == "gs://" else {
        throw Self.invalid("this is no address of Google Cloud Storage: write gs://bucket/object", url)
      }
      // By bytes: a name may begin with a character that combines with the slash.
      let rest = url.dropFirst(5)
      guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else {
        throw Self.invalid("the object's name is missing: write gs://bucket/object", url)
      }
      var object = rest[rest.utf8.index(after: slash)...]
      var generation: Int64?
      if let mark = object.utf8.lastIndex(of: UInt8(ascii: "#")),
        let number = Self.number(object[object.utf8.index(after: mark)...])
      {
        generation = number
        object = object[..<mark]
      }
      try self.init(bucket: String(rest[..<slash]), object: String(object), generation: generation)
    }

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - bucket: the bucket's name, without `/`.
    ///   - object: the object's name, not encoded; at most 1,024 bytes of UTF-8.
    ///   - generation: the generation to read. Default: the newest when the source is opened.
    /// - Throws: `ReadError` with `invalidConfiguration` for names that no bucket and no object can have.
    public init(bucket: String, object: String, generation: Int64? = nil) throws(ReadError) {
      guard !object.isEmpty else {
        throw Self.invalid("the object's name is missing: write gs://bucket/object", "gs://\(bucket)/")
      }
      try self.init(bucket, object, generation)
    }

    /// An address without an object is that of the bucket.
    private init(_ bucket: String, _ object: String, _ generation: Int64?) throws(ReadError) {
      let url = "gs://\(bucket)/\(object)"
      let isName = bucket.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
      }
      guard isName, 1...222 ~= bucket.utf8.count, bucket != ".", bucket != ".." else {
        throw Self.invalid("the bucket's name is not valid: it has small letters, digits, dots, hyphens and _", url)
      }
      guard object.utf8.count <= 1_024 else { throw Self.invalid("the name has more than 1,024 bytes", url) }
      guard object != ".", object != "..", !object.utf8.contains(10), !object.utf8.contains(13) else {
        throw Self.invalid("no object has this name: it is a dot, two dots, or has the end of a line in it", url)
      }
      guard generation.map({ $0 > 0 }) ?? true else {
        throw Self.invalid("a generation is a number above zero", url)
      }
      self.bucket = bucket
      self.object = object
      self.generation = generation
    }

    /// The bucket of `gs://bucket/prefix`, and the prefix, which may be missing, byte by byte.
    static func bucket(of url: String) throws(ReadError) -> (GCSAddress, prefix: String) {
      guard url.prefix(5).lowercased() == "gs://" else {
        throw invalid("this is no address of Google Cloud Storage: write gs://bucket/prefix", url)
      }
      let rest = url.dropFirst(5)
      let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      return (try GCSAddress(String(rest[..<slash]), "", nil), String(Substring(rest[slash...].utf8.dropFirst())))
    }

    /// The address is that of a bucket, of which names are listed.
    var isBucket: Bool { object.isEmpty }

    /// A generation as it stands in an address.
    static func number(_ text: some StringProtocol) -> Int64? {
      text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }

    static func invalid(_ text: String, _ url: String) -> ReadError {
      ReadError(.invalidConfiguration, text, source: String(url.prefix(2_048)))
    }
  }

  extension GCSAddress: Hashable {
    /// Compares byte by byte: `é` as one character and as two are different names.
    public static func == (a: GCSAddress, b: GCSAddress) -> Bool {
      a.bucket.hasSameBytes(as: b.bucket) && a.object.hasSameBytes(as: b.object) && a.generation == b.generation
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(Array(bucket.utf8))
      hasher.combine(Array(object.utf8))
      hasher.combine(generation)
    }
  }

  extension GCSAddress: CustomStringConvertible {
    /// The address as `gs://bucket/object`, with `#` and the generation if it has one.
    public var description: String { "gs://\(bucket)/\(object)" + (generation.map { "#\($0)" } ?? "") }
  }

#endif
