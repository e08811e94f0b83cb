/// Bytes, and their range in a source.
public struct RangedBytes: Sendable {
  /// The range, from the start of the source.
  public let range: ByteRange
  /// Has as many bytes as `range`.
  public let bytes: Bytes

  /// Creates a value for the bytes of `range`.
  public init(_ range: ByteRange, _ bytes: Bytes) {
    self.range = range
    self.bytes = bytes
  }

  /// The bytes of `part`, which must lie within ``range``.
  func bytes(of part: ByteRange) -> Bytes {
    guard part != range else { return bytes }
    return bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
  }
}
