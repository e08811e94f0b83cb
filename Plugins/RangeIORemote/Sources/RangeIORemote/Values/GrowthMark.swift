/// The end of an object that only grows, as far as it is known, and the bytes before it. An object that grew still has them; one
/// that was cut and written again hardly ever does. A value.
struct GrowthMark: Hashable, Sendable {
  /// The bytes that are compared: as many as of a file that grows. They come with each look, so more would cost each that
  /// finds nothing new.
  static let span = 4096

  /// All bytes before it are there, and stay.
  let end: Int
  /// The last bytes before the end, ``span`` unless there are fewer.
  let tail: [UInt8]
  /// The version by which a server showed them. Its size is that of the whole object, which may be more.
  let version: ObjectVersion

  /// A mark at the end of `bytes`, which begin at `start`; `nil` if they are too few to be compared.
  init?(_ bytes: [UInt8], from start: Int, of version: ObjectVersion, span: Int = Self.span) {
    end = start + bytes.count
    guard bytes.count >= min(span, end) else { return nil }
    tail = Array(bytes.suffix(span))
    self.version = version
  }

  /// The first of the bytes that are compared.
  var start: Int { end - tail.count }

  /// True if answers of these versions need no look: they are the version of the mark, which no other can be taken for.
  func vouches(for versions: Set<ObjectVersion>) -> Bool {
    versions.allSatisfy { $0 == version && $0.identifier.isStrong }
  }

  /// True if a look that ends in this mark tells of `versions`, which answers have shown since the mark was one of `old`: it is of
  /// them, or of a later version. One of several servers may be behind, and what it has says nothing of what the others have.
  func covers(_ versions: Set<ObjectVersion>, since old: ObjectVersion) -> Bool {
    versions.allSatisfy { $0 == version || (version != old && $0.size <= version.size) }
  }

  /// `true` if `bytes`, from `offset` on, have the bytes of the mark; `nil` if some are missing.
  func isKept(in bytes: [UInt8], from offset: Int) -> Bool? {
    guard offset <= start, offset + bytes.count >= end else { return nil }
    return bytes[(start - offset)..<(end - offset)].elementsEqual(tail)
  }
}
