/// Copies bytes unchanged: for data that is already compressed.
public struct IdentityCodec: ChunkCodec {
  /// 0.
  public var id: UInt8 { 0 }

  /// Creates the codec.
  public init() {}

  /// Copies `source`.
  public func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    guard source.count <= destination.count else { return nil }
    destination.copyMemory(from: source)
    return source.count
  }

  /// Copies `source`.
  public func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard source.count == destination.count else { return false }
    destination.copyMemory(from: source)
    return true
  }
}
