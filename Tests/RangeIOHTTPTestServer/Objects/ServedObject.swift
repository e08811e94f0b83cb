#if HTTP

  /// An object that a ``LyingServer`` serves: its bytes, and how the server tells versions apart.
  public struct ServedObject: Sendable {
    /// The content.
    public var bytes: [UInt8]
    /// The entity tag.
    public var tag: Tag
    /// When it was last changed, in seconds since 1970. `nil`: no such header.
    public var lastModified: Int?
    /// The media type.
    public var contentType = "application/octet-stream"

    /// An entity tag (RFC 9110, 8.8.3).
    public enum Tag: Hashable, Sendable {
      /// `"text"`
      case strong(String)
      /// `W/"text"`
      case weak(String)
      /// What stands in the header, quoted or not.
      case verbatim(String)
      /// No such header.
      case none

      /// What stands in the header.
      public var value: String? {
        switch self {
        case .strong(let text): "\"\(text)\""
        case .weak(let text): "W/\"\(text)\""
        case .verbatim(let text): text
        case .none: nil
        }
      }
    }

    /// Creates an object of these bytes.
    public init(_ bytes: [UInt8], tag: Tag = .strong("1"), lastModified: Int? = 1_700_000_000) {
      self.bytes = bytes
      self.tag = tag
      self.lastModified = lastModified
    }

    /// Creates version `version` of an object of `count` bytes, in which no two places look alike. Its tag and time are
    /// those of the version.
    public init(count: Int, version: Int = 1) {
      self.init(
        Self.content(0..<count, version: version), tag: .strong("v\(version)"),
        lastModified: 1_700_000_000 + 60 * version)
    }

    /// The bytes of `range` of a version made by ``init(count:version:)``.
    public static func content(_ range: Range<Int>, version: Int = 1) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
        let key = UInt64(version) &* 0x9E37_79B9_7F4A_7C15
        var (offset, index) = (range.lowerBound, 0)
        while offset < range.upperBound {
          var word = mixed(UInt64(offset / 8) &+ key) >> (8 * UInt64(offset % 8))
          let end = min(range.upperBound, offset / 8 * 8 + 8)
          while offset < end {
            buffer[index] = UInt8(truncatingIfNeeded: word)
            word >>= 8
            (offset, index) = (offset + 1, index + 1)
          }
        }
        filled = range.count
      }
    }
  }

  /// A number that looks random and depends on each bit of `number`.
  func mixed(_ number: UInt64) -> UInt64 {
    var number = number &+ 0x9E37_79B9_7F4A_7C15
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return number ^ (number >> 31)
  }

#endif
