/// Leaves bytes as they are: for data that is compressed already.
public struct IdentityCodec: ChunkCodec {
  /// 0.
  public var id: UInt8 { 0 }

  /// The codec.
  public init() {}

  /// Copies.
  public func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    guard source.count <= destination.count else { return nil }
    destination.copyMemory(from: source)
    return source.count
  }

  /// Copies.
  public func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard source.count == destination.count else { return false }
    destination.copyMemory(from: source)
    return true
  }
}
