/// A number of bytes with its unit in the code: `.kibibytes(64)`, `.mebibytes(256)`, `.gibibytes(20)`.
///
/// A kibibyte has 1,024 bytes, a kilobyte 1,000. Memory and blocks are powers of two; disks and links are sold in thousands.
///
/// Use byte counts for limits and sizes that a person writes. Offsets and ranges are plain `Int`.
public struct ByteCount: Hashable, Comparable, Sendable {
  /// The number of bytes, never negative.
  public let bytes: Int

  /// `count` bytes.
  ///
  /// - Precondition: `count` is not negative.
  public static func bytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1) }
  /// `count` × 1,024 bytes.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1 << 10) }
  /// `count` × 1,048,576 bytes.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1 << 20) }
  /// `count` × 2^30 bytes.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1 << 30) }

  /// `count` × 1,000 bytes.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func kilobytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1_000) }
  /// `count` × 1,000,000 bytes.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func megabytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1_000_000) }
  /// `count` × 10^9 bytes.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func gigabytes(_ count: Int) -> ByteCount { ByteCount(count, times: 1_000_000_000) }

  private init(_ count: Int, times unit: Int) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: unit)
    precondition(count >= 0 && !overflow, "a byte count must be between 0 and Int.max bytes")
    self.bytes = bytes
  }

  /// Compares by size.
  public static func < (a: ByteCount, b: ByteCount) -> Bool { a.bytes < b.bytes }

  /// The sum of both.
  ///
  /// - Precondition: it fits an `Int`.
  public static func + (a: ByteCount, b: ByteCount) -> ByteCount { .bytes(a.bytes + b.bytes) }

  /// `count` taken `times` times: `.mebibytes(4) * 3`.
  ///
  /// - Precondition: the result is not negative and fits an `Int`.
  public static func * (count: ByteCount, times: Int) -> ByteCount { .bytes(count.bytes * times) }

  /// One of `parts` equal shares of the count, rounded down to whole bytes.
  ///
  /// - Precondition: there is at least one part.
  public static func / (count: ByteCount, parts: Int) -> ByteCount {
    precondition(parts > 0, "a byte count is divided into one part or more")
    return .bytes(count.bytes / parts)
  }
}

extension ByteCount: LosslessStringConvertible {
  /// The largest first.
  private static let units: [(name: String, bytes: Int)] = [
    ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
    ("MB", 1_000_000), ("KiB", 1 << 10), ("KB", 1_000),
  ]

  /// Parses what a person writes: `4096`, `64KiB`, `64 kib`, `20G`, `1.5G`, `512B`, `64KB`.
  ///
  /// As in GNU tools, one letter means the binary unit: `64K` = `64KiB` = 65,536 bytes, while `64KB` is 64,000. A
  /// fraction of a unit is rounded down to whole bytes.
  ///
  /// Returns `nil` for a negative number, a fraction of a byte, another unit, or more than `Int.max` bytes.
  public init?(_ text: String) {
    // The Kelvin sign equals a K in Swift, and is none.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let digits = text.prefix(while: \.isNumber)
    var rest = text.dropFirst(digits.count)
    var fraction = rest.prefix(0)
    if rest.first == "." {
      fraction = rest.dropFirst().prefix(while: \.isNumber)
      // More digits cannot change the number of bytes.
      guard (1...15).contains(fraction.count) else { return nil }
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard let count = Int(digits), let unit = Self.byteCount(ofUnit: rest.drop { $0 == " " }.lowercased()),
      fraction.isEmpty || unit > 1
    else { return nil }
    let (whole, isTooMany) = count.multipliedReportingOverflow(by: unit)
    let parts = fraction.reduce(1) { parts, _ in parts * 10 }
    // Less than one unit, so it fits; its double width does not overflow.
    let part = parts.dividingFullWidth(unit.multipliedFullWidth(by: Int(fraction) ?? 0)).quotient
    let (bytes, isTooManyWithPart) = whole.addingReportingOverflow(part)
    guard !isTooMany, !isTooManyWithPart else { return nil }
    self.bytes = bytes
  }

  private static func byteCount(ofUnit unit: String) -> Int? {
    switch unit {
    case "", "b": 1
    case "k", "kib": 1 << 10
    case "m", "mib": 1 << 20
    case "g", "gib": 1 << 30
    case "t", "tib": 1 << 40
    case "kb": 1_000
    case "mb": 1_000_000
    case "gb": 1_000_000_000
    case "tb": 1_000_000_000_000
    default: nil
    }
  }

  /// The count in the largest unit that divides it: `64 KiB`, `256 MB`, `4097 B`.
  public var description: String {
    for unit in Self.units where bytes != 0 && bytes.isMultiple(of: unit.bytes) {
      return "\(bytes / unit.bytes) \(unit.name)"
    }
    return "\(bytes) B"
  }
}
