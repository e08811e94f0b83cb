internal import RangeIO

/// The request with which a description begins, and the bytes that come with it.
enum Opening: Hashable, Sendable {
  /// A GET of these bytes.
  case range(Range<Int>)
  /// A GET of so many bytes at the end.
  case suffix(Int)
  /// HEAD, and no bytes.
  case head
  /// A GET of the first byte, of which only the head counts.
  case probe
  /// A GET of all.
  case whole

  /// The most bytes that are asked for, and kept for the first reads.
  static let maxBytes = 1 << 20

  /// The opening that a user wants, with at least one byte and at most ``maxBytes``.
  init(_ wanted: RemoteOpening) {
    switch wanted {
    case .range(let range):
      let start = min(max(0, range.lowerBound), Int.max - Self.maxBytes)
      self = .range(start..<min(max(start + 1, range.upperBound), start + Self.maxBytes))
    case .suffix(let count): self = .suffix(min(max(1, count), Self.maxBytes))
    case .head: self = .head
    }
  }
}
