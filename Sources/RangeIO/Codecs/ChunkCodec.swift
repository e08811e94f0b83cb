/// Compresses and decompresses chunks for a compressed tier.
///
/// Pure and synchronous: it has no state, does not wait, and is called on any thread, any number of times at once. Ten
/// lines wrap a C library; the guide `Docs/Guides/WritingACodec.md` does it with zstd.
///
/// **What the caller guarantees.** Buffers are not empty, have at most 1 GiB, and do not overlap. Input to decode was
/// usually encoded by the same codec, but may come from a disk: it can be anything.
///
/// **What you must do.** Read and write only inside the buffers, whatever they contain. Decode exactly what was
/// encoded. `CodecConformance` of `RangeIOTesting` checks this.
public protocol ChunkCodec: Sendable {
  /// Identifies this codec in stored chunks. 0 to 127 are reserved for this library (``BuiltInCodec/identity`` 0,
  /// ``BuiltInCodec/lz4(acceleration:)`` 1).
  var id: UInt8 { get }

  /// Encodes `source` into the start of `destination`.
  ///
  /// - Returns: the number of bytes written; `nil` if `destination` is too small or encoding fails.
  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int?

  /// Decodes `source` so that it fills `destination` exactly.
  ///
  /// - Returns: `false` if `source` does not encode exactly that many bytes, as far as the codec can tell. The contents
  ///   of `destination` do not matter then.
  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool
}
