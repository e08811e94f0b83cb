/// Bytes and where in a source they lie.
public struct RangedBytes: Sendable {
  /// Where, from the start of the source.
  public let range: ByteRange
  /// As many as `range` has.
  public let bytes: Bytes

  /// The bytes of `range`.
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
